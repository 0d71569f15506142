/**
 * A chat as anybody writes it: `useChat` of the AI SDK with `resume` and one `api`, nothing else of ours; or with our
 * transport. It keeps its own words over a reload, as an app does, and shows what it has as JSON for the test to read.
 */
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { createElement, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { createChatTransport } from '../../../functions/client/ai-sdk.ts';
import './shown.ts';

const asked = new URLSearchParams(location.hash.slice(1));
const [url, token, id, own] = ['url', 'token', 'id', 'own'].map((name) => asked.get(name) ?? '') as [
  string,
  string,
  string,
  string,
];

const transport =
  own === 'yes'
    ? createChatTransport({ url, token })
    : new DefaultChatTransport<UIMessage>({
        api: `${url}/chat`,
        headers: { authorization: `Bearer ${token}` },
      });

const KEPT = `words of ${id}`;
const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]') as UIMessage[];

const textOf = ({ parts }: UIMessage) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

function App() {
  const { messages, status, error, sendMessage, stop } = useChat({
    id,
    resume: true,
    messages: kept,
    transport,
  });
  useEffect(() => {
    const said = messages.filter(({ role }) => role === 'user');
    sessionStorage.setItem(KEPT, JSON.stringify(said));
  }, [messages]);
  globalThis.chat = {
    send: (text) => void sendMessage({ text }),
    stop: () => void stop(),
    shown: () => ({
      status,
      error: error?.message ?? null,
      messages: messages.map((message) => [message.role, textOf(message)] as const),
    }),
  };
  return createElement('pre', null, JSON.stringify(globalThis.chat.shown(), undefined, 2));
}

createRoot(document.body).render(createElement(App));
