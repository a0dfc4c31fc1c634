import { InvalidOptionError } from './errors.js';

/** An option that nothing reads, and what to write instead. */
export interface UnknownOption {
  readonly name: string;
  /** A sentence. */
  readonly cure: string;
}

/** The first option whose name is none of `names`; options that are `undefined` are not given. */
export function findUnknownOption(given: object, names: readonly string[]): UnknownOption | undefined {
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !names.includes(name));
  if (unknown === undefined) return undefined;
  const [name] = unknown;
  const near = nearestName(name, names);
  return { name, cure: near === undefined ? `Use one of ${names.join(', ')}.` : `Did you mean ${near}?` };
}

/** @throws InvalidOptionError that names the first option that nothing reads. */
export function refuseUnknownOptions(group: string, given: object, names: readonly string[]): void {
  const unknown = findUnknownOption(given, names);
  if (unknown === undefined) return;
  throw new InvalidOptionError(group + unknown.name, 'is unknown', unknown.cure);
}

/** The name with the fewest other letters, two or a third at most; upper and lower case do not count. */
function nearestName(name: string, names: readonly string[]): string | undefined {
  const distances = names.map((candidate) => editDistance(name.toLowerCase(), candidate.toLowerCase()));
  const least = Math.min(...distances);
  return least <= Math.max(2, name.length / 3) ? names[distances.indexOf(least)] : undefined;
}

/** Letters to put in, take out or change, to make one of the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const changed = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
