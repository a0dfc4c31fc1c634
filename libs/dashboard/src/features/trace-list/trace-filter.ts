import {
  type Facet,
  FIELD_NAMES,
  fieldCondition,
  type FieldName,
  TRACE_AMOUNTS,
  type TraceAmount,
} from '@dacapo/protocol';
import { formatCost } from '../../shared/format/format-cost.js';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { formatTime } from '../../shared/format/format-time.js';

/** The filter in the address, by parameter names of the service, plus `range`: a period that ends now. */
export type TraceFilter = Partial<Record<string, string>>;

/** One value of a condition. `name` is the parameter of the service. */
export interface FilterField {
  name: string;
  label: string;
  input: 'text' | 'number' | 'time' | { options: readonly string[] };
  isRequired?: true;
  hint?: string;
  /** The facet whose values the service suggests. */
  suggests?: Facet | 'session';
}

export interface FilterKind {
  id: string;
  label: string;
  fields: readonly FilterField[];
}

const METADATA = 'metadata.';

const single = (name: string, label: string, more: Partial<FilterField> = {}): FilterKind => ({
  id: name,
  label,
  fields: [{ name, label: 'is', input: 'text', isRequired: true, ...more }],
});

const AMOUNTS: Record<TraceAmount, { label: string; unit: string; format: (amount: number) => string }> = {
  duration_ms: { label: 'Duration', unit: 'ms', format: formatDuration },
  tokens: { label: 'Tokens', unit: 'tokens', format: formatCount },
  cost_usd: { label: 'Cost', unit: 'US$', format: formatCost },
};

/** The facets that suggest values. Fields with fixed choices need none. */
const SUGGESTED: Partial<Record<FieldName, Facet | 'session'>> = {
  name: 'name',
  model: 'model',
  session_id: 'session',
  user_id: 'user_id',
  tags: 'tag',
  environment: 'environment',
  release: 'release',
};

/** The filters behind "Add filter". The bar shows the others. */
export const FILTER_KINDS: readonly FilterKind[] = [
  ...FIELD_NAMES.map((name) => {
    const { label, choices } = fieldCondition(name);
    const suggests = SUGGESTED[name];
    return single(name, label, {
      ...(choices === undefined ? { hint: 'exact match' } : { input: { options: choices } }),
      ...(suggests !== undefined && { suggests }),
    });
  }),
  ...TRACE_AMOUNTS.map((amount): FilterKind => {
    const { label, unit } = AMOUNTS[amount];
    const boundField = (bound: string, words: string): FilterField => ({
      name: `${bound}_${amount}`,
      label: `${words} (${unit})`,
      input: 'number',
    });
    return { id: amount, label, fields: [boundField('min', 'at least'), boundField('max', 'at most')] };
  }),
  {
    id: 'metadata',
    label: 'Metadata',
    fields: [
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
    ],
  },
  {
    id: 'score',
    label: 'Score',
    fields: [
      { name: 'score', label: 'name', input: 'text', isRequired: true, suggests: 'score' },
      { name: 'score_is', label: 'is', input: 'text' },
      { name: 'score_below', label: 'below', input: 'number' },
      { name: 'score_above', label: 'above', input: 'number' },
    ],
  },
  {
    id: 'started',
    label: 'Started',
    fields: [
      { name: 'since', label: 'since', input: 'time' },
      { name: 'until', label: 'before', input: 'time' },
    ],
  },
  single('test_run_id', 'Test run', { hint: 'exact id' }),
];

const SHOWN_IN_BAR = ['text', 'trace_function_key', 'status', 'range', 'sort'];
const NAMES = new Set([
  ...SHOWN_IN_BAR,
  ...FILTER_KINDS.filter(({ id }) => id !== 'metadata').flatMap(({ fields }) =>
    fields.map(({ name }) => name),
  ),
]);

/** Reads the filter from an address. Ignores other parameters. */
export function readFilter(parameters: URLSearchParams): TraceFilter {
  return Object.fromEntries(
    [...parameters].filter(([name, value]) => value !== '' && (NAMES.has(name) || name.startsWith(METADATA))),
  );
}

/** A condition of a filter, with values by field name. */
export interface Condition {
  kind: FilterKind;
  values: TraceFilter;
}

/** The conditions outside the bar, in the order of {@link FILTER_KINDS}. */
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
  const amount = TRACE_AMOUNTS.find((name) => name === id);
  const shown = (text: string): string => {
    if (id === 'started') return formatTime(text);
    const number = Number(text);
    return amount !== undefined && text.trim() !== '' && Number.isFinite(number)
      ? AMOUNTS[amount].format(number)
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
