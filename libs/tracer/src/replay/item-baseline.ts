import type { Call, ModelCalls, Usage } from '@dacapo/evaluation';
import type { ReportedBaseline } from './item-report.js';
import type { Played, PlayedOutcome } from './play-call.js';

/** How the same call ended before: evaluators judge it as they judge the new one. */
export interface EarlierOutcome {
  readonly outcome: PlayedOutcome;
  /** All of the output is known. */
  readonly isWhole: boolean;
  readonly durationMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly modelCalls: ModelCalls | undefined;
  readonly calls: () => Call[];
}

/** What a new outcome is set beside. */
export interface Baseline {
  /** What the verdict compares with; absent when there is nothing. */
  readonly compared?: ReportedBaseline & {
    readonly value: PlayedOutcome;
    /** What would be compared with, had nobody accepted another outcome. */
    readonly unaccepted?: ReportedBaseline | undefined;
  };
  /** What evaluators judge too. */
  readonly earlier?: EarlierOutcome;
  /** The replayed call of the other version, where one ran beside. */
  readonly beside?: Played;
}
