import type { TraceSort, TraceSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { formatZone } from '../../shared/format/format-time.js';
import { ArrivedButton } from '../../shared/live/arrived-button.js';
import { useMedia } from '../../shared/ui/use-media.js';
import { useRowWindow } from '../../shared/ui/use-row-window.js';
import { usualDurationsQuery } from './api.js';
import type { Column } from './columns.js';
import { TraceRow } from './trace-row.js';
import styles from './trace-table.module.css';
import type { Selection } from './use-selection.js';

/** As `--row` and as the phone layout in trace-table.module.css have it. */
const ROW_PX = 32;
const PHONE_ROW_PX = 88;
const PHONE = '(max-width: 700px)';

/** The next page loads when so few rows are left below. */
const ROWS_AHEAD = 20;

interface TraceTableProps {
  rows: readonly TraceSummary[];
  columns: readonly Column[];
  /** The words that the rows match, to mark. */
  search: string;
  sort: TraceSort;
  selection: Selection;
  /** The traces match the previous filter while the new one loads. */
  isOutdated: boolean;
  /** Traces that arrived since the rows loaded. */
  arrived: number;
  onShowArrived: () => void;
  onSort: (sort: TraceSort) => void;
  /** The last rows are near. */
  onEnd: () => void;
}

/**
 * Renders the rows in view alone. Sets explicit table roles, because the phone layout replaces `display: table`, which drops the implicit
 * ones.
 */
export function TraceTable(props: TraceTableProps) {
  const { rows, columns, search, sort, selection, isOutdated, arrived, onShowArrived, onSort, onEnd } = props;
  const rowPx = useMedia(PHONE) ? PHONE_ROW_PX : ROW_PX;
  const { viewport, setViewport, first, end } = useRowWindow(rows.length, rowPx, -1);
  const { data: usual } = useQuery(usualDurationsQuery);
  const isNearEnd = end + ROWS_AHEAD >= rows.length;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, onEnd]);
  const showArrived = () => {
    onShowArrived();
    viewport?.scrollTo({ top: 0 });
  };
  return (
    <div ref={setViewport} className={styles.viewport} aria-busy={isOutdated}>
      <ArrivedButton count={arrived} edge="top" onShow={showArrived} />
      <table
        className={styles.table}
        role="table"
        aria-rowcount={rows.length}
        data-selecting={selection.ids.size > 0}
      >
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" className={styles.select}>
              <span className="visually-hidden">Selected</span>
            </th>
            <SortHeader className={styles.started} sort="time" sorted={sort} onSort={onSort}>
              Started {formatZone(rows[0]?.started_at ?? '')}
            </SortHeader>
            <th role="columnheader" className={styles.name}>
              Call
            </th>
            <th role="columnheader" className={styles.happened}>
              What happened
            </th>
            {columns.map((column) => (
              <SortHeader
                key={column.id}
                className={`${styles[column.id] ?? ''} ${column.sort ? 'number' : ''}`}
                sort={column.sort}
                sorted={sort}
                onSort={onSort}
              >
                {column.label}
              </SortHeader>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Gap heightPx={first * rowPx} />
          {rows.slice(first, end).map((trace, index) => (
            <TraceRow
              key={trace.id}
              trace={trace}
              place={first + index + 1}
              columns={columns}
              search={search}
              usual={usual}
              isSelected={selection.ids.has(trace.id)}
              onToggle={selection.toggle}
            />
          ))}
          <Gap heightPx={(rows.length - end) * rowPx} />
        </tbody>
      </table>
    </div>
  );
}

/** The room of the rows that are not rendered. */
function Gap({ heightPx }: { heightPx: number }) {
  return heightPx > 0 && <tr className={styles.gap} style={{ height: heightPx }} role="presentation" />;
}

interface SortHeaderProps {
  className: string | undefined;
  /** Absent if the column cannot be sorted by. */
  sort: TraceSort | undefined;
  sorted: TraceSort;
  onSort: (sort: TraceSort) => void;
  children: ReactNode;
}

function SortHeader({ className, sort, sorted, onSort, children }: SortHeaderProps) {
  return (
    <th
      role="columnheader"
      className={className}
      aria-sort={sort === undefined ? undefined : sort === sorted ? 'descending' : 'none'}
    >
      {sort === undefined ? (
        children
      ) : (
        <button
          type="button"
          className={styles.sort}
          data-sorted={sort === sorted}
          onClick={() => {
            onSort(sort);
          }}
        >
          {children}
        </button>
      )}
    </th>
  );
}
