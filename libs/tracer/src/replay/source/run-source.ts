import type {
  Baseline,
  BaselineScore,
  JsonObject,
  TestRunItemRecord,
  TestRunItemReport,
  TestRunItemSummary,
  TestRunRecord,
  TestRunTotals,
  UsageRecord,
} from '@dacapo/protocol';
import type { EvaluationItem } from '../../options/evaluate-options.js';
import type { ResolvedRunOptions } from '../../options/run-options.js';
import type { ResolvedSelection } from '../../options/selection-options.js';
import type { PlannedItem } from '../planned-item.js';

/** What a run replays: a dataset, stored calls with a key, or a list. */
export type RunData =
  | { readonly kind: 'dataset'; readonly name: string; readonly version: number | undefined }
  | { readonly kind: 'calls'; readonly key: string; readonly selection: ResolvedSelection }
  /** The stored outcomes of a run, which are not played. */
  | { readonly kind: 'run'; readonly testRunId: string }
  | { readonly kind: 'list'; readonly items: readonly EvaluationItem[] };

export interface RunRequest extends Pick<
  ResolvedRunOptions,
  'name' | 'resume' | 'repeat' | 'baseline' | 'timeoutMs' | 'signal'
> {
  readonly data: RunData;
  /** The key under which the new calls are recorded. */
  readonly key: string;
}

/** Where a run's calls come from and where its results go: all that the replay engine knows of either. */
export interface RunSource {
  /** Where the source is, as `host:port`: replayed code may connect there under `network: 'deny'`. Absent: nowhere. */
  readonly target?: string;

  /**
   * Starts a run, or continues one.
   *
   * @throws what keeps the run from starting, such as a service that does not answer
   */
  open(request: RunRequest): Promise<OpenRun>;

  /** The cost of each usage in US dollars; `null` where the price is not known. @throws when nothing can be asked */
  costs(usages: readonly UsageRecord[]): Promise<readonly (number | null)[]>;

  /** Scores that earlier runs stored of baselines with this `baseline_hash`, the newest first. @throws when nothing can be asked */
  baselineScores(hash: string): Promise<readonly BaselineScore[]>;
}

/** A run that has started. */
export interface OpenRun {
  readonly id: string;
  /** The dashboard's page of this run; empty where no service stores it. */
  readonly url: string;
  /** What the whole run is compared with; absent: the recordings. */
  readonly baseline?: Baseline | undefined;
  /** How often each item is replayed, where the source says so; absent: as requested. */
  readonly repeat?: number;
  /** How many items there are in all. */
  readonly itemCount: number;
  /** How many calls were skipped, by reason. */
  readonly skipped: Readonly<Record<string, number | undefined>>;
  /** The account has no call with the key at all. */
  readonly isUnknownKey: boolean;
  /** The account's key that an unknown one may have meant. */
  readonly similarKey: string | undefined;
  /** How many items were replayed before the run was resumed. */
  readonly playedBefore: number;

  /** The items that an earlier process reported, without their values. Waits until its unsent reports are sent. */
  earlierItems(): AsyncIterable<TestRunItemSummary>;

  /** The items that an earlier process reported, with their values. Waits as `earlierItems`. */
  earlierRecords(): AsyncIterable<TestRunItemRecord>;

  /** The items that may be left to replay, in order. @throws what keeps the next one from being read */
  calls(): Iterator<PlannedItem> | AsyncIterator<PlannedItem>;

  /** Sends an item's outcome, now or soon. Never throws. */
  report(item: TestRunItemReport): void;

  /**
   * Sends what is left, and asks what the source has received. Never rejects. It ends before the deadline, so that `finish` has
   * a part of the time.
   *
   * @param deadlineMs when all must be over, `finish` included, on the clock of `performance.now()`
   */
  settle(deadlineMs: number): Promise<ReceivedItems>;

  /** Stores the conclusion, once `settle` is over. Never rejects. @returns what is stored then, or why nothing is */
  finish(conclusion: RunConclusion, deadlineMs: number): Promise<ConfirmedRun | Error>;
}

/** What a source has of a run's items. */
export interface ReceivedItems {
  /** `undefined` where that is not known, or not all of it is. */
  readonly totals: TestRunTotals | undefined;
  /** Items that the source does not have: how many, and why. */
  readonly lost: readonly (readonly [count: number, warning: string])[];
  /** How many of the lost items may still arrive. */
  readonly unreported: number;
}

/** How a run ended. */
export interface RunConclusion {
  readonly status: 'finished' | 'interrupted';
  readonly summary: JsonObject;
}

/** The decision as the source has stored it. */
export type ConfirmedRun = Pick<TestRunRecord, 'summary' | 'passed' | 'undecided'>;
