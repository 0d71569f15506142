/** One first invocation, in a process that has done nothing else: sends how long it took, in ms. */
const [path, event] = process.argv.slice(2);
const began = performance.now();
const { handler } = (await import(path!)) as { handler(event: unknown, context: object): Promise<unknown> };
await handler(JSON.parse(event!), { getRemainingTimeInMillis: () => 60_000 });
process.send!(performance.now() - began, () => process.exit());
