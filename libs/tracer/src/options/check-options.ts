import { nearestName } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import type { OptionTable, ResolvedOptions } from './option.js';

/** An invalid option, its problem, and what to write instead. */
export interface WrongOption {
  readonly name: string;
  /** Follows the option's name in a sentence. */
  readonly problem: string;
  /** A sentence. */
  readonly cure: string;
}

/** Finds the first option of the table with an invalid value. */
export function findWrongValue(table: OptionTable, options: object): WrongOption | undefined {
  return read(table, options).wrong;
}

/** Finds the first option with an unknown name. Options that are `undefined` count as absent. */
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
 * Fills in the defaults; `null` counts as absent.
 *
 * @param prefix the group of the options in error messages, such as `delivery.`
 * @throws InvalidOptionError for the first invalid option
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
