/** What the probe in a page of development lets a test see. */

export type Probe = {
  /** Forgets what was seen, and begins anew. */
  watch(): void;
  /** The newest reply's words, at each animation frame in which they had changed. */
  frames(): readonly string[];
  /** How much of the page moved though nobody touched it (the Layout Instability API's sum). */
  shift(): number;
  /** What a screen reader was told. */
  announced(): readonly string[];
  /** Whether the words of a reply stand where a screen reader is told of every change. */
  isChatty(): boolean;
  /** What has the focus: its name, and whether one sees that. */
  focused(): { readonly text: string; readonly isMarked: boolean };
  /** Texts with less contrast than 4.5, and controls without a name. */
  faults(): readonly string[];
};

declare global {
  var probe: Probe;
}
