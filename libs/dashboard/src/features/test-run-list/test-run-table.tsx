import type { TestRunRecord } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import {
  missingItems,
  RunDecision,
  TestRunStatusBadge,
  testRunTitle,
} from '../../shared/test-run/test-run.js';
import { paths } from '../../shared/navigation/paths.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { Time } from '../../shared/ui/time.js';
import styles from './test-run-table.module.css';

export function TestRunTable({ runs }: { runs: TestRunRecord[] }) {
  return (
    <div className="table-frame">
      <table>
        <thead>
          <tr>
            <th>Run</th>
            <th>Decision</th>
            <th>Started</th>
            <th>Key</th>
            <th>Status</th>
            <th className="number">Calls</th>
            <th className="number">Same</th>
            <th className="number">Changed</th>
            <th className="number">Unknown</th>
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
  const missing = missingItems(run);
  return (
    <LinkRow href={paths.testRun(run.id)}>
      <td>
        <Link className="cover two-lines" href={paths.testRun(run.id)}>
          {testRunTitle(run)}
        </Link>
        {run.rescore_of !== undefined && <span className="muted"> rescored</span>}
      </td>
      <td>
        <RunDecision run={run} />
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
      <td className="number">
        {formatCount(totals.items)}
        {missing > 0 && (
          <>
            {' of '}
            {formatCount(totals.items + missing)}
            <span className={`nowrap ${styles.missing ?? ''}`}>{formatCount(missing)} not stored</span>
          </>
        )}
      </td>
      <td className="number">{formatCount(totals.same)}</td>
      <td className={`number ${totals.changed > 0 ? (styles.changed ?? '') : 'muted'}`}>
        {formatCount(totals.changed)}
      </td>
      <td className={`number ${totals.unknown > 0 ? (styles.changed ?? '') : 'muted'}`}>
        {formatCount(totals.unknown)}
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
