/** The id of a turn's answer, as the server makes it (`functions/turns/ids.ts`), without asking the server. */

/** Without TLS a page has no hashes; then the turn's own id stands in. */
export async function messageId(turn: string): Promise<string> {
  if (!crypto.subtle) return `turn_${turn}`;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`message\0${turn}`));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(hash, 0, 16)));
  return `msg_${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}
