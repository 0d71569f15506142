/** Everything a stream yields, and the code of the error it ended with, if it did. */
export async function readOut<T>(stream: AsyncIterable<T>): Promise<{ events: T[]; code?: unknown }> {
  const events: T[] = [];
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    return { events, code: (error as { code?: unknown }).code };
  }
  return { events };
}

/** The same of a stream that ends well. */
export async function allOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}
