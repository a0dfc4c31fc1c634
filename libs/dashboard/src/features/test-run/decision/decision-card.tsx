import type { TestRunRecord } from '@dacapo/protocol';
import { formatCount } from '../../../shared/format/format-count.js';
import { Disclosure } from '../../../shared/ui/disclosure.js';
import { decisionOf, gateWords } from './decision.js';
import styles from './decision.module.css';
import type { RunFigures } from './read-summary.js';

interface DecisionCardProps {
  run: TestRunRecord;
  figures: RunFigures | undefined;
}

/** What a test run opens with: passed or failed, and why. */
export function DecisionCard({ run, figures }: DecisionCardProps) {
  const { kind, title, about, unasked } = decisionOf(run, figures);
  const asked = figures?.gate ? gateWords(figures.gate) : [];
  return (
    <section className={`card ${styles.decision ?? ''}`} data-decision={kind} aria-label="Decision">
      <h2>{title}</h2>
      <p>{about}</p>
      {unasked !== undefined && <p className={styles.unasked}>{unasked}</p>}
      {kind === 'failed' && figures && (
        <ul className={styles.failures}>
          {figures.failures.map((failure, index) => (
            <li key={index}>{failure}</li>
          ))}
        </ul>
      )}
      {figures && figures.notes.length > 0 && (
        <ul className={styles.warnings} aria-label="What the gate could not tell">
          {figures.notes.map((note, index) => (
            <li key={index}>{note}</li>
          ))}
        </ul>
      )}
      {figures && figures.warnings.length > 0 && (
        <ul className={styles.warnings} aria-label="Warnings">
          {figures.warnings.map((warning, index) => (
            <li key={index}>{warning}</li>
          ))}
        </ul>
      )}
      {figures && figures.ranLive.length > 0 && (
        <p>
          Ran inside the calls, for real:{' '}
          {figures.ranLive.map(([key, count]) => `${key} ${formatCount(count)}`).join(', ')}.
        </p>
      )}
      {asked.length > 0 && (
        <Disclosure summary="What the gate asks for">
          <ul>
            {asked.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </Disclosure>
      )}
    </section>
  );
}
