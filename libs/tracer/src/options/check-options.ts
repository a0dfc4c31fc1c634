import { nearestName } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import type { OptionTable, ResolvedOptions } from './option.js';

/** An option that cannot work, what is wrong with it, and what to write instead. */
export interface WrongOption {
  readonly name: string;
  /** As it follows the name in a sentence. */
  readonly problem: string;
  /** A sentence. */
  readonly cure: string;
}

/** The first option of the table whose value cannot work. */
export function findWrongValue(table: OptionTable, options: object): WrongOption | undefined {
  return read(table, options).wrong;
}

/** The first option that has none of these names; what is `undefined` is not given. */
export function findUnknownOption(options: object, names: readonly string[]): WrongOption | undefined {
  const unknown = Object.entries(options).find(
    ([name, value]) => value !== undefined && !names.includes(name),
  );
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
  options: object,
): ResolvedOptions<Table> {
  const { values, wrong } = read(table, options);
  const first = findUnknownOption(options, Object.keys(table)) ?? wrong;
  if (first !== undefined) throw new InvalidOptionError(prefix + first.name, first.problem, first.cure);
  return values as ResolvedOptions<Table>;
}

function read(
  table: OptionTable,
  options: object,
): { readonly values: Readonly<Record<string, unknown>>; readonly wrong?: WrongOption } {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name) ?? undefined;
    if (value === undefined) values[name] = option.defaultAfter?.(values) ?? option.default;
    else if (option.accepts(value, values)) values[name] = value;
    else return { values, wrong: { name, problem: option.problem(value, values), cure: option.cure(name) } };
  }
  return { values };
}
