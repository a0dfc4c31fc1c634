import * as v from 'valibot';
import { LIMITS } from '../../limits.js';
import { AUTHOR_KINDS, type BaselineScore } from '../../records/score.js';
import type { CaptureMeta, ErrorRecord } from '../../records/span.js';
import {
  ITEM_FLAGS,
  type ItemModelCalls,
  type ItemUsage,
  TEST_RUN_STATUSES,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunItemSummary,
  VERDICTS,
} from '../../records/test-run.js';
import { LIST_CONDITIONS } from '../conditions/condition-schemas.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import {
  about,
  choice,
  flag,
  json,
  label,
  list,
  maybe,
  object,
  recorded,
  string,
  text,
  uuid,
  whole,
  yes,
} from '../schema/kinds.js';
import { CALL_TREE } from './calls.js';
import { DATASET_ITEM } from './datasets.js';
import { PAGE, page } from './page.js';
import { REFUSED_ENTRY } from './refused-entry.js';
import { compare } from './run-comparison.js';
import { compareAll } from './run-grid.js';
import { SELECTION } from './selection.js';
import { BASELINE, TEST_RUN } from './test-run-record.js';

/** Reasons for which a reporter skipped items. */
const MOST_REASONS = 100;

const ITEM = recorded<TestRunItemRecord>('TestRunItemRecord');
const ITEM_SUMMARY = recorded<TestRunItemSummary>('TestRunItemSummary');

const CREATE = object({
  trace_function_key: label(),
  name: maybe(label()),
  selection: maybe(
    about(
      'Which recorded calls are replayed. The service resolves and stores it immediately. Absent: the client supplies the items.',
      SELECTION,
    ),
  ),
  dataset: maybe(
    about(
      'Replays the items of a dataset instead of a selection. Default of `version`: the latest.',
      object({ name: label(), version: maybe(whole()) }),
    ),
  ),
  baseline: maybe(
    about(
      'Default: `recording`. The service resolves it immediately; outcomes accepted later apply to later runs.',
      BASELINE,
    ),
  ),
  repeat: maybe(about('Runs per item. Default: 1.', whole(1, LIMITS.repetitions))),
  rescore_of: maybe(
    about(
      'The id of a finished run whose stored outcomes are scored again. The new run inherits its key, selection, dataset, baseline and repetitions, so these must be absent, and `trace_function_key` is ignored.',
      uuid(),
    ),
  ),
});

const OUTCOME = object({
  output: maybe(about('With `error`: what a stream yielded before it failed.', json())),
  error: maybe(recorded<ErrorRecord>('ErrorRecord')),
  meta: maybe(
    about(
      "`output`: notes on `output`. `stream`: kind and length of a stream, and a generator's return value.",
      recorded<CaptureMeta>('CaptureMeta'),
    ),
  ),
  usage: maybe(recorded<ItemUsage>('ItemUsage')),
  model_calls: maybe(recorded<ItemModelCalls>('ItemModelCalls')),
  duration_ms: maybe(kinds.number()),
  accepted: maybe(about('A person accepted this outcome.', yes())),
});

const SELECTED = object({
  item_no: whole(),
  trace_id: maybe(
    about(
      'Absent if a dataset item was not copied from a call, or if the selected call was deleted.',
      string(),
    ),
  ),
  call: maybe(
    about('Absent if the trace holds no call with the key, or the call can no longer be read.', CALL_TREE),
  ),
  dataset_item: maybe(
    about(
      'In a run over a dataset. Absent if the item was erased or the dataset was deleted; its source call is then absent, too.',
      DATASET_ITEM,
    ),
  ),
  baseline: maybe(
    about(
      'What the item is compared with, if not the recording. With the baseline `accepted` it is absent if no outcome was accepted, and the recording counts; an accepted outcome that was erased is present with an unknown output. With a test run as the baseline it is absent if that run has no such item.',
      OUTCOME,
    ),
  ),
});

const SUMMARY = v.pipe(
  kinds.jsonObject(),
  v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
    const bytes = typed ? new TextEncoder().encode(JSON.stringify(value)).length : 0;
    if (bytes > LIMITS.summaryBytes)
      addIssue({ message: `must have at most ${LIMITS.summaryBytes} bytes as JSON, not ${bytes}` });
  }),
);

const FINISH = object({
  status: maybe(
    about(
      '`interrupted`: it stopped early and can be resumed. Default: `finished`.',
      choice(['finished', 'interrupted']),
    ),
  ),
  expected_items: maybe(about('Total number of items, for a run without a selection.', whole())),
  skipped: maybe(
    about(
      'Skipped items by reason, such as items that the service rejected.',
      v.pipe(
        kinds.record(whole()),
        v.transform((counts) => Object.fromEntries(Object.entries(counts).slice(0, MOST_REASONS))),
      ),
    ),
  ),
  summary: maybe(about("Figures and the gate's decision. The service returns it unchanged.", SUMMARY)),
});

const REPETITION = { repetition: maybe(about('Which repetition of the item. Default: 0.', whole())) };
const ITEM_NO = { parameters: { item_no: whole() } };

const READ = { method: 'GET', scope: 'read', tag: 'Test runs' } as const;
const WRITE = { method: 'POST', scope: 'replay', tag: 'Test runs' } as const;

const { score, score_is, score_below, score_above } = LIST_CONDITIONS;

export const testRuns = {
  create: route({
    ...WRITE,
    path: '/api/v1/test-runs',
    summary: 'Starts a test run and selects its calls.',
    body: CREATE,
    answer: TEST_RUN,
    status: 201,
  }),
  list: route({
    ...READ,
    path: '/api/v1/test-runs',
    summary: 'Lists test runs, newest first.',
    query: { trace_function_key: maybe(about('Runs with this key.', string())), ...PAGE },
    answer: page(TEST_RUN),
  }),
  get: route({
    ...READ,
    path: '/api/v1/test-runs/:id',
    summary: 'A test run with its totals.',
    answer: TEST_RUN,
  }),
  compare,
  compareAll,
  listCalls: route({
    ...READ,
    path: '/api/v1/test-runs/:id/calls',
    summary: 'Lists the calls of a run in order. Large payloads shorten a page.',
    query: {
      left: maybe(about('Only items without a report. Default: false.', flag())),
      descendants: maybe(about('Includes the inner calls of each call. Default: false.', flag())),
      ...PAGE,
    },
    answer: page(SELECTED),
  }),
  report: route({
    ...WRITE,
    path: '/api/v1/test-runs/:id/items',
    summary: 'Reports items, which also counts as a heartbeat. Each item is accepted or rejected on its own.',
    body: object({
      items: about(
        `At most ${LIMITS.reportedItems}. Lists and texts that are too long are cut, not rejected.`,
        list(recorded<TestRunItemReport>('TestRunItemReport')),
      ),
    }),
    isDeep: true,
    answer: object({
      accepted: whole(),
      rejected: list(
        object({
          ...REFUSED_ENTRY.entries,
          item_no: maybe(about('Absent if it is missing or invalid.', whole())),
        }),
      ),
    }),
    conflict: 'The run is finished.',
  }),
  listItems: route({
    ...READ,
    path: '/api/v1/test-runs/:id/items',
    summary: 'Lists the items of a run in their order, without payloads.',
    query: {
      verdict: maybe(about('Items with this verdict.', choice(VERDICTS))),
      flag: maybe(about('Items with this flag.', choice(ITEM_FLAGS))),
      new_trace_id: maybe(about('The item whose replay made this trace.', string())),
      accepted: maybe(about('Whether the new outcome was accepted.', flag())),
      judged: maybe(about('Whether a person judged the item, or a decision ignores how it differs.', flag())),
      payloads: maybe(about('With inputs and outputs. Default: false.', flag())),
      worst_first: maybe(
        about(
          'New errors first, then other errors, changes, lower scores, what cannot be compared, and different calls inside. Default: by number.',
          flag(),
        ),
      ),
      score,
      score_is,
      score_below,
      score_above,
      ...PAGE,
    },
    answer: page(v.union([ITEM_SUMMARY, ITEM])),
  }),
  getItem: route({
    ...READ,
    ...ITEM_NO,
    path: '/api/v1/test-runs/:id/items/:item_no',
    summary: 'One item with its payloads.',
    query: REPETITION,
    answer: ITEM,
  }),
  baselineScores: route({
    ...READ,
    path: '/api/v1/baseline-scores',
    summary: 'Scores that later runs reuse: only the newest score of each evaluator and version.',
    query: { hash: about('The `baseline_hash` of an item.', kinds.sha256()) },
    answer: object({ scores: list(recorded<BaselineScore>('BaselineScore')) }),
  }),
  accept: route({
    ...WRITE,
    ...ITEM_NO,
    path: '/api/v1/test-runs/:id/items/:item_no/accept',
    summary: 'Accepts the new outcome of an item: later runs expect it.',
    body: object({
      author: maybe(about('Default: the account.', object({ kind: choice(AUTHOR_KINDS), name: label() }))),
      note: maybe(text(LIMITS.explanationLength)),
      repetition: maybe(about('Default: 0.', whole(0, LIMITS.repetitions))),
    }),
    answer: ITEM,
    conflict: 'The item has no new outcome that can be accepted, or it is not stored yet.',
  }),
  takeBack: route({
    ...WRITE,
    ...ITEM_NO,
    method: 'DELETE',
    path: '/api/v1/test-runs/:id/items/:item_no/accept',
    summary: 'Undoes an acceptance.',
    query: REPETITION,
  }),
  beat: route({
    ...WRITE,
    path: '/api/v1/test-runs/:id/heartbeat',
    summary: 'Reports that a run is still running.',
    answer: object({
      status: about('`finished` if another client finished the run.', choice(TEST_RUN_STATUSES)),
    }),
  }),
  resume: route({
    ...WRITE,
    path: '/api/v1/test-runs/:id/resume',
    summary: 'Resumes an interrupted run.',
    answer: TEST_RUN,
    conflict: 'The run is finished.',
  }),
  finish: route({
    ...WRITE,
    path: '/api/v1/test-runs/:id/finish',
    summary: 'Ends a run. A finished run does not change.',
    body: FINISH,
    answer: TEST_RUN,
  }),
};

export type CreateTestRunRequest = Input<typeof testRuns.create>;
export type SelectedCall = Answer<typeof testRuns.listCalls>['items'][number];
export type BaselineOutcome = NonNullable<SelectedCall['baseline']>;
export type AcceptItemRequest = Omit<Input<typeof testRuns.accept>, 'id' | 'item_no'>;
export type ReportTestRunItemsAnswer = Answer<typeof testRuns.report>;
export type RejectedItem = ReportTestRunItemsAnswer['rejected'][number];
export type FinishTestRunRequest = Omit<Input<typeof testRuns.finish>, 'id'>;
