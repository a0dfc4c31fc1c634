import { InvalidOptionError } from '../errors.js';
import type { Option, OptionTable, ResolvedOptions } from './option.js';

/** An option that cannot work, what is wrong with it, and what to write instead. */
export interface WrongOption {
  readonly name: string;
  /** As it follows the name in a sentence. */
  readonly problem: string;
  /** A sentence. */
  readonly cure: string;
}

/** The first option of the table whose value cannot work. */
export function findWrongValue(table: OptionTable, given: object): WrongOption | undefined {
  return read(table, given).wrong;
}

/** The first option that has none of these names; what is `undefined` is not given. */
export function findUnknownOption(given: object, names: readonly string[]): WrongOption | undefined {
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !names.includes(name));
  if (unknown === undefined) return undefined;
  const [name] = unknown;
  const near = nearestName(name, names);
  const cure = near === undefined ? `Use one of ${names.join(', ')}.` : `Did you mean ${near}?`;
  return { name, problem: 'is unknown', cure };
}

/**
 * The options with their defaults; `null` counts as not given.
 *
 * @param prefix the group that they belong to, as errors name it: `delivery.`
 * @throws InvalidOptionError naming the first option that cannot work
 */
export function resolveOptions<Table extends OptionTable>(
  prefix: string,
  table: Table,
  given: object,
): ResolvedOptions<Table> {
  const { values, wrong } = read(table, given);
  const first = findUnknownOption(given, Object.keys(table)) ?? wrong;
  if (first !== undefined) throw new InvalidOptionError(prefix + first.name, first.problem, first.cure);
  return values as ResolvedOptions<Table>;
}

function read(
  table: OptionTable,
  given: object,
): { readonly values: Readonly<Record<string, unknown>>; readonly wrong?: WrongOption } {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const value: unknown = Reflect.get(given, name) ?? undefined;
    if (value === undefined) values[name] = defaultOf(option, values);
    else if (option.accepts(value, values)) values[name] = value;
    else return { values, wrong: { name, problem: option.problem(value, values), cure: option.cure(name) } };
  }
  return { values };
}

function defaultOf(option: Option<unknown, unknown>, earlier: Readonly<Record<string, unknown>>): unknown {
  return option.defaultAfter === undefined ? option.default : option.defaultAfter(earlier);
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
