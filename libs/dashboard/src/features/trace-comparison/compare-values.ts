import { judgeStored, recordedOutcome, type StoredOutcome } from '@dacapo/evaluation';
import { equal, readValue, type SpanDetail } from '@dacapo/protocol';

/** How what two spans were given and gave compares, types and all bytes included. `unknown`: what is recorded cannot tell. */
export interface ValueComparison {
  input: Sameness;
  outcome: Sameness;
}

type Sameness = 'same' | 'different' | 'unknown';

export function compareValues(left: SpanDetail, right: SpanDetail): ValueComparison {
  const inputs = equal(inputOf(left), inputOf(right));
  return { input: inputs === 'equal' ? 'same' : inputs, outcome: compareOutcomes(left, right) };
}

function compareOutcomes(left: SpanDetail, right: SpanDetail): Sameness {
  const [before, now] = [outcomeOf(left), outcomeOf(right)];
  // How one of the calls ended is not known.
  if (recordedOutcome(before) === undefined || recordedOutcome(now) === undefined) return 'unknown';
  const { verdict } = judgeStored(before, now);
  return verdict === 'same' || verdict === 'unknown' ? verdict : 'different';
}

function inputOf({ span_data: { input, meta } }: SpanDetail) {
  return readValue({ json: input, meta: meta?.input });
}

function outcomeOf({ status, span_data: { output, error, meta } }: SpanDetail): StoredOutcome {
  return { status, ...(output !== undefined && { output }), ...(error && { error }), ...(meta && { meta }) };
}
