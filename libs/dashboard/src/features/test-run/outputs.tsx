import type { TestRunItemRecord } from '@dacapo/protocol';
import { OutcomePair } from '../../shared/ui/comparison/outcome-pair.js';
import { ErrorBlock } from '../../shared/ui/error-block.js';

/** What the baseline and the candidate returned or threw. */
export function Outputs({ item }: { item: TestRunItemRecord }) {
  const { original_output: original, original_error: originalError, result, error } = item;
  if (item.source_span_id === undefined && error) return <ErrorBlock error={error} />;
  return (
    <OutcomePair
      titles={['Baseline', 'Candidate']}
      outcomes={[
        { value: original, error: originalError },
        { value: result, error },
      ]}
      noValue={item.verdict === 'unknown' ? 'Returned undefined, or was not stored.' : 'Returned undefined.'}
    />
  );
}
