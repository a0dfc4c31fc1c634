import { type Judgement, judgeStored, type StoredOutcome } from '@dacapo/evaluation';
import type { CaptureMeta, ErrorRecord, FieldMeta, JsonValue, RecordedStream } from '@dacapo/protocol';
import { decodeText } from '../byte-string.js';
import type { Captured } from '../capture/captured.js';
import type { Capturer } from '../capture/capturer.js';
import { ComparisonWalker } from '../capture/comparison-walker.js';
import { sha256 } from '../hashing.js';
import type { ResolvedRunOptions } from '../options/run-options.js';
import { FieldCapture } from '../recording/field-capture.js';
import { GatheredItems } from '../recording/result/gathered-items.js';
import type { SpanDefinition } from '../recording/span-definition.js';
import type { ReadStream } from './drain.js';
import type { ReportedBaseline } from './item-report.js';
import type { LiveOutcome } from './replay-call.js';

export interface OutcomeComparerParts extends Pick<ResolvedRunOptions, 'same' | 'ignore'> {
  readonly capturer: Capturer;
}

type OutputOptions = Pick<SpanDefinition, 'captureOutput'>;

const UNKNOWN_RETURN: RecordedStream = { kind: 'generator', items: 0, returned_meta: { replayable: false } };

/** Records new outcomes, and compares them with their baselines. */
export class OutcomeComparer {
  private readonly capturer: Capturer;
  private readonly fields: FieldCapture;

  /** @throws InvalidArgumentError when a path of `ignore` cannot be read */
  constructor(private readonly parts: OutcomeComparerParts) {
    // Values that cannot be captured are missing, and the verdict is `unknown`.
    this.capturer = parts.capturer.forComparison(ComparisonWalker);
    this.fields = new FieldCapture(this.capturer, () => undefined);
    judgeStored({}, {}, { ignore: parts.ignore });
  }

  /** @throws InvalidArgumentError when a path cannot be read */
  alsoIgnoring(paths: readonly string[]): OutcomeComparer {
    if (paths.length === 0) return this;
    return new OutcomeComparer({ ...this.parts, ignore: mergePaths(this.parts.ignore, paths) });
  }

  /** The recorded form of a new outcome. */
  record(outcome: LiveOutcome, { captureOutput }: OutputOptions = { captureOutput: true }): StoredOutcome {
    const { capturer } = this;
    const error =
      'error' in outcome ? capturer.captureError(outcome.error, captureOutput !== false) : undefined;
    const { json, meta } = this.recordOutput(outcome, { captureOutput });
    const stream = outcome.stream && this.recordStream(outcome.stream, { captureOutput });
    const notes: CaptureMeta = { ...(meta && { output: meta }), ...(stream && { stream }) };
    return {
      ...(error && { error: JSON.parse(decodeText(error)) as ErrorRecord }),
      ...(json !== undefined && { output: json }),
      ...((meta ?? stream) && { meta: notes }),
    };
  }

  private recordOutput(outcome: LiveOutcome, definition: OutputOptions): RecordedField {
    if (outcome.stream !== undefined) {
      const gathered = new GatheredItems(this.fields, definition);
      for (const item of outcome.stream.items) gathered.add(item);
      return toRecorded(gathered.output());
    }
    if ('error' in outcome) return {};
    const { captureOutput } = definition;
    const isNothing = outcome.result === undefined && captureOutput === true && this.fields.capturesOutput;
    return isNothing ? {} : toRecorded(this.fields.captureOutput(definition, outcome.result));
  }

  private recordStream({ kind, items, returned }: ReadStream, definition: OutputOptions): RecordedStream {
    const captured =
      definition.captureOutput === true ? this.fields.captureOutput(definition, returned) : undefined;
    const { json, meta } = captured === undefined ? {} : toRecorded(captured);
    return {
      kind,
      items: items.length,
      ...(json !== undefined && { returned: json }),
      ...(meta && { returned_meta: meta }),
    };
  }

  /** A text that is equal for equal outcomes; `undefined` if the outcome is not completely recorded. */
  hashOutcome(outcome: StoredOutcome): string | undefined {
    const { output, stream } = outcome.meta ?? {};
    const isWhole = output?.replayable !== false && stream?.returned_meta?.replayable !== false;
    return isWhole ? sha256(JSON.stringify(outcome)) : undefined;
  }

  /**
   * @param values the arguments of `same`: for streams, the list of items
   * @param recording the call's own outcome, if the baseline replaces it
   * @throws what `same` throws
   */
  compare(
    baseline: ReportedBaseline | undefined,
    now: StoredOutcome,
    values: { now: unknown; before: unknown },
    recording: StoredOutcome | undefined,
  ): Judgement {
    const { same, ignore } = this.parts;
    return judgeStored(baseline && withReturn(baseline, recording), now, {
      sha256,
      isExpectation: baseline?.kind === 'expected',
      ...(ignore && { ignore }),
      ...(same && { same: () => same(values.now, values.before) }),
    });
  }
}

export function mergePaths(own: readonly string[] | undefined, others: readonly string[]): readonly string[] {
  return [...new Set([...(own ?? []), ...others])];
}

/** A report may omit a generator's return value; its recording shows that there was one. */
function withReturn({ kind, stored }: ReportedBaseline, recording: StoredOutcome | undefined): StoredOutcome {
  const isRecording = kind !== 'test_run' && kind !== 'accepted';
  if (isRecording || stored.meta?.stream !== undefined || stored.error !== undefined) return stored;
  if (recording?.meta?.stream?.returned === undefined) return stored;
  return { ...stored, meta: { ...stored.meta, stream: UNKNOWN_RETURN } };
}

interface RecordedField {
  readonly json?: JsonValue;
  readonly meta?: FieldMeta;
}

/** @param captured `undefined` if it is not recorded */
function toRecorded(captured: Captured | undefined): RecordedField {
  if (captured === undefined) return { meta: { replayable: false } };
  const { json, meta, replayable } = captured;
  const notes = replayable ? meta : { ...meta, replayable: false as const };
  return { json: JSON.parse(json) as JsonValue, ...(notes && { meta: notes }) };
}
