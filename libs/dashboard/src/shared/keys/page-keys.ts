import { useEffect } from 'react';

/** A row of the list of keys. */
export interface KeyRow {
  keys: string[];
  action: string;
}

/** Keys of the shown page. */
export interface KeySet {
  rows: readonly KeyRow[];
  /** What a key does; `undefined` for a key of others. */
  find: (event: KeyboardEvent) => (() => void) | undefined;
}

/** A key that is not combined with others. */
export interface PageKey {
  /** As `KeyboardEvent.key` has it. */
  key: string;
  /** Completes "The key …" in the list of keys. */
  action: string;
  run: () => void;
}

const registered = new Set<KeySet>();

/** Adds keys to the page while the component is mounted. The dialog of `?` lists them. */
export function useKeySet(keySet: KeySet | undefined): void {
  useEffect(() => {
    if (keySet === undefined) return;
    registered.add(keySet);
    return () => {
      registered.delete(keySet);
    };
  }, [keySet]);
}

/** `useKeySet` for keys that always do the same. */
export function usePageKeys(keys: readonly PageKey[]): void {
  useEffect(() => {
    const keySet: KeySet = {
      rows: keys.map(({ key, action }) => ({ keys: [key === 'Escape' ? 'Esc' : key], action })),
      find: (event) => keys.find(({ key }) => key === event.key)?.run,
    };
    registered.add(keySet);
    return () => {
      registered.delete(keySet);
    };
  }, [keys]);
}

export function listKeySets(): KeySet[] {
  return [...registered];
}
