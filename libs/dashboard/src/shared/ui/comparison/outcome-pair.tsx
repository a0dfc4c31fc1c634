import type { ErrorRecord, JsonValue } from '@dacapo/protocol';
import type { ReactNode } from 'react';
import { orderedJsonText } from '../../json/json-text.js';
import { ErrorBlock } from '../error-block.js';
import { ValueBlock } from '../value-block.js';
import { ErrorPair } from './error-pair.js';
import styles from './outcome-pair.module.css';
import { SideBySide } from './side-by-side.js';

/** What came of a call: a value, an error, or neither where it gave `undefined`. Beside an error, the value is what a stream yielded before. */
interface CallOutcome {
  value: JsonValue | undefined;
  error: ErrorRecord | undefined;
}

interface OutcomePairProps {
  titles: readonly [left: ReactNode, right: ReactNode];
  /** Absent on a side that has no such call. */
  outcomes: readonly [left: CallOutcome | undefined, right: CallOutcome | undefined];
  /** Of a side that has no such call. */
  noCall?: string;
  /** Of a side without a value and an error. */
  noValue: string;
  /** Whether it keeps a distance from the edges of what it is in. */
  isInset?: boolean;
}

/** What came of two calls, line by line when both returned a value, or both failed. Of a failed stream, what it yielded comes first. */
export function OutcomePair({ titles, outcomes, noCall, noValue, isInset = false }: OutcomePairProps) {
  const hasFailedStream = outcomes.some((outcome) => outcome?.error && outcome.value !== undefined);
  const haveBothFailed = outcomes.every((outcome) => outcome?.error !== undefined);
  return (
    <div className={`${styles.outcomes ?? ''} ${isInset ? (styles.inset ?? '') : ''}`}>
      {titles.map((title, side) => (
        <h3 key={side}>{title}</h3>
      ))}
      {hasFailedStream ? (
        <>
          {outcomes.map((outcome, side) => (
            <p key={side} className="muted">
              {outcome?.error ? 'Yielded before it failed' : outcome && 'Yielded'}
            </p>
          ))}
          <Sides
            {...{ noCall, noValue: 'Nothing was yielded.' }}
            outcomes={withEach(outcomes, ({ value }) => ({ value, error: undefined }))}
          />
          {haveBothFailed &&
            outcomes.map((_, side) => (
              <p key={side} className="muted">
                Then it failed
              </p>
            ))}
          <Sides
            {...{ noCall, noValue: 'It did not fail.' }}
            outcomes={withEach(outcomes, ({ error }) => ({ value: undefined, error }))}
          />
        </>
      ) : (
        <Sides {...{ outcomes, noCall, noValue }} />
      )}
    </div>
  );
}

function withEach(
  [left, right]: OutcomePairProps['outcomes'],
  part: (outcome: CallOutcome) => CallOutcome,
): OutcomePairProps['outcomes'] {
  return [left && part(left), right && part(right)];
}

type SidesProps = Pick<OutcomeProps, 'noCall' | 'noValue'> & Pick<OutcomePairProps, 'outcomes'>;

function Sides({ outcomes, noCall, noValue }: SidesProps) {
  const compared = comparedSides(outcomes);
  if (compared !== undefined) return <div className={styles.both}>{compared}</div>;
  return outcomes.map((outcome, side) => <Outcome key={side} {...{ outcome, noCall, noValue }} />);
}

/** Nothing where the sides are not of one kind. */
function comparedSides([left, right]: OutcomePairProps['outcomes']): ReactNode {
  if (left?.error && right?.error) return <ErrorPair original={left.error} replayed={right.error} />;
  if (left?.error ?? right?.error) return undefined;
  if (left?.value === undefined || right?.value === undefined) return undefined;
  return <SideBySide original={orderedJsonText(left.value)} replayed={orderedJsonText(right.value)} />;
}

interface OutcomeProps extends Pick<OutcomePairProps, 'noValue'> {
  outcome: CallOutcome | undefined;
  noCall: string | undefined;
}

function Outcome({ outcome, noCall, noValue }: OutcomeProps) {
  if (outcome === undefined) return <p className="muted">{noCall}</p>;
  if (outcome.error) return <ErrorBlock error={outcome.error} />;
  if (outcome.value === undefined) return <p className="muted">{noValue}</p>;
  return <ValueBlock value={outcome.value} />;
}
