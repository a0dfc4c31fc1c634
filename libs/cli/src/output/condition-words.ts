import {
  type CallConditions,
  type Condition,
  type ConditionName,
  conditionsIn,
  describeCondition,
  type ListConditions,
  parseQueryLine,
  QueryLineError,
} from '@dacapo/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../errors.js';
import { amount, each, metadata, moment, number, scalar } from './read-words.js';

type Place = 'lists' | 'selections';

/** Flags that replace the usual ones. */
export type Flags = Partial<Record<ConditionName, string>>;

/** @param before what earlier options of the same name collected */
type Parser = (text: string, before: unknown) => unknown;

const TAKES: Partial<Record<Condition['kind'], string>> = { scalar: 'value', number: 'n', time: 'time' };
const LINE = `conditions in one line, such as 'status:error model:gpt-5 cost>0.01 "late parcel"'`;

/** Adds an option for each condition, such as `--user <id>`, and `--where` for a line of them. */
export function withConditionWords(command: Command, place: Place, flags: Flags = {}): Command {
  const names = conditionsIn(place).map(([name]) => name);
  return withConditions(command, place, names, flags).option('--where <line>', LINE);
}

/** Adds an option for each of these conditions. */
export function withConditions(
  command: Command,
  place: Place,
  names: readonly ConditionName[],
  flags: Flags = {},
): Command {
  for (const [name, condition] of conditionsIn(place)) {
    if (!names.includes(name)) continue;
    const { choices } = condition;
    const option = new Option(formatFlag(name, condition, flags), describeCondition(condition, place));
    const parse = chooseParser(condition, place);
    if (choices !== undefined) option.choices(choices);
    else if (parse !== undefined) option.argParser(parse);
    command.addOption(option);
  }
  return command;
}

/** The given conditions. @throws UsageError if the line is invalid, or repeats an option */
export function readConditionWords(words: object, place: 'lists', flags?: Flags): ListConditions;
export function readConditionWords(words: object, place: 'selections', flags?: Flags): CallConditions;
export function readConditionWords(words: object, place: Place, flags: Flags = {}): object {
  const rows = conditionsIn(place);
  const conditions = rows.flatMap(([name, condition]): [string, unknown][] => {
    const option = new Option(formatFlag(name, condition, flags)).attributeName();
    const value: unknown = Reflect.get(words, option);
    return value === undefined ? [] : [[name, value]];
  });
  const { where } = words as { where?: string };
  const inLine = where === undefined ? [] : readLine(where, place, new Map(rows));
  const twice = inLine.find(([name]) => conditions.some(([other]) => other === name));
  if (twice) throw new UsageError(`--where has ${twice[0]}, and so does an option. Write it once.`);
  return Object.fromEntries([...conditions, ...inLine]);
}

function readLine(
  line: string,
  place: Place,
  rows: ReadonlyMap<string, Condition>,
): [name: string, value: unknown][] {
  try {
    const values: Record<string, unknown> = {};
    for (const [parameter, texts] of Object.entries(parseQueryLine(line, place))) {
      const [name = '', ...path] = parameter.split('.');
      const condition = rows.get(name);
      const parse = condition && chooseParser(condition, place);
      for (const text of texts) {
        const written = path.length > 0 ? `${path.join('.')}=${text}` : text;
        values[name] = parse ? parse(written, values[name]) : written;
      }
    }
    return Object.entries(values);
  } catch (error) {
    if (error instanceof QueryLineError || error instanceof InvalidArgumentError)
      throw new UsageError(`--where: ${error.message}`);
    throw error;
  }
}

function formatFlag(name: ConditionName, { kind, word, flag }: Condition, flags: Flags): string {
  return flags[name] ?? flag ?? `--${name.replaceAll('_', '-')} <${TAKES[kind] ?? word}>`;
}

/** Lists of traces take values as texts, and read them as JSON themselves. */
function chooseParser({ kind }: Condition, place: Place): Parser | undefined {
  switch (kind) {
    case 'amount':
      return amount;
    case 'number':
      return number;
    case 'time':
      return moment(Date.now);
    case 'list':
      return each(String) as Parser;
    case 'scalar':
      return place === 'lists' ? undefined : scalar;
    case 'metadata':
      return metadata(place === 'lists' ? String : undefined) as Parser;
    default:
      return undefined;
  }
}
