import { formatInterval, formatNumber } from '@dacapo/evaluation';
import type { ScoreRecord } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { compareWithJudge, type RatedPair, targetId } from './agreement.js';
import { MOST_SCORES } from './api.js';
import styles from './review.module.css';
import type { Scale } from './scale.js';

const MOST_LISTED = 50;

interface AgreementPanelProps {
  name: string;
  scale: Scale;
  /** Newest first. */
  scores: readonly ScoreRecord[];
}

/** How far people and the judge agree, and where they do not. */
export function AgreementPanel({ name, scale, scores }: AgreementPanelProps) {
  const { pairs, table, agreement, disagreements } = compareWithJudge(scores, scale);
  const { n, agreed, kappa, interval, reason } = agreement;
  return (
    <section className={styles.agreement} aria-labelledby="agreement">
      <h2 id="agreement">People and the judge</h2>
      {pairs.length === 0 ? (
        <p className="muted">
          No call has a score “{name}” by a person and by an evaluator. Score calls that the judge scored.
        </p>
      ) : (
        <>
          <p>
            {kappa === null ? (
              reason
            ) : (
              <>
                Cohen’s kappa <strong>{formatNumber(kappa)}</strong>
                {interval && <>, 95 % CI {formatInterval(interval)}</>}, over {formatQuantity(n, 'call')}.
                Equal in {Math.round(agreed * n)} of {n}.
              </>
            )}
          </p>
          <AgreementTable scale={scale} table={table} />
          {disagreements.length > 0 && <Disagreements pairs={disagreements} />}
          {scores.length >= MOST_SCORES && (
            <p className="muted">Of the newest {formatQuantity(MOST_SCORES, 'score')}.</p>
          )}
        </>
      )}
    </section>
  );
}

function AgreementTable({ scale, table }: { scale: Scale; table: readonly (readonly number[])[] }) {
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Scores of people and the judge">
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Person</th>
            {scale.choices.map(({ label }) => (
              <th key={label} className="number">
                Judge: {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {scale.choices.map(({ label }, row) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {table[row]?.map((count, column) => (
                <td key={column} className="number" data-equal={row === column}>
                  {count}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Disagreements({ pairs }: { pairs: readonly RatedPair[] }) {
  const more = pairs.length - MOST_LISTED;
  return (
    <>
      <h3>Disagreements</h3>
      <ul className={styles.disagreements} aria-label="Disagreements">
        {pairs.slice(0, MOST_LISTED).map(({ person, judge, byPerson, byJudge }) => (
          <li key={targetId(person)}>
            <TargetLink score={person} />
            <span>
              {person.author.name}: {byPerson.label}
            </span>
            <span>
              {judge.author.name}: {byJudge.label}
            </span>
            {judge.explanation !== undefined && <span className="muted">{judge.explanation}</span>}
          </li>
        ))}
      </ul>
      {more > 0 && <p className="muted">and {more} more</p>}
    </>
  );
}

function TargetLink({ score }: { score: ScoreRecord }) {
  const { trace_id: trace, span_id: span, test_run_id: run, item_no: no = 0, session_id: session } = score;
  if (trace !== undefined) return <Link href={paths.trace(trace, span)}>Trace {trace.slice(0, 8)}</Link>;
  if (run !== undefined) return <Link href={paths.testRun(run)}>Call {no + 1} of a run</Link>;
  return <Link href={paths.traces({ session_id: session ?? '' })}>Session {session}</Link>;
}
