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
   * Which recorded calls are replayed. The service resolves and stores it immediately; {@link ROUTES.testRunCalls} returns the
   * calls. Absent: the client supplies the items.
   */
  selection?: CallSelection;
  /** Replays the items of a dataset instead of a selection. Default of `version`: the latest. */
  dataset?: { name: string; version?: number };
  /** Default: `recording`. The service resolves it immediately; outcomes accepted later apply to later runs. */
  baseline?: Baseline;
  /** Runs per item, 1 to `LIMITS.repetitions`. Default: 1. */
  repeat?: number;
  /**
   * The id of a finished run whose stored outcomes are scored again. The new run inherits its key, selection, dataset, baseline and
   * repetitions, so these must be absent, and `trace_function_key` is ignored.
   */
  rescore_of?: string;
}

/**
 * `GET` {@link ROUTES.testRunCalls}: the run's selection in order, page by page. Query: `limit` (1 to 200, default 50) and
 * `cursor`; `left=true`, only items without a report; `descendants=true`, with inner calls. Large payloads shorten a page.
 */
export interface SelectedCall {
  item_no: number;
  /** Absent if a dataset item was not copied from a call, or if the selected call was deleted. */
  trace_id?: string;
  /** Absent if the trace holds no call with the key, or the call can no longer be read. */
  call?: RecordedCallTree;
  /** In a run over a dataset. Absent if the item was erased or the dataset was deleted; its source call is then absent, too. */
  dataset_item?: DatasetItem;
  /**
   * What the item is compared with, if not the recording. With the baseline `accepted` it is absent if no outcome was accepted, and
   * the recording counts; an accepted outcome that was erased is present with an unknown output. With a test run as the baseline
   * it is absent if that run has no such item.
   */
  baseline?: BaselineOutcome;
}

/** A baseline outcome that is not the recording. */
export interface BaselineOutcome {
  /** With `error`: what a stream yielded before it failed. */
  output?: JsonValue;
  error?: ErrorRecord;
  /** `output`: notes on `output`. `stream`: kind and length of a stream, and a generator's return value. */
  meta?: CaptureMeta;
  usage?: ItemUsage;
  model_calls?: ItemModelCalls;
  duration_ms?: number;
  /** A person accepted this outcome. */
  accepted?: true;
}

/**
 * `POST` {@link ROUTES.acceptTestRunItem}: a person accepts the item's new outcome, which later runs expect from its call.
 * Returns the item. `DELETE` revokes the acceptance, with `repetition` as an optional query parameter.
 */
export interface AcceptItemRequest {
  /** Default: the account. */
  author?: Author;
  note?: string;
  /** Default: 0. */
  repetition?: number;
}

/** `POST` {@link ROUTES.testRunItems}: at most `LIMITS.reportedItems`. It also counts as a heartbeat. */
export interface ReportTestRunItemsRequest {
  items: TestRunItemReport[];
}

/** A rejected item does not affect the others. Lists and texts that are too long are cut, not rejected. */
export interface ReportTestRunItemsAnswer {
  accepted: number;
  rejected: RejectedItem[];
}

export interface RejectedItem extends RefusedEntry {
  /** Absent if it is missing or invalid. */
  item_no?: number;
}

/**
 * Response of `GET` {@link ROUTES.baselineScores} with the query parameter `hash`: versioned scores of items with this
 * `baseline_hash` in all runs of the account. Only the newest score of each evaluator and version.
 */
export interface BaselineScoresAnswer {
  scores: BaselineScore[];
}

/** Response of `POST` {@link ROUTES.testRunHeartbeat} with the body `{}`. */
export interface TestRunHeartbeatAnswer {
  /** The current status: `running`, or `finished` if another client finished the run. */
  status: TestRunStatus;
}

/**
 * `POST` {@link ROUTES.finishTestRun}. All fields are optional. A finished run does not change. `POST`
 * {@link ROUTES.resumeTestRun} with the body `{}` resumes an interrupted run, and responds with 409 for a finished one. Both
 * return the run.
 */
export interface FinishTestRunRequest {
  /** `interrupted`: it stopped early and can be resumed. Default: `finished`. */
  status?: 'finished' | 'interrupted';
  /** Total number of items, for a run without a selection. */
  expected_items?: number;
  /** Skipped items by reason, such as items that the service rejected. */
  skipped?: Record<string, number>;
  /** Figures and the gate's decision. At most `LIMITS.summaryBytes` as JSON; the service returns it unchanged. */
  summary?: JsonObject;
}
