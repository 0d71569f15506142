/**
 * The example as a server: `node server.ts [port] [ms a word]`. It prints its URL, and what it is asked and is left with,
 * but none of the words.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { answerTo, type Request } from './answer.ts';

const [port, thinking] = process.argv.slice(2).map(Number);

const server = createServer(async (message: IncomingMessage, response) => {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    const request = (await json(message)) as Request;
    console.log(`asked for attempt ${request.attempt}`);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for await (const line of answerTo(request, thinking ?? 0, gone.signal))
      if (!response.write(line)) await once(response, 'drain', { signal: gone.signal });
    response.end();
  } catch {
    console.log(gone.signal.aborted ? 'left alone' : 'failed');
    response.destroy();
  }
}).listen(port ?? 0, '127.0.0.1');

await once(server, 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
