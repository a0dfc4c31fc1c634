import type { TestRunRecord } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatCount } from '../format/format-count.js';
import { paths } from '../navigation/paths.js';
import { LinkRow } from '../ui/link-row.js';
import { Time } from '../ui/time.js';
import { missingItems, RunDecision, TestRunStatusBadge, testRunTitle } from './test-run.js';
import styles from './test-run-table.module.css';

interface TestRunTableProps {
  runs: TestRunRecord[];
  /** Without it, runs cannot be selected. */
  selection?: RunSelection;
  /** All runs have the same key, so that it is not shown. */
  isOfOneKey?: boolean;
}

interface RunSelection {
  /** Ids of the selected runs. */
  selected: readonly string[];
  onSelect: (id: string) => void;
}

export function TestRunTable({ runs, selection, isOfOneKey = false }: TestRunTableProps) {
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Runs">
      <table className="lines-on-phones">
        <thead>
          <tr>
            {selection && (
              <th>
                <span className="visually-hidden">Selected</span>
              </th>
            )}
            <th>Run</th>
            <th>Decision</th>
            <th>Started</th>
            {!isOfOneKey && <th>Key</th>}
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
            <TestRunRow key={run.id} run={run} selection={selection} isOfOneKey={isOfOneKey} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TestRunRowProps {
  run: TestRunRecord;
  selection: RunSelection | undefined;
  isOfOneKey: boolean;
}

function TestRunRow({ run, selection, isOfOneKey }: TestRunRowProps) {
  const { totals } = run;
  const missing = missingItems(run);
  return (
    <LinkRow href={paths.testRun(run.id)} isSelected={selection?.selected.includes(run.id) ?? false}>
      {selection && (
        <td className={styles.select}>
          <label>
            <input
              type="checkbox"
              aria-label={`Select ${testRunTitle(run)}`}
              checked={selection.selected.includes(run.id)}
              onChange={() => {
                selection.onSelect(run.id);
              }}
            />
          </label>
        </td>
      )}
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
      {!isOfOneKey && (
        <td>
          <span className="two-lines">{run.trace_function_key}</span>
        </td>
      )}
      <td>
        <TestRunStatusBadge status={run.status} />
      </td>
      <td className="number" data-label="Calls">
        {formatCount(totals.items)}
        {missing > 0 && (
          <>
            {' of '}
            {formatCount(totals.items + missing)}
            <span className={`nowrap ${styles.missing ?? ''}`}>{formatCount(missing)} not stored</span>
          </>
        )}
      </td>
      <td className="number" data-label="Same">
        {formatCount(totals.same)}
      </td>
      <td data-label="Changed" className={`number ${totals.changed > 0 ? (styles.changed ?? '') : 'muted'}`}>
        {formatCount(totals.changed)}
      </td>
      <td data-label="Unknown" className={`number ${totals.unknown > 0 ? (styles.changed ?? '') : 'muted'}`}>
        {formatCount(totals.unknown)}
      </td>
      <td
        data-label="Diverged"
        className={`number ${totals.diverged > 0 ? (styles.changed ?? '') : 'muted'}`}
      >
        {formatCount(totals.diverged)}
      </td>
      <td data-label="Errors" className={`number ${totals.error > 0 ? (styles.error ?? '') : 'muted'}`}>
        {formatCount(totals.error)}
      </td>
    </LinkRow>
  );
}
