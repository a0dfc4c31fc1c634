import { insideLines } from '@dacapo/evaluation';
import type { TestRunRecord } from '@dacapo/protocol';
import { Disclosure } from '../../../shared/ui/disclosure.js';
import { CheckTable } from './check-table.js';
import { describeRun } from './decision.js';
import styles from './decision.module.css';
import type { RunFigures } from './read-summary.js';

interface DecisionCardProps {
  run: TestRunRecord;
  figures: RunFigures | undefined;
}

/** The top of a test run: its decision and the reasons. */
export function DecisionCard({ run, figures }: DecisionCardProps) {
  const { kind, title, about, uncovered } = describeRun(run, figures);
  return (
    <section className={`card ${styles.decision ?? ''}`} data-decision={kind} aria-label="Decision">
      <h2>{title}</h2>
      {about !== undefined && <p>{about}</p>}
      {uncovered !== undefined && <p className={styles.uncovered}>{uncovered}</p>}
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
