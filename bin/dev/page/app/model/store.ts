/** A value that is watched: `get` returns the same object until it is set. */

export type Store<T> = {
  get(): T;
  /** Returns the way to stop. */
  subscribe(listener: () => void): () => void;
};

export function createStore<T>(first: T): Store<T> & { set(value: T): void } {
  const listeners = new Set<() => void>();
  let value = first;
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
