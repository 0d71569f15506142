/** Who may come, as the environment says it. */
import { describe, expect, it } from 'vitest';
import { accessOf } from '../../../functions/adapters/lambda/access-env.ts';
import { type BadEnvironment, type Config, readEnv } from '../../../functions/adapters/lambda/env.ts';
import { bot, smallWorld } from '../../dev/homeserver/small-world.ts';
import { seededRandom } from '../../dev/homeserver/virtual-clock.ts';
import { matrixOver } from '../../fakes/matrix.ts';
import { memoryTable } from '../../fakes/table.ts';

const config: Config = readEnv({
  TURNS_TABLE: 'turns',
  GATE_TABLE: 'gate',
  MEMORY_TABLE: 'memory',
  TURNS_QUEUE_URL: 'https://sqs.example/turns.fifo',
  WATCHDOG_QUEUE_URL: 'https://sqs.example/watchdog',
  SECRET_ARN: 'arn:aws:secretsmanager:eu-west-1:000000000000:secret:appservice',
  HOMESERVER_URL: 'https://matrix.hs.test/',
  BOT_USER_ID: bot,
  USER_PREFIX: 'bot_',
  APPSERVICE_ID: 'turnpike',
});

function read(env: Readonly<Record<string, string>>) {
  const { world, clock } = smallWorld();
  const table = memoryTable();
  const parts = { matrix: matrixOver(world), tables: { turns: table, gate: table, memory: table } };
  return { world, access: accessOf(env, { config, clock, random: seededRandom(), parts }) };
}

function faults(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    read(env);
  } catch (error) {
    return (error as BadEnvironment).faults;
  }
  return [];
}

describe('who may come', () => {
  it('is our own server’s people, from no page, if nothing is said', () => {
    const { access } = read({});
    expect(access).toMatchObject({
      tenant: 'hs.test',
      servers: ['hs.test'],
      origins: [],
      ticketInQuery: false,
    });
    expect(access).not.toHaveProperty('confirm');
  });

  it('is said by four variables', async () => {
    const { access, world } = read({
      ALLOWED_ORIGINS: 'https://a.example, http://localhost:5173',
      MATRIX_OPENID_SERVERS: '{"one.example:8448":"https://one.example/","[::1]":"http://[::1]:8008/under"}',
      MATRIX_SESSION_CONFIRM: 'room',
      TICKET_IN_QUERY: 'On',
    });
    expect(access).toMatchObject({
      origins: ['https://a.example', 'http://localhost:5173'],
      servers: ['one.example:8448', '[::1]'],
      ticketInQuery: true,
    });
    expect(await access.confirm!('@alice:hs.test', '123456')).toBe(true);
    expect(world.joinedRooms(bot)).toHaveLength(1);
  });

  it('may be nobody', () => {
    expect(read({ MATRIX_OPENID_SERVERS: '{}' }).access.servers).toEqual([]);
  });

  it.each([
    ['ALLOWED_ORIGINS', '*'],
    ['ALLOWED_ORIGINS', 'null'],
    ['ALLOWED_ORIGINS', 'a.example'],
    ['ALLOWED_ORIGINS', 'https://a.example/'],
    ['MATRIX_OPENID_SERVERS', 'hs.test'],
    ['MATRIX_OPENID_SERVERS', '["hs.test"]'],
    ['MATRIX_OPENID_SERVERS', '{"hs.test":true}'],
    ['MATRIX_OPENID_SERVERS', '{"hs.test":"matrix.hs.test"}'],
    ['MATRIX_OPENID_SERVERS', '{"hs.test":"file:///etc/passwd"}'],
    ['MATRIX_OPENID_SERVERS', '{"hs.test":"https://a:b@matrix.hs.test"}'],
    ['MATRIX_OPENID_SERVERS', '{"hs.test":"https://matrix.hs.test/?x="}'],
    ['MATRIX_OPENID_SERVERS', '{"hs.test":"https://matrix.hs.test/#"}'],
    ['MATRIX_OPENID_SERVERS', '{"":"https://matrix.hs.test"}'],
    ['MATRIX_OPENID_SERVERS', '{"hs.test/x":"https://matrix.hs.test"}'],
    ['MATRIX_SESSION_CONFIRM', 'yes'],
    ['TICKET_IN_QUERY', 'yes'],
  ])('is checked: %s %s', (name, value) => {
    expect(faults({ [name]: value })).toEqual([expect.stringContaining(`${name}: `)]);
  });

  it('is checked whole, all faults at once', () => {
    const bad = {
      ALLOWED_ORIGINS: '* null',
      MATRIX_OPENID_SERVERS: '[]',
      MATRIX_SESSION_CONFIRM: 'mail',
      TICKET_IN_QUERY: '1',
    };
    expect(faults(bad)).toHaveLength(5);
  });
});
