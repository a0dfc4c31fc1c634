import type * as v from 'valibot';
import type { Author } from '../../records/score.js';
import { TEST_RUN_STATUSES } from '../../records/test-run.js';
import * as kinds from '../schema/kinds.js';
import {
  about,
  choice,
  flag,
  list,
  maybe,
  object,
  recorded,
  string,
  uuid,
  whole,
  yes,
} from '../schema/kinds.js';
import { RESOLVED_SELECTION } from './selection.js';

export const BASELINE = kinds.orObject(choice(['recording', 'accepted']), object({ test_run_id: uuid() }));

/** The verdicts and flags that a run counts. Duplicate reports count once; each repetition counts. */
export const TOTALS = object({
  items: whole(),
  same: whole(),
  changed: whole(),
  unknown: whole(),
  error: whole(),
  fixed: about('Of `changed`: the baseline failed, the candidate does not.', whole()),
  failing_as_before: about('Of `same`: fail with the same error as the baseline.', whole()),
  accepted: about(
    'Of `same`: an output that differs from the recording and that a person accepted.',
    whole(),
  ),
  diverged: about('The inner calls differ from the recorded ones, whatever the verdict.', whole()),
  flaky: about('Items (not repetitions) whose repetitions have different verdicts.', whole()),
  new_errors: about('Of `error`: the baseline did not fail, or has no outcome.', whole()),
});

/** Who decided what, and when. */
export const DECIDED = {
  no: about('Counts the decisions of the run from 1.', whole()),
  passed: flag(),
  author: recorded<Author>('Author'),
  decided_at: string(),
};

/** One run of a function over recorded calls or other items. */
export const TEST_RUN = object({
  id: string(),
  trace_function_key: string(),
  name: maybe(string()),
  status: about(
    '`running`: the client sent a heartbeat recently. `interrupted`: it did not, or reported that it stopped early; the next report resumes the run. `finished`: the client finished the run.',
    choice(TEST_RUN_STATUSES),
  ),
  created_at: string(),
  heartbeat_at: about('Time of the latest report or heartbeat.', string()),
  finished_at: maybe(string()),
  totals: TOTALS,
  selection: maybe(about('Absent if the client supplies the items.', RESOLVED_SELECTION)),
  dataset: maybe(
    about(
      'The dataset version whose items are replayed, in dataset order.',
      object({ name: string(), version: whole(), items: whole() }),
    ),
  ),
  baseline: maybe(
    about(
      'What items are compared with: the recorded outcome, the accepted outcome, or the outcome of an earlier run. Default: `recording`.',
      BASELINE,
    ),
  ),
  repeat: maybe(about('Runs per item. Default: 1.', whole())),
  rescore_of: maybe(
    about(
      'The run whose stored outcomes this run scores again. Absent if the items were replayed.',
      string(),
    ),
  ),
  resumes: maybe(about('How often the run was resumed. Absent if never.', whole())),
  ignore: maybe(
    about(
      'Paths that decisions on earlier runs with this key ignore. The client ignores them when it compares outputs. Absent if there are none.',
      list(string()),
    ),
  ),
  passed: maybe(
    about('Whether the gate passed by the latest decision. Absent without a gate or a decision.', flag()),
  ),
  decision: maybe(
    about("A person's latest decision. Absent if only the client decided: see `summary`.", object(DECIDED)),
  ),
  undecided: maybe(
    about(
      'The client reported a pass (`summary.passed`), but the service does not confirm it: the stored results fail the gate, items are missing, or the run has not finished.',
      yes(),
    ),
  ),
  summary: maybe(
    about(
      "The client's final report: the figures and the gate's decision. Absent in lists.",
      kinds.jsonObject(),
    ),
  ),
  expected_items: maybe(
    about(
      'The number of items that the client reported. Absent before that, and with a `selection`.',
      whole(),
    ),
  ),
  skipped: maybe(about('Items that the client skipped, by its reasons.', kinds.record(whole()))),
  url: about("Absolute URL of the run's dashboard page.", string()),
});

export type Baseline = v.InferOutput<typeof BASELINE>;
export type TestRunRecord = v.InferOutput<typeof TEST_RUN>;
export type TestRunTotals = TestRunRecord['totals'];
