import { useEffect, useSyncExternalStore } from 'react';

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

let registered: readonly KeySet[] = [];
const listeners = new Set<() => void>();

/** Adds keys to the page while the component is mounted. The dialog of `?` lists them. */
export function useKeySet(keySet: KeySet | undefined): void {
  useEffect(() => (keySet === undefined ? undefined : register(keySet)), [keySet]);
}

/** `useKeySet` for keys that always do the same. */
export function usePageKeys(keys: readonly PageKey[]): void {
  useEffect(
    () =>
      register({
        rows: keys.map(({ key, action }) => ({ keys: [key === 'Escape' ? 'Esc' : key], action })),
        find: (event) => keys.find(({ key }) => key === event.key)?.run,
      }),
    [keys],
  );
}

/** The keys of the shown page, also of parts that are mounted later. */
export function useKeySets(): readonly KeySet[] {
  return useSyncExternalStore(subscribe, listKeySets);
}

export function listKeySets(): readonly KeySet[] {
  return registered;
}

function register(keySet: KeySet): () => void {
  replace([...registered, keySet]);
  return () => {
    replace(registered.filter((one) => one !== keySet));
  };
}

function replace(next: readonly KeySet[]): void {
  registered = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
