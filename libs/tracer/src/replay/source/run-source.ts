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
  /** The stored outcomes of a run, which are not replayed. */
  | { readonly kind: 'run'; readonly testRunId: string }
  | { readonly kind: 'list'; readonly items: readonly EvaluationItem[] };

export interface RunRequest extends Pick<
  ResolvedRunOptions,
  'name' | 'resume' | 'repeat' | 'baseline' | 'timeoutMs' | 'signal'
> {
  readonly data: RunData;
  /** The key of the new calls. */
  readonly key: string;
}

/** Where a run's calls come from and its results go. The replay engine knows only this interface. */
export interface RunSource {
  /** The source's address as `host:port`: replayed code may connect there with `network: 'deny'`. Absent without one. */
  readonly target?: string;

  /**
   * Starts a run, or continues one.
   *
   * @throws what keeps the run from starting, such as a service that does not answer
   */
  open(request: RunRequest): Promise<OpenRun>;

  /** The cost of each usage in US dollars; `null` without a price. @throws when the source is unavailable */
  costs(usages: readonly UsageRecord[]): Promise<readonly (number | null)[]>;

  /** Stored scores of baselines with this `baseline_hash`, newest first. @throws when the source is unavailable */
  baselineScores(hash: string): Promise<readonly BaselineScore[]>;
}

/** A run that has started. */
export interface OpenRun {
  readonly id: string;
  /** The dashboard's page of this run; empty if no service stores it. */
  readonly url: string;
  /** The baseline of the run; absent: the recordings. */
  readonly baseline?: Baseline | undefined;
  /** Paths in outputs that decisions on earlier runs ignore; none when absent. */
  readonly ignore?: readonly string[];
  /** Replays per item, if the source defines it; absent: as requested. */
  readonly repeat?: number;
  /** Total number of items. */
  readonly itemCount: number;
  /** Number of skipped calls, by reason. */
  readonly skipped: Readonly<Record<string, number | undefined>>;
  /** Whether the account has no call with the key. */
  readonly isUnknownKey: boolean;
  /** The account's most similar key to an unknown one. */
  readonly similarKey: string | undefined;
  /** Number of items that were replayed before the run was resumed. */
  readonly replayedBefore: number;

  /** Items reported by an earlier process, without values. Waits until its unsent reports are sent. */
  earlierItems(): AsyncIterable<TestRunItemSummary>;

  /** Items reported by an earlier process, with values. Waits like `earlierItems`. */
  earlierRecords(): AsyncIterable<TestRunItemRecord>;

  /** The remaining items, in order. @throws when the next one cannot be read */
  calls(): Iterator<PlannedItem> | AsyncIterator<PlannedItem>;

  /** Sends an item's outcome, now or soon. Never throws. */
  report(item: TestRunItemReport): void;

  /**
   * Sends waiting reports, and asks what the source has received. Never rejects. Ends before the deadline, so that `finish` has
   * some of the time.
   *
   * @param deadlineMs when everything must end, including `finish`, on the clock of `performance.now()`
   */
  settle(deadlineMs: number): Promise<ReceivedItems>;

  /** Stores the conclusion after `settle`. Never rejects. @returns the stored run, or why it was not stored */
  finish(conclusion: RunConclusion, deadlineMs: number): Promise<ConfirmedRun | Error>;
}

/** The items of a run that a source has. */
export interface ReceivedItems {
  /** `undefined` if unknown or incomplete. */
  readonly totals: TestRunTotals | undefined;
  /** Missing items: how many, and why. */
  readonly lost: readonly (readonly [count: number, warning: string])[];
  /** How many of the lost items may still arrive. */
  readonly unreported: number;
}

/** The conclusion of a run. */
export interface RunConclusion {
  readonly status: 'finished' | 'interrupted';
  readonly summary: JsonObject;
}

/** The decision as stored by the source. */
export type ConfirmedRun = Pick<TestRunRecord, 'summary' | 'passed' | 'undecided'>;
