import { judgeOutcome, type Outcome } from '@dacapo/evaluation';
import { equal, readValue, type SpanDetail } from '@dacapo/protocol';

/** How what two spans were given and gave compares, types and all bytes included. `unknown`: what is recorded cannot tell. */
export interface ValueComparison {
  input: Sameness;
  outcome: Sameness;
}

type Sameness = 'same' | 'different' | 'unknown';

export function compareValues(left: SpanDetail, right: SpanDetail): ValueComparison {
  const inputs = equal(inputOf(left), inputOf(right));
  const { verdict } = judgeOutcome(outcomeOf(left), outcomeOf(right));
  return {
    input: inputs === 'equal' ? 'same' : inputs,
    outcome: verdict === 'same' || verdict === 'unknown' ? verdict : 'different',
  };
}

function inputOf({ span_data: { input, meta } }: SpanDetail) {
  return readValue({ json: input, meta: meta?.input });
}

function outcomeOf({ span_data: { output, error, meta } }: SpanDetail): Outcome {
  return error ? { error } : { value: readValue({ json: output, meta: meta?.output }) };
}
