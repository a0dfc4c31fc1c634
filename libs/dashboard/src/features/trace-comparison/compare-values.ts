import { judgeStored, recordedOutcome, type StoredOutcome } from '@dacapo/evaluation';
import { equal, readValue, type SpanDetail } from '@dacapo/protocol';

/** Compares input and outcome of two spans, including types. `unknown` if the recordings are incomplete. */
export interface ValueComparison {
  input: Sameness;
  outcome: Sameness;
}

type Sameness = 'same' | 'different' | 'unknown';

export function compareValues(left: SpanDetail, right: SpanDetail): ValueComparison {
  const inputs = equal(readInput(left), readInput(right));
  return { input: inputs === 'equal' ? 'same' : inputs, outcome: compareOutcomes(left, right) };
}

function compareOutcomes(left: SpanDetail, right: SpanDetail): Sameness {
  const [leftOutcome, rightOutcome] = [readOutcome(left), readOutcome(right)];
  // The outcome of one call is unknown.
  if (recordedOutcome(leftOutcome) === undefined || recordedOutcome(rightOutcome) === undefined)
    return 'unknown';
  const { verdict } = judgeStored(leftOutcome, rightOutcome);
  return verdict === 'same' || verdict === 'unknown' ? verdict : 'different';
}

function readInput({ span_data: { input, meta } }: SpanDetail) {
  return readValue({ json: input, meta: meta?.input });
}

function readOutcome({ status, span_data: { output, error, meta } }: SpanDetail): StoredOutcome {
  return { status, ...(output !== undefined && { output }), ...(error && { error }), ...(meta && { meta }) };
}
