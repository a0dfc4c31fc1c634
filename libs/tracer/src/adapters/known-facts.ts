/** The facts that are known, as the one context to add; `undefined` when none is. */
export function knownFacts(facts: Readonly<Record<string, unknown>>): object[] | undefined {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return known.length === 0 ? undefined : [Object.fromEntries(known)];
}
