import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { DatasetItem } from '../records/dataset.js';
import type { Author, BaselineScore } from '../records/score.js';
import type { CaptureMeta, ErrorRecord } from '../records/span.js';
import type { CallSelection } from '../records/call-selection.js';
import type {
  Baseline,
  ItemModelCalls,
  ItemUsage,
  TestRunItemReport,
  TestRunStatus,
} from '../records/test-run.js';
import type { RefusedEntry } from './answers.js';
import type { RecordedCallTree } from './calls.js';

/** `POST` {@link ROUTES.testRuns}. */
export interface CreateTestRunRequest {
  trace_function_key: string;
  name?: string;
  /**
   * Which calls are played. The service resolves it at once and keeps it: {@link ROUTES.testRunCalls} gives the calls.
   * Absent: the reporter brings its items itself.
   */
  selection?: CallSelection;
  /** Plays the items of a dataset in place of a selection; its latest version when `version` is absent. */
  dataset?: { name: string; version?: number };
  /** `recording` when absent. The service resolves it at once: what is accepted later is for later runs. */
  baseline?: Baseline;
  /** How often each item is played: 1, the default, to `LIMITS.repetitions`. */
  repeat?: number;
  /**
   * The id of a finished run whose stored outcomes are judged again. The new run has its key, selection, dataset, baseline and
   * repetitions, so that these must be absent beside it; `trace_function_key` is then not read.
   */
  rescore_of?: string;
}

/**
 * `GET` {@link ROUTES.testRunCalls}: the run's selection, page by page, in its order. Query: `limit` (1 to 200; 50 when
 * absent) and `cursor`; `left=true`, only items that no repetition was reported of; `descendants=true`, with the calls
 * inside each. A page of great payloads ends early.
 */
export interface SelectedCall {
  item_no: number;
  /** Absent of a dataset's item that was copied from no call, and where the selected call was deleted. */
  trace_id?: string;
  /** Absent when the trace holds no call of the key, or the call cannot be read any more. */
  call?: RecordedCallTree;
  /** Of a run over a dataset. Absent when it was erased, or the dataset was deleted meanwhile; so is the call it was made of. */
  dataset_item?: DatasetItem;
  /**
   * What the item is compared with, where that is not the recording. Under the baseline `accepted` it is absent when nothing
   * was accepted for the call, and the recording counts; what was accepted and erased since is not known. Under a test run it is absent when that has no such item.
   */
  baseline?: BaselineOutcome;
}

/** How a call ended, by another source than its recording. */
export interface BaselineOutcome {
  /** Beside `error`: what a stream yielded before it failed. */
  output?: JsonValue;
  error?: ErrorRecord;
  /** Notes on `output` are in `meta.output`, the kind and length of a stream and what a generator returned in `meta.stream`. */
  meta?: CaptureMeta;
  usage?: ItemUsage;
  model_calls?: ItemModelCalls;
  duration_ms?: number;
  /** A person accepted it. */
  accepted?: true;
}

/**
 * `POST` {@link ROUTES.acceptTestRunItem}: a person accepts the item's new outcome, which is expected of its call from then
 * on. Answers with the item. `DELETE` takes it back; its query may have `repetition`.
 */
export interface AcceptItemRequest {
  /** The account itself when absent. */
  author?: Author;
  note?: string;
  /** 0 when absent. */
  repetition?: number;
}

/** `POST` {@link ROUTES.testRunItems}: at most `LIMITS.reportedItems`. It is a sign of life, too. */
export interface ReportTestRunItemsRequest {
  items: TestRunItemReport[];
}

/** A refused item never harms its neighbours. Lists that are too long and texts that are too long are cut, not refused. */
export interface ReportTestRunItemsAnswer {
  accepted: number;
  rejected: RejectedItem[];
}

export interface RejectedItem extends RefusedEntry {
  /** Absent when it has none that can be read. */
  item_no?: number;
}

/**
 * The answer to `GET` {@link ROUTES.baselineScores}, whose query is `hash`: scores with a `version` of items with this `baseline_hash`,
 * in whatever run of the account. Of one evaluator and version the newest alone.
 */
export interface BaselineScoresAnswer {
  scores: BaselineScore[];
}

/** The answer to `POST` {@link ROUTES.testRunHeartbeat}, whose body is `{}`. */
export interface TestRunHeartbeatAnswer {
  /** What it is now: `running`, or `finished` when somebody finished it. */
  status: TestRunStatus;
}

/**
 * `POST` {@link ROUTES.finishTestRun}. Every field may be absent. A finished run stays as it is. `POST`
 * {@link ROUTES.resumeTestRun}, whose body is `{}`, resumes an interrupted run; a finished one answers 409. Both answer with the
 * run.
 */
export interface FinishTestRunRequest {
  /** `interrupted`: it stopped early and may be resumed. `finished` when absent. */
  status?: 'finished' | 'interrupted';
  /** How many items there are in all; of a run without a selection. */
  expected_items?: number;
  /** What was left out, by reason, such as items that the service refused. */
  skipped?: Record<string, number>;
  /** What the run came to: its figures and the gate's decision. At most `LIMITS.summaryBytes` as JSON; given back as it is. */
  summary?: JsonObject;
}
