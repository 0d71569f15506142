/** What a client is told went wrong: the server's own code, or `unreachable` when there was no answer for too long. */
export class TurnpikeError extends Error {
  override readonly name = 'TurnpikeError';
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code: string;
  /** The turn that is in the way of a start. */
  readonly turn: string | undefined;

  constructor(status: number, code: string, message: string, turn?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.turn = turn;
  }
}
