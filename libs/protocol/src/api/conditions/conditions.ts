import { type CamelName, camelName } from '../../json/casing.js';
import type { JsonObject } from '../../json/json-value.js';
import { SPAN_KINDS, SPAN_LEVELS, SPAN_STATUSES, SPAN_TYPES } from '../../records/span.js';
import { AMOUNTS, TRACE_AMOUNTS, type TraceAmount } from './amounts.js';
import type { Condition } from './condition.js';

/**
 * Every condition on traces and calls, by its name in query strings and bodies. All given conditions must match. A row here, or in
 * {@link AMOUNTS}, is all that the API, the SDK, the CLI, the query line, the dashboard and the documents need; a storage engine adds
 * its SQL.
 */
export const CONDITIONS = {
  name: { kind: 'text', of: 'call', word: 'name', text: 'of this name', suggests: 'name' },
  type: { kind: 'choice', of: 'call', word: 'type', text: 'of this type', choices: SPAN_TYPES },
  kind: {
    kind: 'choice',
    of: 'call',
    word: 'kind',
    text: 'of this kind',
    choices: SPAN_KINDS,
    groups: 'spans',
  },
  level: {
    kind: 'choice',
    of: 'call',
    word: 'level',
    text: 'of this level',
    choices: SPAN_LEVELS,
    groups: 'spans',
  },
  model: { kind: 'text', of: 'call', word: 'model', text: 'whose usage names this model', suggests: 'model' },
  session_id: {
    kind: 'text',
    of: 'trace',
    word: 'session',
    flag: '--session <id>',
    text: 'of this session',
    suggests: 'session',
  },
  user_id: {
    kind: 'text',
    of: 'trace',
    word: 'user',
    flag: '--user <id>',
    text: 'of this user',
    suggests: 'user_id',
    groups: 'traces',
  },
  tags: {
    kind: 'list',
    of: 'trace',
    word: 'tag',
    flag: '--tag <tag>',
    text: 'with this tag; several tags: with all of them',
    suggests: 'tag',
    groups: 'traces',
  },
  except_tags: {
    kind: 'list',
    of: 'trace',
    word: 'except-tag',
    flag: '--except-tag <tag>',
    text: 'without this tag; several tags: without any of them',
    suggests: 'tag',
  },
  environment: {
    kind: 'text',
    of: 'trace',
    word: 'environment',
    text: 'of this environment',
    suggests: 'environment',
    groups: 'traces',
  },
  release: {
    kind: 'text',
    of: 'trace',
    word: 'release',
    text: 'of this release',
    suggests: 'release',
    groups: 'traces',
  },
  ...bounds(),
  metadata: {
    kind: 'metadata',
    of: 'trace',
    word: 'metadata',
    flag: '--metadata <path=value>',
    text: 'whose metadata has this value at this path',
    note: 'A path such as `user.plan` leads to a text, a number, true, false or null. Of several values, all must match.',
  },
  score: {
    kind: 'text',
    of: 'trace',
    word: 'score',
    text: 'with a score of this name, also on one of their spans',
    suggests: 'score',
  },
  score_is: { kind: 'scalar', of: 'trace', word: 'score', label: 'score', text: 'whose score is this' },
  score_below: { kind: 'number', of: 'trace', word: 'score', operator: '<', text: 'whose score is lower' },
  score_above: { kind: 'number', of: 'trace', word: 'score', operator: '>', text: 'whose score is higher' },
  since: { kind: 'time', of: 'trace', word: 'since', label: 'started', text: 'that started then or later' },
  until: { kind: 'time', of: 'trace', word: 'until', label: 'started', text: 'that started before' },
  test_run_id: {
    kind: 'text',
    of: 'trace',
    in: 'lists',
    word: 'test-run',
    flag: '--test-run <id>',
    label: 'test run',
    text: 'that this test run made',
  },
  trace_function_key: {
    kind: 'text',
    of: 'trace',
    in: 'lists',
    word: 'key',
    flag: '--key <key>',
    text: 'with a call of this key',
    suggests: 'key',
  },
  status: {
    kind: 'choice',
    of: 'call',
    word: 'status',
    text: 'of this status',
    textInLists: 'whose worst call has this status; under a key, whose worst call of it',
    choices: SPAN_STATUSES,
  },
  replays: {
    kind: 'choice',
    of: 'trace',
    in: 'lists',
    word: 'replays',
    text: 'with those of test runs, or without them',
    choices: ['include', 'exclude'],
  },
  text: {
    kind: 'words',
    of: 'call',
    word: 'text',
    flag: '--text <words>',
    text: 'with all of these words, "phrases" and prefixes such as refund*',
    note: 'They are searched in name, input, output, error and prompt; a selection searches the newest 10,000 candidates.',
  },
  trace_ids: {
    kind: 'list',
    of: 'trace',
    word: 'trace',
    flag: '--trace-id <id>',
    text: 'with these ids, in this order',
    textInLists: 'with one of these ids',
  },
  classes: {
    kind: 'list',
    of: 'call',
    in: 'selections',
    word: 'class',
    flag: '--class <name>',
    text: 'recorded on one of these classes',
    note: 'A call on the class that defines the method has no class in its record: exclude the others with `exceptClasses`.',
  },
  except_classes: {
    kind: 'list',
    of: 'call',
    in: 'selections',
    word: 'except-class',
    flag: '--except-class <name>',
    text: 'recorded on none of these classes',
  },
  every_call: {
    kind: 'flag',
    of: 'call',
    in: 'selections',
    word: 'every-call',
    flag: '--every-call',
    text: 'including calls nested in other calls with the same key; default: only the outermost call of each trace',
  },
} as const satisfies Readonly<Record<string, Condition>>;

type Bounds = Readonly<Record<`${'min' | 'max'}_${TraceAmount}`, Condition & { readonly kind: 'amount' }>>;

function bounds(): Bounds {
  return Object.fromEntries(
    TRACE_AMOUNTS.flatMap((amount) => {
      const { word, unit, text } = AMOUNTS[amount];
      return (['min', 'max'] as const).map((bound): [string, Condition] => [
        `${bound}_${amount}`,
        {
          kind: 'amount',
          of: 'trace',
          word,
          operator: bound === 'min' ? '>=' : '<=',
          flag: `--${bound}-${amount.replaceAll('_', '-')} <${unit === 'US$' ? 'dollars' : unit}>`,
          text: `${text} ${bound === 'min' ? 'at least' : 'at most'} this many ${unit}`,
        },
      ]);
    }),
  ) as Bounds;
}

type Table = typeof CONDITIONS;
export type ConditionName = keyof Table;

type ConditionValue<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { kind: 'list' }
    ? string[]
    : Row extends { kind: 'number' | 'amount' }
      ? number
      : Row extends { kind: 'flag' }
        ? boolean
        : Row extends { kind: 'scalar' }
          ? string | number | boolean
          : Row extends { kind: 'metadata' }
            ? JsonObject
            : string;

type ConditionValues<Name extends ConditionName> = { -readonly [Each in Name]?: ConditionValue<Table[Each]> };
type NameIn<Place> = {
  [Name in ConditionName]: Table[Name] extends { in: Place } ? Name : never;
}[ConditionName];

/** Conditions of lists of traces. */
export type ListConditions = ConditionValues<Exclude<ConditionName, NameIn<'selections'>>>;

/** Conditions that select calls of a key. */
export type CallConditions = ConditionValues<Exclude<ConditionName, NameIn<'lists'>>>;

/** The SDK option of a condition: its name in camel case. `name` is that of the test run, so the condition is `spanName`. */
export type ConditionOption<Name extends ConditionName> = Name extends 'name' ? 'spanName' : CamelName<Name>;

export function conditionOption<Name extends ConditionName>(name: Name): ConditionOption<Name> {
  const option = name === 'name' ? 'spanName' : camelName(name);
  return option as ConditionOption<Name>;
}

/** The conditions of lists of traces, or of selections of calls, by name. */
export function conditionsIn(place: 'lists' | 'selections'): [ConditionName, Condition][] {
  return (Object.entries(CONDITIONS) as [ConditionName, Condition][]).filter(
    ([, row]) => (row.in ?? place) === place,
  );
}

/** What a condition asks, as a sentence of a document or a help text. */
export function describeCondition(
  { of, text, textInLists = of === 'trace' ? text : `with a call ${text}` }: Condition,
  place: 'lists' | 'selections',
): string {
  if (place === 'lists') return `traces ${textInLists}`;
  return of === 'trace' ? `calls in traces ${text}` : `calls ${text}`;
}

/** What a condition asks, in whole sentences of a document. */
export function documentCondition(row: Condition, place: 'lists' | 'selections'): string {
  const sentence = describeCondition(row, place);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${row.note === undefined ? '' : ` ${row.note}`}`;
}

/** The name of a condition in the dashboard. */
export function conditionLabel({ word, label = word }: Condition): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}
