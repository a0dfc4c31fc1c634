import { useSyncExternalStore } from 'react';
import { readChoice, storeChoice } from '../navigation/stored-choice.js';

/** A query line of the trace list with a name, remembered by this browser. */
export interface SavedView {
  name: string;
  /** The address of the list after its `?`. */
  search: string;
}

const CHOICE = 'views';
const listeners = new Set<() => void>();
let views = parseViews(readChoice(CHOICE));

export function useSavedViews(): readonly SavedView[] {
  return useSyncExternalStore(subscribe, () => views);
}

/** Adds a view, or replaces that of its name. */
export function saveView(view: SavedView): void {
  store([...views.filter(({ name }) => name !== view.name), view]);
}

export function removeView(removed: SavedView): void {
  store(views.filter(({ name }) => name !== removed.name));
}

/** Returns no views for a text that is not a list of views. */
export function parseViews(text: string | undefined): readonly SavedView[] {
  try {
    const stored = JSON.parse(text ?? '[]') as unknown;
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && name !== '' && typeof search === 'string';
}

function store(changed: readonly SavedView[]): void {
  views = changed;
  storeChoice(CHOICE, JSON.stringify(changed));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
