import {
  AMOUNTS,
  type Condition as Row,
  conditionLabel,
  conditionsIn,
  formatQueryLine,
  parseQueryLine,
  QueryLineError,
} from '@dacapo/protocol';
import { formatCost } from '../format/format-cost.js';
import { formatCount } from '../format/format-count.js';
import { formatDuration } from '../format/format-duration.js';
import { formatTime } from '../format/format-time.js';

/** The filter in the address, by parameter names of the service. Lists of traces accept an age such as `24h` as a time. */
export type TraceFilter = Partial<Record<string, string>>;

/** One value of a condition. `name` is the parameter of the service. */
export interface FilterField {
  name: string;
  label: string;
  input: 'text' | 'number' | 'time' | { options: readonly string[] };
  isRequired?: boolean;
  hint?: string;
  suggests?: Row['suggests'] | 'metadata_path' | 'metadata_value';
}

export interface FilterKind {
  id: string;
  label: string;
  fields: readonly FilterField[];
}

const METADATA = 'metadata.';

const METADATA_FIELDS: readonly FilterField[] = [
  {
    name: 'path',
    label: 'path',
    input: 'text',
    isRequired: true,
    hint: 'tier or user.plan',
    suggests: 'metadata_path',
  },
  {
    name: 'value',
    label: 'is',
    input: 'text',
    isRequired: true,
    hint: 'gold, 5, "5" or true',
    suggests: 'metadata_value',
  },
];

const OPERATORS = { '>=': 'at least', '<=': 'at most', '<': 'below', '>': 'above' };
const WORDS: Readonly<Record<string, string>> = { since: 'since', until: 'before', score: 'name' };
const FORMATS: Readonly<Record<string, (amount: number) => string>> = { ms: formatDuration, US$: formatCost };

/** Conditions that are typed into the query line, or made by a link. */
const TYPED = ['text', 'replays', 'trace_ids'];

const ROWS = conditionsIn('lists').filter(([name]) => !TYPED.includes(name));

/** The filters behind "Add filter": conditions of one label are one filter. */
export const FILTER_KINDS: readonly FilterKind[] = [
  ...new Set(ROWS.map(([, row]) => conditionLabel(row))),
].map((label) => {
  const rows = ROWS.filter(([, row]) => conditionLabel(row) === label);
  const isAlone = rows.length === 1;
  const fields = rows.flatMap(([name, row]) =>
    row.kind === 'metadata' ? METADATA_FIELDS : [toField(name, row, isAlone || name === 'score')],
  );
  return { id: isAlone ? (rows[0]?.[0] ?? label) : label.toLowerCase(), label, fields };
});

function toField(name: string, row: Row, isRequired: boolean): FilterField {
  const { kind, choices, operator, suggests, word } = row;
  const amount = Object.values(AMOUNTS).find((one) => one.word === word);
  const label = (operator && OPERATORS[operator]) ?? WORDS[name] ?? 'is';
  return {
    name,
    label: amount ? `${label} (${amount.unit})` : label,
    input: choices
      ? { options: choices }
      : kind === 'time'
        ? 'time'
        : kind === 'amount' || kind === 'number'
          ? 'number'
          : 'text',
    isRequired,
    ...(kind === 'text' && name !== 'score' && { hint: 'exact match' }),
    ...(suggests !== undefined && { suggests }),
  };
}

const NAMES = new Set([
  ...TYPED,
  'range',
  'sort',
  ...FILTER_KINDS.filter(({ id }) => id !== 'metadata').flatMap(({ fields }) =>
    fields.map(({ name }) => name),
  ),
]);

/** The filter of a typed line. @throws QueryLineError */
export function readLine(line: string): TraceFilter {
  return Object.fromEntries(
    Object.entries(parseQueryLine(line)).map(([name, [value = '', ...more]]) => {
      if (more.length > 0) throw new QueryLineError(`This page filters by one value of ${name}. Write one.`);
      return [name, value] as const;
    }),
  );
}

/** The line of a filter. */
export function writeLine(filter: TraceFilter): string {
  return formatQueryLine(
    Object.fromEntries(
      Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value]]])),
    ),
  );
}

/** Reads the filter from an address. Ignores other parameters. */
export function readFilter(parameters: URLSearchParams): TraceFilter {
  return Object.fromEntries(
    [...parameters].flatMap(([name, value]) => {
      const isKnown = NAMES.has(name) || name.startsWith(METADATA);
      // Links of the metrics page have a range.
      return value === '' || !isKnown ? [] : [[name === 'range' ? 'since' : name, value]];
    }),
  );
}

/** A condition of a filter, with values by field name. */
export interface Condition {
  kind: FilterKind;
  values: TraceFilter;
}

/** The conditions of a filter, in the order of {@link FILTER_KINDS}. */
export function readConditions(filter: TraceFilter): Condition[] {
  return FILTER_KINDS.flatMap((kind): Condition[] => {
    if (kind.id === 'metadata') {
      return Object.entries(filter)
        .filter(([name]) => name.startsWith(METADATA))
        .map(([name, value]) => ({ kind, values: { path: name.slice(METADATA.length), value } }));
    }
    const known = kind.fields.flatMap(({ name }) =>
      filter[name] === undefined ? [] : [[name, filter[name]]],
    );
    return known.length === 0 ? [] : [{ kind, values: Object.fromEntries(known) as TraceFilter }];
  });
}

/** The query parameters of a condition. */
export function toParameters({ kind, values }: Condition): TraceFilter {
  if (kind.id === 'metadata') return { [METADATA + (values['path'] ?? '')]: values['value'] };
  return values;
}

/** Label and text of a chip: `Duration`, `at least 2.00 s`. */
export function describe({ kind, values }: Condition): { label: string; text: string } {
  const { label, id } = kind;
  if (id === 'metadata') return { label: `Metadata ${values['path'] ?? ''}`, text: values['value'] ?? '' };
  const [first] = kind.fields;
  if (kind.fields.length === 1 && first) return { label, text: values[first.name] ?? '' };
  const unit = Object.values(AMOUNTS).find(({ word }) => word === id)?.unit;
  const shown = (text: string): string => {
    if (id === 'started') return formatTime(text);
    const number = Number(text);
    return unit !== undefined && text.trim() !== '' && Number.isFinite(number)
      ? (FORMATS[unit] ?? formatCount)(number)
      : text;
  };
  const bounds = kind.fields.flatMap((field) => {
    const value = values[field.name];
    if (value === undefined || field.name === 'score') return [];
    return [`${field.label.split(' (')[0] ?? ''} ${shown(value)}`];
  });
  if (id !== 'score') return { label, text: bounds.join(', ') };
  return {
    label: `Score ${values['score'] ?? ''}`,
    text: bounds.length === 0 ? 'any value' : bounds.join(', '),
  };
}
