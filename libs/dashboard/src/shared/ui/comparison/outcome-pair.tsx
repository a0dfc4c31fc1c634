import type { ErrorRecord, JsonValue } from '@dacapo/protocol';
import type { ReactNode } from 'react';
import { orderedJsonText } from '../../json/json-text.js';
import { ErrorBlock } from '../error-block.js';
import { ValueBlock } from '../value-block.js';
import { ErrorPair } from './error-pair.js';
import styles from './outcome-pair.module.css';
import { SideBySide } from './side-by-side.js';

/** What came of a call: a value, an error, or neither where it gave `undefined`. */
interface CallOutcome {
  value: JsonValue | undefined;
  error: ErrorRecord | undefined;
}

interface OutcomePairProps {
  titles: readonly [left: ReactNode, right: ReactNode];
  /** Absent on a side that has no such call. */
  outcomes: readonly [left: CallOutcome | undefined, right: CallOutcome | undefined];
  /** Of a side that has no such call. */
  noCall: string;
  /** Of a side without a value and an error. */
  noValue: string;
}

/** What came of two calls, line by line when both returned a value, or both failed. */
export function OutcomePair({ titles, outcomes, noCall, noValue }: OutcomePairProps) {
  const [left, right] = outcomes;
  const bothReturned = left?.value !== undefined && right?.value !== undefined && !left.error && !right.error;
  return (
    <div className={styles.outcomes}>
      {titles.map((title, side) => (
        <h3 key={side}>{title}</h3>
      ))}
      {bothReturned && (
        <div className={styles.both}>
          <SideBySide
            original={orderedJsonText(left.value ?? null)}
            replayed={orderedJsonText(right.value ?? null)}
          />
        </div>
      )}
      {left?.error && right?.error && (
        <div className={styles.both}>
          <ErrorPair original={left.error} replayed={right.error} />
        </div>
      )}
      {!bothReturned &&
        !(left?.error && right?.error) &&
        outcomes.map((outcome, side) => <Outcome key={side} {...{ outcome, noCall, noValue }} />)}
    </div>
  );
}

interface OutcomeProps extends Pick<OutcomePairProps, 'noCall' | 'noValue'> {
  outcome: CallOutcome | undefined;
}

function Outcome({ outcome, noCall, noValue }: OutcomeProps) {
  if (outcome === undefined) return <p className="muted">{noCall}</p>;
  if (outcome.error) return <ErrorBlock error={outcome.error} />;
  if (outcome.value === undefined) return <p className="muted">{noValue}</p>;
  return <ValueBlock value={outcome.value} />;
}
