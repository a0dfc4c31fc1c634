import { FACETS, type SpanDetail, type SpanSummary } from '../../http/traces.js';
import { LIMITS } from '../../limits.js';
import type { ScoreRecord } from '../../records/score.js';
import { SPAN_STATUSES, SPAN_TYPES, type SpanLink, type StartedBy } from '../../records/span.js';
import { TRACE_SORTS } from '../conditions/amounts.js';
import { LIST_CONDITIONS } from '../conditions/condition-schemas.js';
import { type Answer, type Input, route } from '../route.js';
import {
  about,
  choice,
  json,
  jsonObject,
  list,
  maybe,
  number,
  object,
  record,
  recorded,
  string,
  whole,
  yes,
} from '../schema/kinds.js';
import { items, PAGE, page } from './page.js';

const USAGE = object({
  model_calls: about('Number of counted model calls.', whole()),
  input_tokens: maybe(number()),
  output_tokens: maybe(number()),
  cost_usd: maybe(about('In US dollars. Absent if no price is known.', number())),
  unpriced_calls: maybe(
    about('Calls without a known price, which `cost_usd` excludes. Absent if all have one.', whole()),
  ),
});

const PREVIEWS = {
  input_preview: maybe(string()),
  output_preview: maybe(string()),
  error_preview: maybe(about("The beginning of the error's name and message.", string())),
};

const SNIPPET = object({
  field: choice(['error', 'output', 'input', 'prompt', 'name']),
  text: about('A piece of one text of the field, with `…` where it is cut.', string()),
  marks: about('Start and end of each match in `text`, in UTF-16 code units.', list(list(whole()))),
});

const FIRST_CALL = object({
  id: string(),
  trace_function_key: string(),
  name: string(),
  type: choice(SPAN_TYPES),
  status: choice(SPAN_STATUSES),
  ...PREVIEWS,
  snippet: maybe(
    about(
      'Only in a text search: where the text matches. Absent if the payloads of the page are too large to look.',
      SNIPPET,
    ),
  ),
});

const SUMMARY = {
  id: string(),
  session_id: maybe(string()),
  user_id: maybe(string()),
  environment: maybe(string()),
  release: maybe(string()),
  tags: maybe(about('In alphabetical order.', list(string()))),
  trace_function_key: string(),
  name: string(),
  type: choice(SPAN_TYPES),
  status: choice(SPAN_STATUSES),
  started_at: string(),
  ended_at: maybe(string()),
  duration_ms: maybe(number()),
  span_count: whole(),
  error_count: whole(),
  tokens: maybe(
    about('Input and output tokens of its counted model calls. Absent if none reported any.', number()),
  ),
  cost_usd: maybe(
    about('Their cost in US dollars, as far as prices are known. Absent if no price is known.', number()),
  ),
  ...PREVIEWS,
  first_call: maybe(
    about(
      'Only in lists, if the root does not describe the trace: the first call that matches the conditions on calls, such as key, status and text, or without any the first call inside a request. An error that passed through its callers is shown where it began.',
      FIRST_CALL,
    ),
  ),
  test_run_id: maybe(string()),
  usage: maybe(
    about(
      'Usage of its counted model calls: `llm` spans without an `llm` span with usage below them. In lists it may lag behind the latest records. Absent if no call reported usage.',
      USAGE,
    ),
  ),
};

const USUAL_DURATION = object({
  calls: about('Number of the calls, with those that have not ended.', whole()),
  p50_ms: number(),
  p95_ms: number(),
});

const READING = { method: 'GET', scope: 'read', tag: 'Reading' } as const;

const { score, score_is, score_below, score_above } = LIST_CONDITIONS;

export const traces = {
  list: route({
    ...READING,
    path: '/api/v1/traces',
    summary: 'Lists traces, newest first unless `sort` says otherwise.',
    query: {
      ...LIST_CONDITIONS,
      sort: maybe(
        about(
          '`time`: newest first; `oldest`: oldest first; else largest first, and traces without the amount come last. Default: `time`.',
          choice(TRACE_SORTS),
        ),
      ),
      ...PAGE,
    },
    answer: object({
      ...page(object(SUMMARY)).entries,
      text_indexed_until: maybe(
        about(
          'In a text search: records received since then may be missing for a few seconds. Absent: nothing is missing.',
          string(),
        ),
      ),
      text_cut: maybe(
        about(
          'In a text search: how many spans of the account have longer texts. Words after this many characters of a field are not found.',
          object({ spans: whole(), after_characters: whole() }),
        ),
      ),
    }),
  }),
  export: route({
    ...READING,
    path: '/api/v1/export',
    summary: 'Streams traces with all their data, newest first.',
    query: {
      ...LIST_CONDITIONS,
      cursor: maybe(
        about('The `cursor` of the last line that you have. It holds the filters and comes alone.', string()),
      ),
    },
    answerStream: {
      type: 'application/x-ndjson',
      text:
        'Lines that an ingest accepts. The last line of each trace has a `cursor` next to its record: pass it to continue an export. ' +
        'A stream that breaks off ends without its last chunk.',
    },
  }),
  watch: route({
    ...READING,
    path: '/api/v1/live',
    summary: 'Sends an event when traces or scores were stored.',
    query: { seconds: maybe(about('How long the stream stays open. Default: 60.', whole(0, 60))) },
    answerStream: {
      type: 'text/event-stream',
      text:
        'Server-sent events named `change`, at most one a second. When the stream ends, connect again. An account may have 32 streams ' +
        'open. Several collectors on one database send an event every three seconds.',
    },
  }),
  get: route({
    ...READING,
    path: '/api/v1/traces/:id',
    summary: 'A trace and its spans, without payloads.',
    query: {
      limit: maybe(about(`Spans of a page. Default: ${LIMITS.spansOfTrace}.`, whole(1, LIMITS.spansOfTrace))),
      cursor: PAGE.cursor,
    },
    answer: object({
      ...SUMMARY,
      started_by: maybe(
        about(
          'The already ended span in whose context the trace began, from its root.',
          recorded<StartedBy>('StartedBy'),
        ),
      ),
      links: maybe(
        about(
          `Spans of other services that requested its work, from its root, at most ${LIMITS.links}.`,
          list(recorded<SpanLink>('SpanLink')),
        ),
      ),
      metadata: jsonObject(),
      contexts: record(json()),
      spans: about('One page of spans, sorted by start.', list(recorded<SpanSummary>('SpanSummary'))),
      next_cursor: maybe(about('Cursor of the next page of spans. Absent on the last page.', string())),
      usual_durations: maybe(
        about(
          'Only on the first page: how long recorded calls of its keys took on the day of the trace and the seven days before, by key. It may lag behind the latest records. Keys without ended calls are absent, and of more than 20 keys those with shorter spans.',
          record(USUAL_DURATION),
        ),
      ),
      scores: maybe(
        about(
          `Scores of the trace and its spans: the latest for each name and author, newest first, at most ${LIMITS.scores}.`,
          list(recorded<ScoreRecord>('ScoreRecord')),
        ),
      ),
    }),
  }),
  getSpan: route({
    ...READING,
    path: '/api/v1/traces/:id/spans/:span_id',
    summary: 'One span with its payload.',
    answer: recorded<SpanDetail>('SpanDetail'),
  }),
  listKeys: route({
    ...READING,
    path: '/api/v1/trace-function-keys',
    summary: 'Lists trace function keys.',
    answer: items(object({ trace_function_key: string(), span_count: whole(), last_started_at: string() })),
  }),
  listFacets: route({
    ...READING,
    path: '/api/v1/facets',
    summary: 'Lists values for filters, in the form that the filters accept.',
    query: {
      of: about(
        'Names and models of spans, labels and tags of traces, paths and values of metadata, names of scores.',
        choice(FACETS),
      ),
      path: maybe(
        about('For `metadata_value`: a path in the metadata, such as `tier` or `user.plan`.', string()),
      ),
      prefix: maybe(about('Only values that begin with this.', string())),
      limit: PAGE.limit,
    },
    answer: object({
      items: about(
        'Values of the newest traces first; names of scores in alphabetical order.',
        list(string()),
      ),
      has_more: maybe(about('There are more values: narrow them down with `prefix`.', yes())),
    }),
  }),
  listSessions: route({
    ...READING,
    path: '/api/v1/sessions',
    summary: 'Lists sessions, newest first.',
    query: { score, score_is, score_below, score_above, ...PAGE },
    answer: page(
      object({
        session_id: string(),
        trace_count: whole(),
        first_started_at: string(),
        last_started_at: string(),
      }),
    ),
  }),
};

export type TracesRequest = Input<typeof traces.list>;
export type TracePage = Answer<typeof traces.list>;
export type TraceSummary = TracePage['items'][number];
export type FirstCall = NonNullable<TraceSummary['first_call']>;
export type Snippet = NonNullable<FirstCall['snippet']>;
export type TraceUsage = NonNullable<TraceSummary['usage']>;
export type TraceDetail = Answer<typeof traces.get>;
export type UsualDuration = NonNullable<TraceDetail['usual_durations']>[string];
export type TraceFunctionKeySummary = Answer<typeof traces.listKeys>['items'][number];
export type FacetValues = Answer<typeof traces.listFacets>;
export type SessionSummary = Answer<typeof traces.listSessions>['items'][number];
