import {
  type CaptureMeta,
  type ErrorRecord,
  SPAN_KINDS,
  SPAN_LEVELS,
  SPAN_STATUSES,
  SPAN_TYPES,
  type UsageRecord,
} from '../../records/span.js';
import type { TraceRecord } from '../../records/trace.js';
import { CALL_CONDITIONS, consistent } from '../conditions/condition-schemas.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, flag, json, list, maybe, object, recorded, type Schema, string } from '../schema/kinds.js';
import { PAGE, page } from './page.js';

/** A stored call with its payload. */
const CALL = {
  trace_id: string(),
  span_id: string(),
  name: string(),
  type: kinds.choice(SPAN_TYPES),
  kind: maybe(kinds.choice(SPAN_KINDS)),
  level: maybe(kinds.choice(SPAN_LEVELS)),
  status: kinds.choice(SPAN_STATUSES),
  started_at: string(),
  duration_ms: maybe(kinds.number()),
  session_id: maybe(string()),
  trace: maybe(
    about(
      'Labels, metadata and contexts of its trace, if it has any. Absent on inner calls.',
      kinds.jsonObject() as Schema<Omit<TraceRecord, 'id'>>,
    ),
  ),
  input: maybe(list(json())),
  output: maybe(json()),
  error: maybe(recorded<ErrorRecord>('ErrorRecord')),
  usage: maybe(recorded<UsageRecord>('UsageRecord')),
  meta: maybe(recorded<CaptureMeta>('CaptureMeta')),
  contexts: maybe(
    about('Only on calls that arrived by OTLP. Absent on inner calls.', list(kinds.jsonObject())),
  ),
};

const DESCENDANT = about(
  'An inner call at any depth, with its payload.',
  object({ ...CALL, parent_id: string(), trace_function_key: string() }),
);

/** A call with its inner calls. */
export const CALL_TREE = object({
  ...CALL,
  descendants: maybe(about('Sorted by start. Present only if requested.', list(DESCENDANT))),
  descendants_cursor: maybe(
    about('Cursor for the remaining inner calls. Absent if there are none.', string()),
  ),
});

const CALLS = { scope: 'read', tag: 'Reading' } as const;

export const calls = {
  search: route({
    ...CALLS,
    method: 'POST',
    path: '/api/v1/calls/search',
    summary:
      'Finds stored calls with a key, with their payloads. A page may be short or empty after a long scan: continue with `next_cursor`.',
    body: consistent(
      object({
        ...CALL_CONDITIONS,
        ...PAGE,
        trace_function_key: kinds.label(),
        descendants: maybe(about('Includes the inner calls of each call.', flag())),
      }),
    ),
    answer: page(CALL_TREE),
  }),
  listDescendants: route({
    ...CALLS,
    method: 'GET',
    path: '/api/v1/traces/:id/spans/:span_id/descendants',
    summary: 'Lists the calls inside a call, sorted by start.',
    query: PAGE,
    answer: page(DESCENDANT),
  }),
};

export type SearchCallsRequest = Input<typeof calls.search>;
export type RecordedCallTree = Answer<typeof calls.search>['items'][number];
export type RecordedCall = Omit<RecordedCallTree, 'descendants' | 'descendants_cursor'>;
export type RecordedDescendant = Answer<typeof calls.listDescendants>['items'][number];
