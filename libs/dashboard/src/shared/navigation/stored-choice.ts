/** Reads a choice that this browser remembers. Returns `undefined` when storage is blocked. */
export function readChoice(name: string): string | undefined {
  try {
    return localStorage.getItem(`dacapo.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a choice in this browser. */
export function storeChoice(name: string, value: string): void {
  try {
    localStorage.setItem(`dacapo.${name}`, value);
  } catch {
    // Storage is blocked: the choice lasts until the page is closed.
  }
}
