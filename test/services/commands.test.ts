import { expect, it } from 'vitest';
import { BOT } from '../../bin/dev/folder.ts';
import { command } from './command.ts';
import { testSystem } from './system.ts';

const system = testSystem();

const connect = (changed: { token?: string; id?: string; server?: string } = {}) => {
  const { synapse, tokens } = system();
  const { token = tokens.as_token, id = BOT.id, server = synapse.server } = changed;
  const flags = ['--homeserver', synapse.url, '--server', server, '--bot', BOT.localpart, '--id', id];
  return command('connect', flags, { AS_TOKEN: token });
};

it('npm run registration prints a file that Synapse takes, and finds no fault in it', async () => {
  const { person, registration, synapse } = system();
  const own = ['--server', synapse.server, '--prefix', BOT.prefix];
  expect(await command('registration', ['--check', registration, ...own])).toMatchObject({
    status: 0,
    out: expect.stringContaining('no faults'),
  });
  // What it claims is taken, and nothing beside it.
  await expect(person('agent_')).rejects.toThrow('M_EXCLUSIVE');
  await expect(person('agents')).resolves.toMatchObject({ name: expect.stringMatching(/^agents/) });
});

it('npm run connect makes the bot ready, as often as it is run', async () => {
  const { bot } = system();
  for (let times = 0; times < 2; times++) {
    const { status, out } = await connect();
    expect(status).toBe(0);
    expect(out).toMatch(
      new RegExp(`^${bot} is registered already\\.\nThe homeserver reaches the webhook in \\d+ ms\\.\n$`),
    );
  }
});

it.each([
  [{ token: 'wrong' }, 'does not know the as_token'],
  [{ id: 'other' }, 'The id is not that of the registration'],
  [{ server: 'other.example' }, 'The homeserver calls itself "localhost", not "other.example"'],
])('npm run connect says what is wrong: %j', async (changed, words) => {
  expect(await connect(changed)).toEqual({ status: 1, out: '', err: expect.stringContaining(words) });
});

it('npm run connect says that the webhook is away', async () => {
  const { toWebhook } = system();
  await toWebhook.down();
  const away = await connect();
  await toWebhook.up();
  expect(away).toEqual({ status: 1, out: '', err: expect.stringContaining('does not reach the webhook') });
  expect(await connect()).toMatchObject({ status: 0 });
});
