import type { TestRunRecord } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { TestRunStatusBadge, testRunTitle } from '../../shared/test-run/test-run.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { Time } from '../../shared/ui/time.js';
import styles from './test-run-table.module.css';

export function TestRunTable({ runs }: { runs: TestRunRecord[] }) {
  return (
    <div className="card table-frame">
      <table>
        <thead>
          <tr>
            <th>Test run</th>
            <th>Decision</th>
            <th>Started</th>
            <th>Key</th>
            <th>Status</th>
            <th className="number">Calls</th>
            <th className="number">Same</th>
            <th className="number">Changed</th>
            <th className="number">Diverged</th>
            <th className="number">Errors</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <TestRunRow key={run.id} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TestRunRow({ run }: { run: TestRunRecord }) {
  const { totals } = run;
  return (
    <LinkRow href={paths.testRun(run.id)}>
      <td>
        <Link className="cover two-lines" href={paths.testRun(run.id)}>
          {testRunTitle(run)}
        </Link>
      </td>
      <td>
        <Decision run={run} />
      </td>
      <td>
        <Time at={run.created_at} />
      </td>
      <td>
        <span className="two-lines">{run.trace_function_key}</span>
      </td>
      <td>
        <TestRunStatusBadge status={run.status} />
      </td>
      <td className="number">{formatCount(totals.items)}</td>
      <td className="number">{formatCount(totals.same)}</td>
      <td className={`number ${totals.changed > 0 ? (styles.changed ?? '') : 'muted'}`}>
        {formatCount(totals.changed)}
      </td>
      <td className={`number ${totals.diverged > 0 ? (styles.changed ?? '') : 'muted'}`}>
        {formatCount(totals.diverged)}
      </td>
      <td className={`number ${totals.error > 0 ? (styles.error ?? '') : 'muted'}`}>
        {formatCount(totals.error)}
      </td>
    </LinkRow>
  );
}

/** Nothing of a run without a gate, or one that is not at its end. */
function Decision({ run: { passed, status } }: { run: TestRunRecord }) {
  if (passed === undefined || status !== 'finished') return <span className="muted">–</span>;
  return <Badge tone={passed ? 'ok' : 'error'}>{passed ? 'passed' : 'failed'}</Badge>;
}
