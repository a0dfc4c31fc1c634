import {
  FACETS,
  FIELD_NAMES,
  fieldCondition,
  ITEM_FLAGS,
  LIMITS,
  PAIR_RELATIONS,
  SPAN_STATUSES,
  TRACE_AMOUNTS,
  TRACE_SORTS,
  VERDICTS,
} from '@dacapo/protocol';

/**
 * What a name in a query takes, as JSON Schema says it: it is checked by this, and the OpenAPI document tells it. An integer and
 * a number are written in decimals, a boolean as `true` or `false`.
 */
export interface QueryParameter {
  type: 'string' | 'integer' | 'number' | 'boolean';
  description: string;
  enum?: readonly string[];
  /** The name may stand several times. */
  isList?: true;
  minimum?: number;
  maximum?: number;
  default?: string | number | boolean;
}

export type QueryParameters = Readonly<Record<string, QueryParameter>>;

const text = (description: string): QueryParameter => ({ type: 'string', description });
const flag = (description: string): QueryParameter => ({ type: 'boolean', description, default: false });

const PAGE = {
  limit: { type: 'integer', description: 'Items of a page.', minimum: 1, maximum: 200, default: 50 },
  cursor: text('The `next_cursor` of the page before.'),
} satisfies QueryParameters;

const SCORE = {
  score: text('The name of a score that the listed things have.'),
  score_is: text('That score is this: a text, a number, `true` or `false`.'),
  score_below: { type: 'number', description: 'That score is lower than this.' },
  score_above: { type: 'number', description: 'That score is higher than this.' },
} satisfies QueryParameters;

/** `min_duration_ms`, `max_duration_ms`, and so on. */
const AMOUNTS = Object.fromEntries(
  TRACE_AMOUNTS.flatMap((amount): [string, QueryParameter][] => [
    [
      `min_${amount}`,
      { type: 'number', description: `Traces whose \`${amount}\` is at least this.`, minimum: 0 },
    ],
    [
      `max_${amount}`,
      { type: 'number', description: `Traces whose \`${amount}\` is at most this.`, minimum: 0 },
    ],
  ]),
);

const REPETITION: QueryParameter = {
  ...{ type: 'integer', description: 'Which repetition of the item.', minimum: 0, default: 0 },
};

/** `user_id`, `kind`, and so on. */
const FIELDS = Object.fromEntries(
  FIELD_NAMES.map((name): [string, QueryParameter] => {
    const { of, text: what, choices, isList } = fieldCondition(name);
    const ofKey =
      of === 'span' ? '; under a key, such a call of it. All conditions on a span are asked of one span' : '';
    return [
      name,
      {
        ...text(`Traces ${of === 'span' ? 'with a span ' : ''}${what}${ofKey}.`),
        ...(choices !== undefined && { enum: choices }),
        ...(isList === true && { isList }),
      },
    ];
  }),
);

/** Which traces. */
const TRACES = {
  trace_function_key: text('Traces that hold a call of this key.'),
  ...FIELDS,
  status: { type: 'string', description: 'The worst status of the spans.', enum: SPAN_STATUSES },
  since: text('Traces that started then or later: ISO 8601, in UTC.'),
  until: text('Traces that started before.'),
  test_run_id: text('Traces that this test run made.'),
  replays: {
    ...{ type: 'string', description: 'Whether traces of test runs are listed, too.' },
    ...{ enum: ['include', 'exclude'], default: 'include' },
  },
  text: text(
    'Traces with a span that has all of these words in its name, input, output, error and prompt: `refund "too late" parc*` has a ' +
      'phrase and the beginning of a word. Under a key, in a call of it.',
  ),
  ...AMOUNTS,
  'metadata.*': text(
    'Traces whose metadata has this value at the path that is named: `metadata.tier=gold`, `metadata.user.plan=pro`. `5` is the ' +
      'number and the text, `"5"` the text alone.',
  ),
  ...SCORE,
} satisfies QueryParameters;

/** What each list, and each thing, is asked with. */
export const QUERIES = {
  page: PAGE,
  traces: {
    ...TRACES,
    sort: {
      ...{ type: 'string', description: 'The newest first, or those with the most.' },
      ...{ enum: TRACE_SORTS, default: 'time' },
    },
    ...PAGE,
  },
  trace: {
    limit: {
      ...{ type: 'integer', description: 'Spans of a page.' },
      ...{ minimum: 1, maximum: LIMITS.spansOfTrace, default: LIMITS.spansOfTrace },
    },
    cursor: PAGE.cursor,
  },
  export: {
    ...TRACES,
    cursor: text(
      'The `cursor` of the last line that you have: what comes behind it. It holds the filters and comes alone.',
    ),
  },
  metrics: {
    since: text(
      'Calls that started in this hour or later: ISO 8601, in UTC. Seven days before `until` when absent.',
    ),
    until: text('Calls that started before; now when absent.'),
    bucket: {
      ...{ type: 'string', description: 'Rows of each hour or day; of all of the time when absent.' },
      enum: ['hour', 'day'],
    },
    trace_function_key: text('Calls of this key; of every key when absent.'),
    of: {
      ...{ type: 'string', description: 'Calls by their keys, or whole traces.' },
      ...{ enum: ['keys', 'traces'], default: 'keys' },
    },
    replays: {
      ...{ type: 'string', description: 'Whether what test runs played counts.' },
      ...{ enum: ['exclude', 'include', 'only'], default: 'exclude' },
    },
  },
  facets: {
    of: { type: 'string', description: 'What the values are of.', enum: FACETS },
    path: text('Of `metadata_value`: where in the metadata, such as `tier` or `user.plan`.'),
    prefix: text('Only values that begin with this.'),
    limit: PAGE.limit,
  },
  sessions: { ...SCORE, ...PAGE },
  scores: {
    trace_id: text('Scores of this trace and its spans.'),
    span_id: text('Scores of this span; needs `trace_id`.'),
    session_id: text('Scores of this session.'),
    test_run_id: text('Scores of items of this test run.'),
    item_no: { type: 'integer', description: 'Scores of this item; needs `test_run_id`.', minimum: 0 },
    name: text('Scores of this name.'),
    author: text('Scores of an author of this name.'),
    history: flag('Not only the latest by target, name and author.'),
    ...PAGE,
  },
  datasetItems: {
    not_in: { type: 'integer', description: 'A version: only items that it does not have.', minimum: 0 },
    ...PAGE,
  },
  testRuns: { trace_function_key: text('Runs of this key.'), ...PAGE },
  testRunCalls: {
    left: flag('Only items that no repetition was reported of.'),
    descendants: flag('With the calls inside each.'),
    ...PAGE,
  },
  testRunItems: {
    verdict: { type: 'string', description: 'Items of this verdict.', enum: VERDICTS },
    flag: { type: 'string', description: 'Items of which this is true.', enum: ITEM_FLAGS },
    new_trace_id: text('The item whose replay made this trace.'),
    accepted: { type: 'boolean', description: 'Whether the new outcome was accepted.' },
    payloads: flag('With inputs and outputs.'),
    worst_first: flag(
      'New errors first, then other errors, changes, lower scores, what cannot be compared, and different calls inside. Default: by number.',
    ),
    ...SCORE,
    ...PAGE,
  },
  compareTestRun: {
    with: text('The run to compare with.'),
    relation: {
      type: 'string',
      description: 'Items with this result of the comparison.',
      enum: PAIR_RELATIONS,
    },
    ...PAGE,
  },
  baselineScores: {
    hash: text('The `baseline_hash` of an item: SHA-256 in lower-case hex.'),
  },
  repetition: { repetition: REPETITION },
} satisfies Record<string, QueryParameters>;
