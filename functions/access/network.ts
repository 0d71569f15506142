/**
 * The network that a caller's IP address belongs to, as far as limits go: an IPv4 address stands for itself, an IPv6 one
 * for its first 64 bits, since whoever has one has them all (RFC 4291, §2.5.1). What is no address stands for itself.
 */

const GROUPS = 8;
const NETWORK = 4;

export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head, tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = tail ? GROUPS - head!.length - tail.length : 0;
  const groups = [...head!, ...Array<string>(Math.max(0, zeros)).fill('0'), ...(tail ?? [])];
  return groups
    .slice(0, NETWORK)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':');
}
