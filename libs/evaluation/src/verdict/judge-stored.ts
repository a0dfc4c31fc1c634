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
   * Replaces equality of outputs; for streams, of the yielded items, including those before a failure. Return values of generators are
   * then not compared.
   */
  same?: OutcomeOptions['same'];
  /** `before` is an expectation. Unless it was copied from a generator's call, it has no return value of a generator. */
  isExpectation?: boolean | undefined;
}

/**
 * Compares two stored outcomes; replays, the service and run comparisons all use it. Outputs and errors are compared like in
 * `judgeOutcome`. Streams that failed with the same error are also compared by the items they yielded, and generators by return value.
 * What only one outcome reports is unknown.
 *
 * @param before `undefined` without a baseline
 * @throws InvalidArgumentError when a path of `ignore` is invalid
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
  if ('error' in was || 'error' in is) return compareYielded(before, now, options, judgement);
  // A partial stream has no return value, and a custom comparison ignores it.
  if (was.isPartial === true || is.isPartial === true || options.same !== undefined) return judgement;
  if (isExpectation && before.meta?.stream === undefined) return judgement;
  const ofReturned = compareReturned(before.meta?.stream, now.meta?.stream, options);
  return ofReturned.verdict === 'same' ? judgement : ofReturned;
}

/** @param ofErrors the comparison of the two errors, which are not known to differ */
function compareYielded(
  before: StoredOutcome,
  now: StoredOutcome,
  options: StoredOutcomeOptions,
  ofErrors: Judgement,
): Judgement {
  const [was, is] = [hasYielded(before), hasYielded(now)];
  if (was === false && is === false) return ofErrors;
  if (was === undefined && is === undefined) return ofErrors;
  // Stored before items were kept with errors, or only one side is a stream.
  if (was === undefined || is === undefined) return { verdict: 'unknown' };
  const { verdict, diff } = judgeOutcome(
    { value: yieldedNode(before) },
    { value: yieldedNode(now) },
    options,
  );
  if (verdict === 'same') return ofErrors;
  return { verdict: verdict === 'unknown' ? 'unknown' : 'error', ...(diff && { diff }) };
}

/** Whether a failed call yielded items; `undefined` if unknown. */
function hasYielded({ output, meta }: StoredOutcome): boolean | undefined {
  if (meta?.stream === undefined && output === undefined) return undefined;
  const isEmpty = output === undefined || (Array.isArray(output) && output.length === 0);
  return !isEmpty || meta?.stream?.items !== 0;
}

/** The yielded items, or the result of `captureOutput`. Not replayable if they were not recorded. */
function yieldedNode(outcome: StoredOutcome): ValueNode {
  const { output, meta } = outcome;
  if (output !== undefined) return readValue({ json: output, meta: meta?.output });
  const isNothing = meta?.output === undefined && hasYielded(outcome) === false;
  return readValue(isNothing ? { json: [] } : { meta: { replayable: false } });
}

function compareReturned(
  before: RecordedStream | undefined,
  now: RecordedStream | undefined,
  options: StoredOutcomeOptions,
): Judgement {
  const [was, is] = [readReturned(before), readReturned(now)];
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

function readReturned(stream: RecordedStream | undefined): Returned | undefined {
  if (stream?.returned === undefined && stream?.returned_meta === undefined) return undefined;
  return { json: stream.returned, meta: stream.returned_meta };
}

/** Without notes on a stream the return value is unknown; with notes that have none it is `undefined`. */
function returnedNode(returned: Returned | undefined, stream: RecordedStream | undefined): ValueNode {
  return readValue(returned ?? (stream === undefined ? { meta: { replayable: false } } : {}));
}
