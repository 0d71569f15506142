/** Chooses the agent by configuration. Only the deterministic local model so far; real ones are loaded on use. */
import type { Agent } from '../../agent/agent.ts';
import { localAgent } from '../../agent/local.ts';
import type { Tool } from '../../agent/tool.ts';
import { offered } from '../../agent/tools.ts';
import type { Clock } from '../../runtime/clock.ts';

export type ModelConfig = { readonly localModelWordMs: number; readonly allowedTools: readonly string[] };

export function chooseAgent(config: ModelConfig, clock: Clock): Agent {
  return localAgent({ clock, wordDelayMs: config.localModelWordMs });
}

/** The tools of this release that the allow-list names. The catalog grows with the memory's tools. */
export function chooseTools(config: ModelConfig): Tool[] {
  return offered([], config.allowedTools);
}
