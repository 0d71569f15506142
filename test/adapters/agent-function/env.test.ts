import { describe, expect, it } from 'vitest';
import { type BadEnvironment, ENV, readEnv } from '../../../functions/adapters/lambda/env.ts';

const complete = {
  [ENV.turnsTable]: 'turns',
  [ENV.gateTable]: 'gate',
  [ENV.memoryTable]: 'memory',
  [ENV.turnsQueue]: 'https://sqs.eu-west-1.amazonaws.com/000000000000/turns.fifo',
  [ENV.watchdogQueue]: 'https://sqs.eu-west-1.amazonaws.com/000000000000/watchdog',
  [ENV.secret]: 'arn:aws:secretsmanager:eu-west-1:000000000000:secret:appservice',
  [ENV.homeserver]: 'http://127.0.0.1:9',
  [ENV.bot]: '@agent:example.org',
  [ENV.prefix]: 'agent_',
  [ENV.appservice]: 'turnpike',
};
const read = (more: Record<string, string>) => readEnv({ ...complete, ...more });
function faults(more: Record<string, string>): readonly string[] {
  try {
    read(more);
  } catch (error) {
    return (error as BadEnvironment).faults;
  }
  return [];
}

describe('where an own agent is', () => {
  const arn = 'arn:aws:lambda:eu-west-1:123456789012:function:painter';

  it('is said by one variable or by none', () => {
    expect(read({})).not.toHaveProperty('ownAgent');
    for (const functionArn of [arn, `${arn}:live`, `${arn}:$LATEST`, arn.replace('aws', 'aws-us-gov')])
      expect(read({ AGENT_FUNCTION_ARN: functionArn }).ownAgent).toEqual({ functionArn });
    for (const url of ['http://127.0.0.1:7500', 'http://localhost/agent', 'http://[::1]:1/'])
      expect(read({ AGENT_URL: url }).ownAgent).toEqual({ url });
    expect(faults({ AGENT_FUNCTION_ARN: arn, AGENT_URL: 'http://localhost' })).toHaveLength(1);
  });

  it.each([
    ['AGENT_FUNCTION_ARN', 'painter'],
    ['AGENT_FUNCTION_ARN', 'arn:aws:lambda:eu-west-1:123456789012:layer:painter'],
    ['AGENT_FUNCTION_ARN', `${arn}\n`],
    ['AGENT_URL', 'https://agent.example.org/'],
    ['AGENT_URL', 'http://localhost.example.org'],
    ['AGENT_URL', 'http://localhost@example.org/'],
    ['AGENT_URL', 'http://127.0.0.1:80@example.org/'],
    ['AGENT_URL', 'file:///etc/passwd'],
  ])('is checked: %s %j', (name, value) => {
    expect(faults({ [name]: value })).toEqual([expect.stringContaining(`${name}: not `)]);
  });
});
