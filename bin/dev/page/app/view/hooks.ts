/** What the views hold on to: a store, the page's address, something that is loaded until it is there. */
import { useSyncExternalStore } from 'preact/compat';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Address, parseAddress } from '../model/address.ts';
import type { Store } from '../model/store.ts';

export const useStore = <T>({ subscribe, get }: Store<T>): T => useSyncExternalStore(subscribe, get);

const onHashChange = (listener: () => void) => {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
};

export function useAddress(): Address {
  const hash = useSyncExternalStore(onHashChange, () => location.hash);
  return useMemo(() => parseAddress(hash), [hash]);
}

const AGAIN_MS = 2_000;

export type Loaded<T> = { readonly value?: T; readonly problem?: string };

/** Loads for each `key`, and after a failure again every two seconds. */
export function useLoaded<T>(key: string | undefined, load: (key: string) => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { key?: string }>({});
  useEffect(() => {
    let isLeft = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = async (key: string): Promise<void> => {
      try {
        const value = await load(key);
        if (!isLeft) setLoaded({ key, value });
      } catch (error) {
        if (isLeft) return;
        setLoaded({ key, problem: (error as Error).message });
        timer = setTimeout(() => void attempt(key), AGAIN_MS);
      }
    };
    if (key !== undefined) void attempt(key);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [key, load]);
  return loaded.key === key ? loaded : {};
}
