/**
 * The same turns for the AI SDK's chat, as `useChat` with `resume: true` and one `api` calls them: `POST /chat` starts
 * one for the last message, `GET /chat/{conversation}/stream` replays the one that runs from its beginning.
 */
import { BEGINNING } from '../turns/cursor.ts';
import { ui } from '../turns/ui.ts';
import { type Fields, MAX_NAME, readJson, textField, wordField } from './body.ts';
import { personOf } from './caller.ts';
import { cursorOf, followTurn } from './follow.ts';
import { formatOf } from './formats.ts';
import { badRequest } from './http-error.ts';
import type { Answer, StreamDeps, StreamRequest } from './ports.ts';
import { httpConversation, startTurn } from './start.ts';
import { runningIn } from './turn.ts';

const MAX_BYTES = 1_000_000;
const MAX_TEXT = 60_000;

/** Only the last message counts, and must be the user's. */
export async function chat(deps: StreamDeps, request: StreamRequest): Promise<Answer> {
  const caller = await personOf(deps, request);
  const body = readJson(request, MAX_BYTES);
  const conversation = textField(body, 'id', MAX_NAME);
  const { id, text } = lastMessage(body);
  const again = wordField(body, 'trigger', ['submit-message', 'regenerate-message'], 'submit-message');
  const whenBusy = wordField(body, 'whenBusy', ['reject', 'enqueue', 'interrupt'], 'reject');
  // A new turn for the same message; the old one is kept.
  const key = again === 'regenerate-message' ? `${id}#${deps.work.random.id(8)}` : id;
  return startTurn(deps, request, caller, { conversation, text, key, whenBusy }, formatOf(request, ui));
}

/** 204 when nothing runs. */
export async function chatStream(
  deps: StreamDeps,
  request: StreamRequest,
  conversation: string,
): Promise<Answer> {
  const caller = await personOf(deps, request);
  if (conversation.length > MAX_NAME) throw badRequest('the conversation has too long a name');
  const running = await runningIn(deps, httpConversation(caller, conversation));
  if (!running) return { kind: 'empty', status: 204 };
  const after = request.query.has('after') ? cursorOf(request) : BEGINNING;
  return followTurn(deps, request, running.turn, formatOf(request, ui), after);
}

function lastMessage({ messages }: Fields): { id: string; text: string } {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || (last as Fields).role !== 'user')
    throw badRequest("the last message must be the user's");
  const message = last as Fields;
  const parts: unknown[] = Array.isArray(message.parts) ? message.parts : [];
  const text = parts.flatMap(textOf).join('\n');
  return { id: textField(message, 'id', MAX_NAME), text: textField({ text }, 'text', MAX_TEXT) };
}

function textOf(part: unknown): string[] {
  const { type, text } = (typeof part === 'object' && part !== null ? part : {}) as Fields;
  return type === 'text' && typeof text === 'string' ? [text] : [];
}
