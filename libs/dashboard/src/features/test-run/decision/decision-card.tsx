import { insideLines } from '@dacapo/evaluation';
import type { TestRunRecord } from '@dacapo/protocol';
import { Disclosure } from '../../../shared/ui/disclosure.js';
import { CheckTable } from './check-table.js';
import { decisionOf } from './decision.js';
import styles from './decision.module.css';
import type { RunFigures } from './read-summary.js';

interface DecisionCardProps {
  run: TestRunRecord;
  figures: RunFigures | undefined;
}

/** What a test run opens with: passed or failed, and why. */
export function DecisionCard({ run, figures }: DecisionCardProps) {
  const { kind, title, about, unasked } = decisionOf(run, figures);
  return (
    <section className={`card ${styles.decision ?? ''}`} data-decision={kind} aria-label="Decision">
      <h2>{title}</h2>
      {about !== undefined && <p>{about}</p>}
      {unasked !== undefined && <p className={styles.unasked}>{unasked}</p>}
      {kind === 'failed' && figures && (
        <ul className={styles.failures}>
          {figures.failures.map((failure, index) => (
            <li key={index}>{failure}</li>
          ))}
        </ul>
      )}
      {figures && figures.notes.length > 0 && (
        <ul className={styles.warnings} aria-label="Notes">
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
      {figures && insideLines(figures.inside).map((line) => <p key={line}>{line}</p>)}
      {figures && figures.checks.length > 0 && (
        <Disclosure summary="All checks">
          <CheckTable checks={figures.checks} />
        </Disclosure>
      )}
    </section>
  );
}
