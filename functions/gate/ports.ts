/** What the gate needs of others to decide. */
import type { MatrixClient } from '../matrix/client.ts';
import type { Namespace } from '../matrix/ids.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Table } from '../runtime/table.ts';
import type { GateOptions } from './options.ts';
import type { PrincipalOf } from './principal.ts';

export type GateDeps = {
  readonly table: Table;
  readonly matrix: MatrixClient;
  readonly clock: Clock;
  readonly options: GateOptions;
  readonly namespace: Namespace;
  readonly principalOf: PrincipalOf;
  /** Unfinished turns of a conversation, counted to at most `limit`. */
  unfinished(conversation: string, limit: number): Promise<number>;
};
