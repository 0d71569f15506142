/**
 * The one way the stand-in homeserver refuses: a Matrix error with its HTTP status. What is refused changed nothing.
 * Status, code and wording follow Synapse where it was measured.
 */
export class MatrixFault extends Error {
  readonly status: number;
  readonly errcode: string;
  readonly error: string;
  /** Only with 429: how long to wait, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, errcode: string, error: string, retryAfterMs?: number) {
    super(error);
    this.name = 'MatrixFault';
    this.status = status;
    this.errcode = errcode;
    this.error = error;
    this.retryAfterMs = retryAfterMs;
  }
}

export const invalid = (error: string, errcode = 'M_UNKNOWN') => new MatrixFault(400, errcode, error);
export const forbidden = (error: string, errcode = 'M_FORBIDDEN') => new MatrixFault(403, errcode, error);
export const notFound = (error: string, errcode = 'M_NOT_FOUND') => new MatrixFault(404, errcode, error);
export const tooLarge = (error: string) => new MatrixFault(413, 'M_TOO_LARGE', error);
export const internal = () => new MatrixFault(500, 'M_UNKNOWN', 'Internal server error');
