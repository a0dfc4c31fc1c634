import type { TestRunItemRecord } from '@dacapo/protocol';
import { OutcomePair } from '../../shared/ui/comparison/outcome-pair.js';
import { ErrorBlock } from '../../shared/ui/error-block.js';

/** The original output beside the new one. */
export function Outputs({ item }: { item: TestRunItemRecord }) {
  const { original_output: original, original_error: originalError, result, error } = item;
  if (item.source_span_id === undefined && error) return <ErrorBlock error={error} />;
  return (
    <OutcomePair
      titles={['Original output', 'New output']}
      outcomes={[
        { value: original, error: originalError },
        { value: result, error },
      ]}
      noValue={item.verdict === 'unknown' ? 'Returned undefined, or was not kept.' : 'Returned undefined.'}
    />
  );
}
