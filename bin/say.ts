/**
 * `npm run say`: speaks to the dev host as one of its people, prints what the gate decided and the reply as it streams.
 * Exit status 0 only if a reply came, or the gate rightly stayed silent.
 */
import { parseArgs } from 'node:util';

const USAGE = `Speaks in a room of the dev host.

  npm run say -- [options] "TEXT"

  --as NAME        alice (as is), bob or carol
  --room NAME      dm (as is), lobby, old-hall, or a room id
  --thread ID      in the thread with that root
  --reply-to ID    as a quote-reply to that event
  --json           one JSON object a line: the decision, then the turn's lines
  --port N         the dev host's port (7400)
`;

type Line = {
  readonly type: string;
  readonly text?: string;
  readonly to?: number;
  readonly status?: string;
  readonly reason?: string;
  readonly into?: string;
};
/** 20 s in all. */
const UNKNOWN_TRIES = 200;
const UNKNOWN_MS = 100;

type Decision = { readonly respond: boolean; readonly reason: string };

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      as: { type: 'string', default: 'alice' },
      room: { type: 'string', default: 'dm' },
      thread: { type: 'string' },
      'reply-to': { type: 'string' },
      json: { type: 'boolean', default: false },
      port: { type: 'string', default: '7400' },
      help: { type: 'boolean', default: false },
    },
  });
  const text = positionals.join(' ');
  if (values.help || !text) return tell(USAGE, values.help ? 0 : 1);
  const url = `http://127.0.0.1:${values.port}`;
  const body = JSON.stringify({
    as: values.as,
    room: values.room,
    text,
    thread: values.thread,
    replyTo: values['reply-to'],
  });
  const answer = await fetch(`${url}/dev/say`, { method: 'POST', body }).catch(() => undefined);
  if (!answer) return tell(`Nothing answers at ${url}. Start it with: npm run dev\n`, 1);
  const said = (await answer.json()) as { error?: string; turn?: string; event: string; decision: Decision };
  if (said.error !== undefined) return tell(`${said.error}\n`, 1);
  const { decision, turn, event } = said;
  if (values.json) tell(`${JSON.stringify({ decision, event, turn })}\n`);
  else
    tell(
      `${decision.respond ? 'answers' : 'stays silent'}: ${decision.reason}   (event ${event}${turn ? `, turn ${turn}` : ''})\n\n`,
    );
  return turn === undefined ? 0 : follow(url, turn, values.json);
}

/** Prints the turn as it streams; one that was taken along is answered by another. */
async function follow(url: string, turn: string, json: boolean): Promise<number> {
  const response = await events(url, turn);
  if (!response.ok || !response.body) return tell(`the turn can't be followed: ${response.status}\n`, 1);
  let last: Line | undefined;
  for await (const line of lines(response.body)) {
    last = line;
    if (json) tell(`${JSON.stringify(line)}\n`);
    else if (line.type === 'text') tell(line.text ?? '');
    else if (line.type === 'rewind') tell('\n[another worker goes on from the last whole step]\n');
    else if (line.type === 'waiting') tell('\n[the turn waits for a yes or no]\n');
  }
  if (last?.into !== undefined) return follow(url, last.into, json);
  if (!json && last?.type === 'turn_status')
    tell(`\n\n${last.status}${last.reason ? `: ${last.reason}` : ''}\n`);
  return last?.status === 'complete' ? 0 : 1;
}

/** A turn is known a moment after its decision. */
async function events(url: string, turn: string): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const response = await fetch(`${url}/dev/turns/${turn}/events`);
    if (response.status !== 404 || tries >= UNKNOWN_TRIES) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, UNKNOWN_MS));
  }
}

async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const whole = rest.split('\n');
    rest = whole.pop()!;
    for (const line of whole) if (line) yield JSON.parse(line) as Line;
  }
}

function tell(text: string, status = 0): number {
  (status === 0 ? process.stdout : process.stderr).write(text);
  return status;
}

process.exitCode = await main(process.argv.slice(2));
