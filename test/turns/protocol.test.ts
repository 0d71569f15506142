/** The protocol's page: its examples are what the server writes, and a client that keeps its rule ends with its text. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apply, createText } from '../../functions/client/apply.ts';
import { createDecoder } from '../../functions/client/decode.ts';
import { BEGINNING } from '../../functions/turns/cursor.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { ndjson } from '../../functions/turns/ndjson.ts';
import { sse } from '../../functions/turns/sse.ts';
import { ui } from '../../functions/turns/ui.ts';

const page = readFileSync(new URL('../../functions/turns/PROTOCOL.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, name, text]) =>
    name === language ? [text!] : [],
  );
const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('the page of the protocol', () => {
  it('shows NDJSON as it is written', () => {
    expect(blocks('ndjson')).toHaveLength(2);
    for (const text of blocks('ndjson')) {
      const encoder = ndjson.open('turn');
      expect(linesOf(text).map(encoder.line).join('')).toBe(text);
      expect(createDecoder('ndjson')(Buffer.from(text))).toEqual(linesOf(text));
    }
  });

  it('shows SSE as it is written', () => {
    const [text] = blocks('sse');
    const encoder = sse.open('turn');
    const [first, second] = linesOf(blocks('ndjson')[0]!);
    expect(encoder.head + encoder.line(first!) + encoder.line(second!)).toBe(text);
  });

  it('shows the AI SDK’s stream as it is written', () => {
    const lines = linesOf(blocks('ndjson')[0]!);
    const { messages } = lines[0] as { messages?: string[] };
    const encoder = ui.open(messages![0]!);
    expect(lines.map(encoder.line).join('') + encoder.end('ended')).toBe(blocks('ui')[0]);
  });

  it('shows a takeover that the client’s rule makes right', () => {
    const words = createText();
    let place = BEGINNING;
    for (const line of linesOf(blocks('ndjson')[1]!)) {
      const applied = apply(place, line);
      expect(applied.kind).toBe('applied');
      if (applied.kind !== 'applied') continue;
      place = applied.place;
      words.add(applied.line, place.seq);
    }
    expect(words.text()).toBe('One, two, three.');
    expect(place).toEqual({ attempt: 2, seq: 12 });
  });

  it('names every type of event and every code of an error there is', () => {
    const source = (path: string) =>
      readFileSync(new URL(`../../functions/${path}`, import.meta.url), 'utf8');
    const types = [...source('turns/events.ts').matchAll(/type: ((?:'[\w-]+'(?: \| )?)+)/g)].flatMap(
      ([, names]) => [...names!.matchAll(/'([\w-]+)'/g)].map(([, name]) => name!),
    );
    expect(new Set(types).size).toBeGreaterThan(12);
    const codes = [...source('stream/http-error.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code!);
    expect(codes.length).toBeGreaterThan(10);
    for (const name of [...types, ...codes]) expect(page).toContain(`\`${name}\``);
  });
});
