/** The body of a homeserver's answer, of which no more is read than is wanted. */

/** The body as text; undefined if it is longer than `max` bytes, of which the rest is not read. */
export async function textOf(response: Response, max: number): Promise<string | undefined> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > max) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined for what is no JSON. */
export function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
