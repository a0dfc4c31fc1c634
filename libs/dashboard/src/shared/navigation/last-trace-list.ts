import { paths } from './paths.js';

const KEY = 'dacapo.traces';

/** Remembers the filters of the list of traces, in this tab. @param search with its question mark, or empty */
export function rememberTraceList(search: string): void {
  try {
    sessionStorage.setItem(KEY, search);
  } catch {
    // Storage is switched off: the way back has no filters.
  }
}

/** The address of the list of traces as it was seen last. */
export function lastTraceList(): string {
  try {
    return paths.traces(Object.fromEntries(new URLSearchParams(sessionStorage.getItem(KEY) ?? '')));
  } catch {
    return paths.traces();
  }
}
