/**
 * The shape of the DynamoDB tables, said once: the stack creates them from it, the dev host and the tests likewise.
 * Every table is alike: a row under (`pk`, `sk`), expiry in `ex` (s), and a sparse index over what is due.
 */

/** The tables, one for each module that stores. */
export const tables = ['turns', 'gate', 'memory'] as const;
export type TableName = (typeof tables)[number];

export const partitionKey = 'pk';
export const sortKey = 'sk';
/** Seconds since the epoch; DynamoDB deletes late, so readers check it too. */
export const expiryAttribute = 'ex';
/** Keys only, sparse: a row is in it while it has both attributes. `sh` is one of 16 shards, `du` ms since the epoch. */
export const dueIndex = { name: 'due', partitionKey: 'sh', sortKey: 'du' } as const;
