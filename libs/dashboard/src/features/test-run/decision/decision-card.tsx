import { describeInnerCalls } from '@dacapo/evaluation';
import type { TestRunRecord } from '@dacapo/protocol';
import type { ReactNode } from 'react';
import { Disclosure } from '../../../shared/ui/disclosure.js';
import { CheckTable } from './check-table.js';
import { describeRun } from './decision.js';
import styles from './decision.module.css';
import { KeyFigures } from './key-figures.js';
import type { RunFigures } from './read-summary.js';

interface DecisionCardProps {
  run: TestRunRecord;
  figures: RunFigures | undefined;
  /** Who decided, if not the client. */
  decidedBy?: ReactNode;
  /** What ignoring a change would do to the decision. */
  whatIf?: string | undefined;
  children?: ReactNode;
}

/** The top of a test run: its decision and the reasons. */
export function DecisionCard({ run, figures, decidedBy, whatIf, children }: DecisionCardProps) {
  const { kind, title, advice, about, uncovered } = describeRun(run, figures);
  return (
    <section className={styles.decision} data-decision={kind} aria-label="Decision" tabIndex={-1}>
      <div className={styles.verdict}>
        <h2>{advice ?? title}</h2>
        {advice !== undefined && <p>{title}</p>}
        {decidedBy !== undefined && <p className="muted">{decidedBy}</p>}
        {figures && <KeyFigures figures={figures} />}
      </div>
      {about !== undefined && <p>{about}</p>}
      {uncovered !== undefined && <p className={styles.uncovered}>{uncovered}</p>}
      {kind === 'failed' && figures && (
        <ul className={styles.failures}>
          {figures.failures.map((failure, index) => (
            <li key={index}>{failure}</li>
          ))}
        </ul>
      )}
      {whatIf !== undefined && <p className="muted">{whatIf}</p>}
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
      {figures && describeInnerCalls(figures.inside).map((line) => <p key={line}>{line}</p>)}
      {figures && figures.checks.length > 0 && (
        <Disclosure summary="All checks">
          <CheckTable checks={figures.checks} />
        </Disclosure>
      )}
      {children}
    </section>
  );
}
