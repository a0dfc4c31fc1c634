import {
  type Judgement,
  judgeOutcome,
  type Outcome,
  recordedOutcome,
  type StoredOutcome,
} from '@dacapo/evaluation';
import {
  type CaptureMeta,
  type ErrorRecord,
  type FieldMeta,
  type JsonValue,
  readValue,
} from '@dacapo/protocol';
import { decodeText } from '../byte-string.js';
import type { Captured } from '../capture/captured.js';
import type { Capturer } from '../capture/capturer.js';
import { sha256 } from '../hashing.js';
import type { SpanDefinition } from '../recording/span-definition.js';
import type { PlayedOutcome } from './play-call.js';

export interface JudgeParts {
  readonly capturer: Capturer;
  /** See `RunOptions`. */
  readonly same: ((now: unknown, before: unknown) => boolean) | undefined;
  readonly ignore: readonly string[] | undefined;
}

/** An outcome as it is recorded: what the service is told, and what is compared. */
export interface RecordedOutcome {
  readonly result?: { readonly json: JsonValue | undefined; readonly meta: FieldMeta | undefined };
  /** Of a generator, also where that was nothing. */
  readonly returned?: { readonly json: JsonValue | undefined; readonly meta: FieldMeta | undefined };
  readonly error?: ErrorRecord;
  /** What a stream gave before it failed. */
  readonly given?: { readonly json: JsonValue | undefined; readonly meta: FieldMeta | undefined };
}

/** Compares outcomes with what came of calls today, both as they are recorded: by types and all bytes. */
export class Judge {
  /** @throws InvalidArgumentError when a path of `ignore` cannot be read */
  constructor(private readonly parts: JudgeParts) {
    const value = readValue({});
    judgeOutcome({ value }, { value }, { ignore: parts.ignore });
  }

  /** What came of a call today as the recorder writes it, by the same mapper. */
  record(outcome: PlayedOutcome, definition: SpanDefinition | undefined): RecordedOutcome {
    const { capturer } = this.parts;
    const { captureOutput = true } = definition ?? {};
    if ('error' in outcome) {
      const { given } = outcome;
      const isGivenRecorded = given !== undefined && captureOutput === true && capturer.options.output;
      return {
        error: JSON.parse(
          decodeText(capturer.captureError(outcome.error, captureOutput !== false)),
        ) as ErrorRecord,
        ...(isGivenRecorded && { given: toRecorded(given, capturer) }),
      };
    }
    const mapped = typeof captureOutput === 'function' ? captureOutput(outcome.result) : outcome.result;
    const isRecorded = captureOutput !== false && capturer.options.output;
    // It is not recorded where the items are mapped.
    const isReturnedRecorded = 'returned' in outcome && captureOutput === true && isRecorded;
    return {
      result: isRecorded ? toRecorded(mapped, capturer) : { json: undefined, meta: { replayable: false } },
      ...(isReturnedRecorded && { returned: toRecorded(outcome.returned, capturer) }),
    };
  }

  /** A text that is the same for equal outcomes; `undefined` where not all of the outcome is recorded. */
  keyOf(outcome: RecordedOutcome): string | undefined {
    const values = [outcome.result, outcome.returned, outcome.given];
    const isWhole = values.every((value) => value === undefined || value.meta?.replayable !== false);
    return isWhole ? sha256(JSON.stringify(outcome)) : undefined;
  }

  /**
   * Compares today's outcome with another.
   *
   * @param before `undefined`: there is none, and nothing can be known
   * @throws what `same` throws
   */
  judge(
    before: StoredOutcome | undefined,
    now: RecordedOutcome,
    values: { now: unknown; before: unknown },
  ): Judgement {
    const earlier = before && recordedOutcome(before);
    if (before === undefined || earlier === undefined) return { verdict: now.error ? 'error' : 'unknown' };
    const { same, ignore } = this.parts;
    const options = {
      sha256,
      ...(ignore && { ignore }),
      ...(same && { same: () => same(values.now, values.before) }),
    };
    const today: Outcome = now.error ? { error: now.error } : { value: readValue(now.result ?? {}) };
    const judgement = judgeOutcome(earlier, today, options);
    if ('error' in today && judgement.verdict !== 'error') return this.judgeGiven(before, now) ?? judgement;
    // A verdict of the caller's own is on what the caller sees.
    if (same !== undefined || 'error' in today || judgement.verdict === 'changed') return judgement;
    // It did not come so far.
    if ('value' in earlier && earlier.isPartial === true) return judgement;
    const ofReturned = this.judgeReturned(before.meta, now);
    return ofReturned.verdict === 'same' ? judgement : ofReturned;
  }

  /** Streams that failed alike, by what they gave before; `undefined` where that is the same, or not recorded. */
  private judgeGiven({ output, meta }: StoredOutcome, { given }: RecordedOutcome): Judgement | undefined {
    if (meta?.stream === undefined || given === undefined || this.parts.same !== undefined) return undefined;
    const { ignore } = this.parts;
    const { verdict, diff } = judgeOutcome(
      { value: readValue({ json: output ?? (meta.output ? undefined : []), meta: meta.output }) },
      { value: readValue(given) },
      { sha256, ...(ignore && { ignore }) },
    );
    if (verdict === 'same') return undefined;
    return { verdict: verdict === 'unknown' ? 'unknown' : 'error', ...(diff && { diff }) };
  }

  private judgeReturned(meta: CaptureMeta | undefined, now: RecordedOutcome): Judgement {
    const { stream } = meta ?? {};
    return judgeOutcome(
      { value: readValue({ json: stream?.returned, meta: stream?.returned_meta }) },
      { value: readValue(now.returned ?? {}) },
      { sha256 },
    );
  }
}

/** An outcome of today as what later ones are compared with. */
export function storedOutcomeOf(outcome: RecordedOutcome): StoredOutcome {
  const { result, error } = outcome;
  return {
    ...(result?.json !== undefined && { output: result.json }),
    ...(error && { error }),
    meta: outcomeNotes(outcome),
  };
}

/** Notes on an outcome of today, as a span of it has them. */
export function outcomeNotes({ result, returned }: RecordedOutcome): Pick<CaptureMeta, 'output' | 'stream'> {
  const stream = returned && {
    kind: 'generator',
    items: Array.isArray(result?.json) ? result.json.length : 0,
    ...(returned.json !== undefined && { returned: returned.json }),
    ...(returned.meta && { returned_meta: returned.meta }),
  };
  return { ...(result?.meta && { output: result.meta }), ...(stream && { stream }) };
}

function toRecorded(value: unknown, capturer: Capturer): NonNullable<RecordedOutcome['result']> {
  if (value === undefined) return { json: undefined, meta: undefined };
  const captured: Captured = capturer.capture(value);
  const { meta, replayable } = captured;
  return {
    json: JSON.parse(captured.json) as JsonValue,
    meta: replayable ? meta : { ...meta, replayable: false },
  };
}
