import type { GridRow, TestRunItemSummary, TestRunRecord } from '@dacapo/protocol';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { formatScore } from '../../shared/scores/format-score.js';
import { RunDecision, testRunTitle } from '../../shared/test-run/test-run.js';
import { EmptyState } from '../../shared/ui/notice.js';
import styles from './grid-table.module.css';
import { GridOutcomes } from './grid-outcomes.js';

interface GridTableProps {
  runs: readonly TestRunRecord[];
  rows: readonly GridRow[];
}

/** One column for each run. A row opens the outcomes of its call. */
export function GridTable({ runs, rows }: GridTableProps) {
  if (rows.length === 0) return <EmptyState title="No calls match this filter." />;
  return (
    <div className="table-frame" tabIndex={0} role="group" aria-label="Calls by runs">
      <table className={styles.grid}>
        <thead>
          <tr>
            <th>Call</th>
            {runs.map((run) => (
              <th key={run.id}>
                <span className={styles.run}>
                  <Link className="one-line" href={paths.testRun(run.id)}>
                    {testRunTitle(run)}
                  </Link>
                  <RunDecision run={run} />
                </span>
                <span className="muted">
                  {formatCount(run.totals.same)} of {formatQuantity(run.totals.items, 'call')} same
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Row key={index} runs={runs} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ runs, row }: { runs: readonly TestRunRecord[]; row: GridRow }) {
  const [isOpen, setIsOpen] = useState(false);
  const { item } = row.cells.find((cell) => cell.item !== undefined) ?? {};
  return (
    <>
      <tr data-agreement={row.agreement}>
        <td>
          <button
            type="button"
            className={`plain opens ${styles.call ?? ''}`}
            data-row
            aria-expanded={isOpen}
            onClick={() => {
              setIsOpen(!isOpen);
            }}
          >
            <span>Call {item === undefined ? '' : item.item_no + 1}</span>
            <code className={styles.preview}>{item?.input_preview}</code>
          </button>
        </td>
        {runs.map((run, index) => (
          <td key={run.id}>
            <Cell item={row.cells[index]?.item} />
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={runs.length + 1} className={styles.open}>
            <GridOutcomes runs={runs} row={row} />
          </td>
        </tr>
      )}
    </>
  );
}

function Cell({ item }: { item: TestRunItemSummary | undefined }) {
  if (item === undefined) return <span className="muted">missing</span>;
  const { verdict, fixed, judgement, scores = [], error_preview: error } = item;
  return (
    <span className={styles.cell}>
      <span className={styles.verdict} data-verdict={verdict} title={error}>
        {fixed ? 'fixed' : verdict}
      </span>
      {judgement !== undefined && <span className="muted">{judgement}</span>}
      {scores.map(({ name, value }) => (
        <span key={name} className="muted nowrap">
          {name} {formatScore(value)}
        </span>
      ))}
    </span>
  );
}
