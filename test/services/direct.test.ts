import { expect, it } from 'vitest';
import { manuscript } from '../../functions/agent/manuscript.ts';
import { CONTENT_BYTES } from '../../functions/matrix/reply.ts';
import { testSystem } from './system.ts';
import { until } from './until.ts';

const system = testSystem();

it('a direct message is answered', async () => {
  const { inside, person } = system();
  const alice = await person('alice');
  const room = await alice.directRoom();
  const asked = await alice.say(room, 'hello there');
  const answer = await alice.hears(room, 'hello there');
  expect(await inside.decided(room, asked)).toMatchObject({ reason: 'dm', roomKind: 'direct' });
  expect(answer.content).toMatchObject({ msgtype: 'm.text', 'm.mentions': {} });
  expect(answer.content).not.toHaveProperty('m.relates_to');
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(1);
});

it('a message sent before the bot joined is answered', async () => {
  const { inside, person, toHomeserver } = system();
  const alice = await person('alice');
  const sent = Promise.withResolvers<void>();
  toHomeserver.rule(async ({ path, forward }) => {
    if (path.includes('/join/')) await sent.promise;
    return forward();
  });
  const room = await alice.createRoom();
  await alice.say(room, 'said too early');
  expect(await alice.membership(room, system().bot)).toBe('invite');
  sent.resolve();
  await alice.hears(room, 'said too early');
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(1);
});

it('an edit is not answered again', async () => {
  const { inside, person } = system();
  const alice = await person('alice');
  const room = await alice.directRoom();
  const asked = await alice.say(room, 'a mistake');
  await alice.hears(room, 'a mistake');
  const edit = await alice.edit(room, asked, 'no mistake');
  expect(await inside.decided(room, edit)).toMatchObject({ kind: 'edit', target: asked });
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(1);
});

it('three quick lines get one answer', async () => {
  const { inside, person } = system();
  const alice = await person('alice');
  const room = await alice.directRoom();
  const busy = await alice.say(room, 'count to 2');
  await until('the first turn to run', async () => (await inside.head(room, busy))?.status === 'running');
  const lines = ['one more thing', 'and another', 'that is all'];
  const events: string[] = [];
  for (const line of lines) events.push(await alice.say(room, line));
  const answer = await alice.hears(room, lines[2]!);
  expect(answer.content.body).toContain(lines.join('\n'));
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(2);
  const ends = await Promise.all(events.map((event) => inside.ended(room, event)));
  expect(ends.map(({ status, reason }) => reason ?? status)).toEqual(['complete', 'merged', 'merged']);
});

it('a long answer arrives whole, in order and rendered', async () => {
  const { inside, person } = system();
  const alice = await person('alice');
  const room = await alice.directRoom();
  const asked = await alice.say(room, 'write 30 KB');
  expect(await inside.ended(room, asked)).toMatchObject({ status: 'complete' });
  const parts = await alice.heard(room);
  expect(parts.length).toBeGreaterThan(1);
  const text = manuscript(30 * 1024, 'bytes');
  // Every cut falls between two blocks of this text.
  expect(parts.map(({ content }) => content.body).join('\n\n')).toBe(text);
  for (const part of parts) {
    expect(Buffer.byteLength(JSON.stringify(part.content))).toBeLessThan(CONTENT_BYTES);
    expect(part.content.format).toBe('org.matrix.custom.html');
  }
  const html = parts.map(({ content }) => content.formatted_body).join('');
  expect(html).toMatch(
    /<h2>Chapter 1 ✨<\/h2>[\s\S]*<li>[\s\S]*<strong>[\s\S]*<pre><code class="language-ts">/,
  );
  expect(html).toContain('&lt;b&gt;not html&lt;/b&gt;');
  expect(html.match(/<h2>/g)).toHaveLength(text.match(/^## /gm)!.length);
});

it('an encrypted room is told once that nothing can be read there', async () => {
  const { inside, person } = system();
  const alice = await person('alice');
  const state = {
    type: 'm.room.encryption',
    state_key: '',
    content: { algorithm: 'm.megolm.v1.aes-sha2' },
  };
  const room = await alice.createRoom({ state: [state] });
  await alice.botJoined(room);
  const secret = { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 'AwgAEn', session_id: 'one' };
  for (const session of ['one', 'two']) {
    const event = await alice.send(room, 'm.room.encrypted', { ...secret, session_id: session });
    expect(await inside.decided(room, event)).toMatchObject({ reason: 'encrypted' });
  }
  const notice = await alice.hears(room, 'I cannot read encrypted messages');
  expect(notice.content.msgtype).toBe('m.notice');
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(1);
});
