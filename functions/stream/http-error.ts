/** A request that is refused before the first byte: a status and a public code, as the client gets them. */

export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'busy'
  | 'too_late'
  | 'too_large'
  | 'not_json'
  | 'too_many'
  | 'internal'
  | 'retry';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  busy: 409,
  too_late: 409,
  too_large: 413,
  not_json: 415,
  too_many: 429,
  internal: 500,
  retry: 503,
};

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: ErrorCode;
  readonly status: number;
  /** The running turn that is in the way. */
  readonly turn: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { readonly turn?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = STATUS[code];
    this.turn = more.turn;
    this.headers = more.headers ?? {};
  }

  get body(): object {
    const { code, message, turn } = this;
    return { error: { code, message, ...(turn !== undefined && { turn }) } };
  }
}

export const badRequest = (message: string) => new HttpError('bad_request', message);
export const notFound = () => new HttpError('not_found', 'there is no such turn');
export const retryLater = (message: string) =>
  new HttpError('retry', message, { headers: { 'retry-after': '5' } });
