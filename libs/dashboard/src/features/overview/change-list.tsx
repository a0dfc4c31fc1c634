import type { Change, ChangesAnswer } from '@dacapo/protocol';
import { Link } from 'wouter';
import { paths } from '../../shared/navigation/paths.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { describeChange, tracesOfChange } from './describe-change.js';
import styles from './overview.module.css';

/** The changes, worst first. Each row leads to its traces. */
export function ChangeList({ answer }: { answer: ChangesAnswer }) {
  if (answer.changes.length === 0)
    return (
      <p className={styles.none}>
        Nothing got worse, as far as the calls show. Differences that chance explains are not listed.
      </p>
    );
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="What got worse, table">
      <table className="lines-on-phones">
        <thead>
          <tr>
            <th>Function</th>
            <th>Change</th>
            <th>Evidence</th>
            <th>
              <span className="visually-hidden">More</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {answer.changes.map((change) => (
            <ChangeRow
              key={`${change.kind} ${change.trace_function_key} ${change.error ?? ''}`}
              change={change}
              answer={answer}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ChangeRow({ change, answer }: { change: Change; answer: ChangesAnswer }) {
  const { what, evidence } = describeChange(change);
  const isFailure = change.kind === 'new_error' || change.kind === 'failures';
  const href = paths.traces(tracesOfChange(change, answer.current));
  return (
    <LinkRow href={href}>
      <th scope="row">
        <Link className="cover two-lines" href={href}>
          {change.trace_function_key}
        </Link>
      </th>
      <td className={isFailure ? styles.failure : styles.rise}>{what}</td>
      <td className={styles.evidence}>{evidence}</td>
      <td className="number">
        <Link href={paths.function(change.trace_function_key, functionFilter(change))}>
          Function<span className="visually-hidden"> {change.trace_function_key}</span>
        </Link>
      </td>
    </LinkRow>
  );
}

function functionFilter({ kind }: Change): Record<string, string> {
  if (kind === 'new_error' || kind === 'failures') return { tab: 'errors' };
  return { measure: kind };
}
