import { paths } from './paths.js';

const KEY = 'dacapo.traces';

/** Remembers the filters of the trace list in this tab. @param search with its question mark, or empty */
export function rememberTraceList(search: string): void {
  try {
    sessionStorage.setItem(KEY, search);
  } catch {
    // Storage is blocked: the back link has no filters.
  }
}

/** The address of the trace list with its last filters. */
export function lastTraceList(): string {
  try {
    return paths.traces(Object.fromEntries(new URLSearchParams(sessionStorage.getItem(KEY) ?? '')));
  } catch {
    return paths.traces();
  }
}
