import type { ErrorRecord, NormalizedCalls, SpanRecord } from '@dacapo/protocol';
import { hasEnded, judgeStored, type Judgement, type StoredOutcome } from '@dacapo/evaluation';
import {
  InnerCalls,
  type InnerCallsSettings,
  OutcomeComparer,
  type OpenedCall,
  sha256,
} from '@dacapo/tracer/engine';
import type { ReplayDivergence } from '@dacapo/tracer';
import type { RecordedRoot } from '../cassette/to-recorded-calls.js';

/** An outermost call of the test, with its recording. */
export class TapedRoot {
  readonly calls: InnerCalls;
  hasEnded = false;
  /** Whether a matcher has compared it. */
  isAsserted = false;
  /** Absent until its record is written. */
  durationMs: number | undefined;
  private readonly comparer: OutcomeComparer;
  private outcome: StoredOutcome | undefined;

  constructor(
    readonly recorded: RecordedRoot,
    private readonly opened: OpenedCall,
    settings: InnerCallsSettings,
    private readonly ignore: readonly string[],
  ) {
    this.calls = new InnerCalls(recorded.call, recorded.inner, settings);
    const { capturer } = opened.start.recorder.fields;
    this.comparer = new OutcomeComparer({ capturer, same: undefined, ignore });
  }

  get spanId(): string {
    return this.opened.spanId;
  }

  get key(): string {
    return this.recorded.key;
  }

  /** Whether the recorded call failed. */
  get wasFailure(): boolean {
    return this.recorded.call.status === 'error';
  }

  /** Whether the call fails as it did. Numbers and ids in the message may differ. */
  get failsAsRecorded(): boolean {
    const [recorded, now] = [this.recorded.call.error, this.outcome?.error];
    if (now === undefined) return false;
    if (recorded === undefined) return true;
    const { verdict, failingAsBefore } = this.judge();
    return verdict === 'same' || failingAsBefore === true || isAlike(recorded, now);
  }

  /** Whether it returned or threw: not if its consumer stopped early. */
  get hasOutcome(): boolean {
    return this.outcome !== undefined && hasEnded(this.outcome);
  }

  /** Whether the call threw. */
  get hasFailed(): boolean {
    return this.outcome?.error !== undefined;
  }

  /** The error of the call as text. */
  get failureText(): string {
    const { name = '', message = '' } = this.outcome?.error ?? {};
    return `${name}: ${message}`;
  }

  wrote({ status, span_data: data, duration_ms: durationMs = this.durationMs }: SpanRecord): void {
    this.durationMs = durationMs;
    const { error, output, meta } = { ...this.outcome, ...data };
    this.outcome = {
      ...(status !== 'ok' && status !== 'error' && { status }),
      ...(error && { error }),
      ...(output !== undefined && { output }),
      ...(meta && { meta }),
    };
  }

  /** The recorded form of what the test received. */
  record(outcome: Parameters<OutcomeComparer['record']>[0]): StoredOutcome {
    return this.comparer.record(outcome, this.opened.start.definition);
  }

  /** Whether this call ended with such an outcome. */
  endedWith(outcome: StoredOutcome): boolean {
    return judgeStored(this.outcome, outcome, { sha256 }).verdict === 'same';
  }

  /** @param now default: the outcome of the call */
  judge(now: StoredOutcome = this.outcome ?? { status: 'unfinished' }): Judgement {
    return judgeStored(this.recorded.call, now, { sha256, ignore: this.ignore });
  }

  /** How its inner calls differ from the recorded ones. */
  divergences(): readonly ReplayDivergence[] {
    return this.calls.divergences() ?? [];
  }

  normalized(): readonly NormalizedCalls[] {
    return this.calls.normalizedCalls();
  }
}

/** Whether two errors differ only in digits of their messages. */
function isAlike(a: ErrorRecord, b: ErrorRecord): boolean {
  const shape = ({ class: type, name, code, message }: ErrorRecord): string =>
    JSON.stringify([type ?? name, code, message.replaceAll(/[0-9a-f-]*\d[0-9a-f-]*/gi, '#')]);
  return shape(a) === shape(b);
}
