import {
  type FieldMeta,
  type JsonValue,
  readValue,
  type RecordedStream,
  type ValueNode,
} from '@dacapo/protocol';
import { type Judgement, judgeOutcome, type OutcomeOptions } from './judge-outcome.js';
import { recordedOutcome, type StoredOutcome } from './recorded-outcome.js';

export interface StoredOutcomeOptions extends Omit<OutcomeOptions, 'accepted'> {
  /**
   * Compares the two outputs in place of equality: of streams what they yielded, before a failure too. Return values of generators are
   * not compared then.
   */
  same?: OutcomeOptions['same'];
  /** `before` is an expectation. One that was not copied from a generator's call does not say what a generator returns. */
  isExpectation?: boolean | undefined;
}

/**
 * Compares two stored outcomes: the one verdict of replays, of the service and of run comparisons. Outputs and errors compare as in
 * `judgeOutcome`. Two streams that failed with the same error also compare by what they yielded before, and two generators by what they
 * returned. What only one of the two outcomes reports is unknown.
 *
 * @param before absent: there is nothing to compare with
 * @throws InvalidArgumentError when a path of `ignore` cannot be read
 */
export function judgeStored(
  before: StoredOutcome | undefined,
  now: StoredOutcome,
  { isExpectation = false, ...options }: StoredOutcomeOptions = {},
): Judgement {
  const [was, is] = [before && recordedOutcome(before), recordedOutcome(now)];
  if (is === undefined) return { verdict: 'unknown' };
  const judgement = judgeOutcome(was, is, options);
  if (before === undefined || was === undefined) return judgement;
  if (judgement.verdict === 'changed' || judgement.verdict === 'error') return judgement;
  if ('error' in was || 'error' in is) return judgeYielded(before, now, options, judgement);
  // Neither a partial stream nor the caller's own comparison says anything of return values.
  if (was.isPartial === true || is.isPartial === true || options.same !== undefined) return judgement;
  if (isExpectation && before.meta?.stream === undefined) return judgement;
  const ofReturned = judgeReturned(before.meta?.stream, now.meta?.stream, options);
  return ofReturned.verdict === 'same' ? judgement : ofReturned;
}

/** @param ofErrors the judgement on the two errors, which are not known to differ */
function judgeYielded(
  before: StoredOutcome,
  now: StoredOutcome,
  options: StoredOutcomeOptions,
  ofErrors: Judgement,
): Judgement {
  const [was, is] = [hasYielded(before), hasYielded(now)];
  if (was === false && is === false) return ofErrors;
  if (was === undefined && is === undefined) return ofErrors;
  // Stored before items were kept with errors, or a stream on one side alone.
  if (was === undefined || is === undefined) return { verdict: 'unknown' };
  const { verdict, diff } = judgeOutcome(
    { value: yieldedNode(before) },
    { value: yieldedNode(now) },
    options,
  );
  if (verdict === 'same') return ofErrors;
  return { verdict: verdict === 'unknown' ? 'unknown' : 'error', ...(diff && { diff }) };
}

/** Whether a failed call yielded items; `undefined` where the outcome does not say. */
function hasYielded({ output, meta }: StoredOutcome): boolean | undefined {
  if (meta?.stream === undefined && output === undefined) return undefined;
  const isEmpty = output === undefined || (Array.isArray(output) && output.length === 0);
  return !isEmpty || meta?.stream?.items !== 0;
}

/** The items, or what `captureOutput` made of them. Absent items were not recorded, unless there were none. */
function yieldedNode(outcome: StoredOutcome): ValueNode {
  const { output, meta } = outcome;
  if (output !== undefined) return readValue({ json: output, meta: meta?.output });
  const isNothing = meta?.output === undefined && hasYielded(outcome) === false;
  return readValue(isNothing ? { json: [] } : { meta: { replayable: false } });
}

function judgeReturned(
  before: RecordedStream | undefined,
  now: RecordedStream | undefined,
  options: StoredOutcomeOptions,
): Judgement {
  const [was, is] = [returnedOf(before), returnedOf(now)];
  if (was === undefined && is === undefined) return { verdict: 'same' };
  return judgeOutcome(
    { value: returnedNode(was, before) },
    { value: returnedNode(is, now) },
    { ...options, ignore: [] },
  );
}

interface Returned {
  json: JsonValue | undefined;
  meta: FieldMeta | undefined;
}

function returnedOf(stream: RecordedStream | undefined): Returned | undefined {
  if (stream?.returned === undefined && stream?.returned_meta === undefined) return undefined;
  return { json: stream.returned, meta: stream.returned_meta };
}

/** Without notes on a stream it is not known what a generator returned; with them and nothing in them it returned `undefined`. */
function returnedNode(returned: Returned | undefined, stream: RecordedStream | undefined): ValueNode {
  return readValue(returned ?? (stream === undefined ? { meta: { replayable: false } } : {}));
}
