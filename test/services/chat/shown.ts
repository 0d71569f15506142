/** What the page of the chat lets a test do and see. */

export type Shown = {
  readonly status: string;
  readonly error: string | null;
  /** Of each message, its role and the text of its parts. */
  readonly messages: readonly (readonly [role: string, text: string])[];
};

declare global {
  var chat: { send(text: string): void; stop(): void; shown(): Shown };
}
