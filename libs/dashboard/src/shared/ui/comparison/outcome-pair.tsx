import type { ErrorRecord, JsonValue } from '@dacapo/protocol';
import type { ReactNode } from 'react';
import { orderedJsonText } from '../../json/json-text.js';
import { ErrorBlock } from '../error-block.js';
import { ValueBlock } from '../value-block.js';
import { ErrorPair } from './error-pair.js';
import styles from './outcome-pair.module.css';
import { SideBySide } from './side-by-side.js';

/** The outcome of a call. Neither field means it returned `undefined`; both mean a stream yielded `value` before the error. */
interface CallOutcome {
  value: JsonValue | undefined;
  error: ErrorRecord | undefined;
}

interface OutcomePairProps {
  titles: readonly [left: ReactNode, right: ReactNode];
  /** `undefined` for a side without the call. */
  outcomes: readonly [left: CallOutcome | undefined, right: CallOutcome | undefined];
  /** Text for a side without the call. */
  noCall?: string;
  /** Text for a side without value and error. */
  noValue: string;
  /** Adds padding. */
  isInset?: boolean;
}

/** Two outcomes, as a line diff when both returned or both failed. For a failed stream, the yielded items come first. */
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
              {outcome?.error ? 'Yielded before the error' : outcome && 'Yielded'}
            </p>
          ))}
          <Sides
            noCall={noCall}
            noValue="Yielded nothing."
            outcomes={mapOutcomes(outcomes, ({ value }) => ({ value, error: undefined }))}
          />
          {haveBothFailed &&
            outcomes.map((_, side) => (
              <p key={side} className="muted">
                Error
              </p>
            ))}
          <Sides
            noCall={noCall}
            noValue="No error."
            outcomes={mapOutcomes(outcomes, ({ error }) => ({ value: undefined, error }))}
          />
        </>
      ) : (
        <Sides outcomes={outcomes} noCall={noCall} noValue={noValue} />
      )}
    </div>
  );
}

function mapOutcomes(
  [left, right]: OutcomePairProps['outcomes'],
  part: (outcome: CallOutcome) => CallOutcome,
): OutcomePairProps['outcomes'] {
  return [left && part(left), right && part(right)];
}

type SidesProps = Pick<OutcomeProps, 'noCall' | 'noValue'> & Pick<OutcomePairProps, 'outcomes'>;

function Sides({ outcomes, noCall, noValue }: SidesProps) {
  const compared = renderComparison(outcomes);
  if (compared !== undefined) return <div className={styles.both}>{compared}</div>;
  return outcomes.map((outcome, side) => (
    <Outcome key={side} outcome={outcome} noCall={noCall} noValue={noValue} />
  ));
}

/** The line diff, or `undefined` when one side failed and the other did not. */
function renderComparison([left, right]: OutcomePairProps['outcomes']): ReactNode {
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
