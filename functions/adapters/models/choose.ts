/**
 * Chooses the agent by configuration: the deterministic local model, or somebody's own agent, whose code is loaded when
 * the first turn needs it.
 */
import type { Agent } from '../../agent/agent.ts';
import { localAgent } from '../../agent/local.ts';
import type { Tool } from '../../agent/tool.ts';
import { offered } from '../../agent/tools.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Where somebody's own agent is: a Lambda by its ARN, or a URL in development. */
export type OwnAgent = { readonly functionArn: string } | { readonly url: string };

export type ModelConfig = {
  readonly localModelWordMs: number;
  readonly allowedTools: readonly string[];
  readonly ownAgent?: OwnAgent;
};

export function chooseAgent({ ownAgent, localModelWordMs }: ModelConfig, clock: Clock): Agent {
  return ownAgent ? loadedLater(ownAgent, clock) : localAgent({ clock, wordDelayMs: localModelWordMs });
}

function loadedLater(where: OwnAgent, clock: Clock): Agent {
  let loaded: Promise<Agent> | undefined;
  return {
    async *run(input, signal) {
      loaded ??= load(where, clock);
      yield* (await loaded).run(input, signal);
    },
  };
}

async function load(where: OwnAgent, clock: Clock): Promise<Agent> {
  const { ownAgent } = await import('../agent-function/own.ts');
  if ('url' in where) {
    const { httpTransport } = await import('../agent-function/http.ts');
    return ownAgent(httpTransport(where.url), clock);
  }
  const { lambdaClient, lambdaTransport } = await import('../agent-function/lambda.ts');
  return ownAgent(lambdaTransport(lambdaClient(), where.functionArn), clock);
}

/** The tools of this release that the allow-list names. The catalog grows with the memory's tools. */
export function chooseTools(config: ModelConfig): Tool[] {
  return offered([], config.allowedTools);
}
