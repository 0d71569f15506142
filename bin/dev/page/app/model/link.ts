/**
 * The network as one turn sees it: `fetch` that can be dropped and given back. A drop breaks what is under way as a lost
 * network would; whoever asks meanwhile waits, so that the client resumes by itself at once when it is given back.
 */

export type LinkState = 'connecting' | 'connected' | 'dropped';

export type Link = {
  readonly fetch: typeof fetch;
  state(): LinkState;
  drop(): void;
  resume(): void;
};

export function createLink(send: typeof fetch, changed: () => void): Link {
  let state: LinkState = 'connecting';
  let cut = new AbortController();
  let given = Promise.withResolvers<void>();
  given.resolve();
  const become = (next: LinkState) => {
    if (state === next) return;
    state = next;
    changed();
  };
  return {
    async fetch(input, init) {
      await abortable(given.promise, init?.signal);
      const own = cut;
      become('connecting');
      const signal = init?.signal ? AbortSignal.any([init.signal, own.signal]) : own.signal;
      const response = await send(input, { ...init, signal });
      if (own === cut && response.ok) become('connected');
      return response;
    },
    state: () => state,
    drop() {
      if (state === 'dropped') return;
      given = Promise.withResolvers();
      cut.abort();
      become('dropped');
    },
    resume() {
      if (state !== 'dropped') return;
      cut = new AbortController();
      become('connecting');
      given.resolve();
    },
  };
}

function abortable(promise: Promise<void>, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal!.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    void promise.then(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
  });
}
