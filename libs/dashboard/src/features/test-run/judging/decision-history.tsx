import { describeDecision } from '@dacapo/evaluation';
import type { DecisionRecord, TestRunRecord } from '@dacapo/protocol';
import { formatQuantity } from '../../../shared/format/format-count.js';
import { Disclosure } from '../../../shared/ui/disclosure.js';
import { Time } from '../../../shared/ui/time.js';
import type { RunFigures } from '../decision/read-summary.js';
import styles from './judging.module.css';

interface DecisionHistoryProps {
  run: TestRunRecord;
  /** As the client stored them. */
  figures: RunFigures;
  /** Newest first. */
  decisions: readonly DecisionRecord[];
}

/** All decisions on a run, newest first. The client's is the first one. */
export function DecisionHistory({ run, figures, decisions }: DecisionHistoryProps) {
  if (decisions.length === 0) return null;
  const { passed = false, checks, failures } = figures;
  return (
    <Disclosure summary={`History (${decisions.length + 1})`}>
      <ol className={styles.history} aria-label="Decisions">
        {decisions.map((decision) => (
          <li key={decision.no}>
            <span className={styles.result}>{describe(decision)}</span>
            <span>{describeChange(decision.change).join(', ')}</span>
            <span className="muted">
              {decision.author.name}, <Time at={decision.decided_at} />
            </span>
            {decision.note !== undefined && <span>{decision.note}</span>}
          </li>
        ))}
        <li>
          <span className={styles.result}>{describeDecision({ passed, checks, failures })}</span>
          <span>as replayed</span>
          <span className="muted">client, {run.finished_at && <Time at={run.finished_at} />}</span>
        </li>
      </ol>
    </Disclosure>
  );
}

function describe({ passed, checks }: DecisionRecord): string {
  return describeDecision({ passed, checks, failures: checks.flatMap((check) => check.failures) });
}

/** Such as `accepted 9 calls`, `ignored $.model_version`. */
function describeChange({ ignored, compared, accepted, better, worse, cleared }: DecisionRecord['change']) {
  const counts = Object.entries({ accepted, better, worse, cleared }).filter(([, count]) => count > 0);
  return [
    ...ignored.map((path) => `ignored ${path}`),
    ...compared.map((path) => `compares ${path} again`),
    ...counts.map(([name, count]) => `${name} ${formatQuantity(count, 'call')}`),
  ];
}
