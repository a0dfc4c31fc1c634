import {
  type CaptureMeta,
  type FieldMeta,
  type JsonValue,
  readValue,
  type ValueNode,
} from '@dacapo/protocol';
import { type Judgement, judgeOutcome, type OutcomeOptions } from './judge-outcome.js';
import { recordedOutcome, type StoredOutcome } from './recorded-outcome.js';

/**
 * Compares two outcomes as they are stored, and what generators returned with them: as `judgeOutcome`. What one of them returned
 * and the other does not tell, as reports of version 0.1, is unknown.
 *
 * @throws InvalidArgumentError when a path of `ignore` cannot be read
 */
export function judgeStored(
  before: StoredOutcome,
  now: StoredOutcome,
  options: Omit<OutcomeOptions, 'same' | 'accepted'> = {},
): Judgement {
  const [was, is] = [recordedOutcome(before), recordedOutcome(now)];
  if (is === undefined) return { verdict: 'unknown' };
  const judgement = judgeOutcome(was, is, options);
  if (was === undefined || 'error' in was || 'error' in is || judgement.verdict === 'changed')
    return judgement;
  // It did not come so far.
  if (was.isPartial === true || is.isPartial === true) return judgement;
  const [returnedBefore, returnedNow] = [returnedOf(before.meta), returnedOf(now.meta)];
  if (returnedBefore === undefined && returnedNow === undefined) return judgement;
  const ofReturned = judgeOutcome(
    { value: nodeOf(returnedBefore, before.meta) },
    { value: nodeOf(returnedNow, now.meta) },
    { ...options, ignore: [] },
  );
  return ofReturned.verdict === 'same' ? judgement : ofReturned;
}

interface Returned {
  json: JsonValue | undefined;
  meta: FieldMeta | undefined;
}

function returnedOf({ stream }: CaptureMeta = {}): Returned | undefined {
  if (stream?.returned === undefined && stream?.returned_meta === undefined) return undefined;
  return { json: stream.returned, meta: stream.returned_meta };
}

/** A stream that is told and returned nothing returned `undefined`; of one that is not told nobody knows. */
function nodeOf(returned: Returned | undefined, { stream }: CaptureMeta = {}): ValueNode {
  return readValue(returned ?? (stream === undefined ? { meta: { replayable: false } } : {}));
}
