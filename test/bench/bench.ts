/** What a bench is: the figures it gives, each with its unit and target, and the way to measure them all at once. */

export type Target = `${'<' | '<=' | '>='} ${number}`;

export type Figure = {
  readonly unit: string;
  readonly target?: Target;
  /** What the same costs on the plain alternative that the specification names. */
  readonly baseline?: number;
};

export type Bench = {
  readonly figures: Readonly<Record<string, Figure>>;
  /** It needs a real homeserver, and may be left out. */
  readonly synapse?: true;
  /** A value for each figure, measured in a process that measures nothing else. */
  measure(): Promise<Values>;
};

/** By the figure's name; with a baseline where the same run measured that too. */
export type Values = Readonly<Record<string, number | { readonly value: number; readonly baseline: number }>>;

export type Measured = Figure & { readonly name: string; readonly value: number };

/** Undefined where there is no target. */
export function isMet({ value, target }: Pick<Measured, 'value' | 'target'>): boolean | undefined {
  if (target === undefined) return undefined;
  const [relation, limit] = target.split(' ') as ['<' | '<=' | '>=', string];
  if (relation === '<') return value < Number(limit);
  return relation === '<=' ? value <= Number(limit) : value >= Number(limit);
}
