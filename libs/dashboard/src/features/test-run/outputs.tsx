import type { ErrorRecord, JsonValue, TestRunItemRecord } from '@dacapo/protocol';
import { orderedJsonText } from '../../shared/json/json-text.js';
import { ErrorBlock } from '../../shared/ui/error-block.js';
import { ValueBlock } from '../../shared/ui/value-block.js';
import { ErrorPair } from '../../shared/ui/comparison/error-pair.js';
import { SideBySide } from '../../shared/ui/comparison/side-by-side.js';
import styles from './outputs.module.css';

/** The original output beside the new one; line by line when both calls returned a value, or both failed. */
export function Outputs({ item }: { item: TestRunItemRecord }) {
  const { original_output: original, original_error: originalError, result, error } = item;
  if (item.source_span_id === undefined && error) return <ErrorBlock error={error} />;
  const isUnknown = item.verdict === 'unknown';
  const bothReturned = original !== undefined && result !== undefined && !originalError && !error;
  return (
    <div className={styles.outputs}>
      <h3>Original output</h3>
      <h3>New output</h3>
      {bothReturned && (
        <div className={styles.both}>
          <SideBySide original={orderedJsonText(original)} replayed={orderedJsonText(result)} />
        </div>
      )}
      {originalError && error && (
        <div className={styles.both}>
          <ErrorPair original={originalError} replayed={error} />
        </div>
      )}
      {!bothReturned && !(originalError && error) && (
        <>
          <Outcome output={original} error={originalError} isUnknown={isUnknown} />
          <Outcome output={result} error={error} isUnknown={isUnknown} />
        </>
      )}
    </div>
  );
}

interface OutcomeProps {
  output: JsonValue | undefined;
  error: ErrorRecord | undefined;
  isUnknown: boolean;
}

function Outcome({ output, error, isUnknown }: OutcomeProps) {
  if (error) return <ErrorBlock error={error} />;
  if (output === undefined) {
    return (
      <p className="muted">{isUnknown ? 'Returned undefined, or was not kept.' : 'Returned undefined.'}</p>
    );
  }
  return <ValueBlock value={output} />;
}
