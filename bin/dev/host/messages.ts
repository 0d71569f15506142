/**
 * What the host and the process of a function say to each other. Events and answers travel as JSON text, as on
 * Lambda, so nothing that JSON cannot hold gets through. Every answer is a stream of chunks; a buffered one has one.
 */

/** The body of a failed invocation, as the Invoke API returns it. */
export type FunctionError = {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
};

export type ToRuntime =
  | { readonly type: 'invoke'; readonly id: string; readonly event: string; readonly remainingMs: number }
  /** The chunk sent last was taken; the next may come. */
  | { readonly type: 'taken'; readonly id: string };

export type FromRuntime =
  | { readonly type: 'ready' }
  /** The handler could not be loaded. The process ends. */
  | { readonly type: 'unusable'; readonly error: FunctionError }
  | {
      readonly type: 'chunk';
      readonly id: string;
      readonly bytes: Uint8Array;
      readonly contentType: string;
    }
  | { readonly type: 'end'; readonly id: string; readonly contentType: string }
  | { readonly type: 'error'; readonly id: string; readonly error: FunctionError };
