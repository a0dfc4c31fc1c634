import type { TraceSummary } from '@dacapo/protocol';
import { memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { formatClock, formatDateTime, formatDay } from '../../shared/format/format-time.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { Cost } from '../../shared/ui/cost.js';
import { compareWithUsual, type UsualDurations } from '../../shared/usual-duration/compare-with-usual.js';
import { SlowFactor } from '../../shared/usual-duration/slow-factor.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { SpanStatus } from '../../shared/ui/span-status.js';
import { SpanTypeIcon } from '../../shared/ui/span-type.js';
import type { Column, ColumnId } from './columns.js';
import styles from './trace-table.module.css';
import { WhatHappened } from './what-happened.js';

interface TraceRowProps {
  trace: TraceSummary;
  /** From 1. */
  place: number;
  columns: readonly Column[];
  search: string;
  usual: UsualDurations | undefined;
  isSelected: boolean;
  onToggle: (id: string) => void;
}

/** A trace by the call that matches, which opens with it. */
export const TraceRow = memo(function TraceRow(props: TraceRowProps) {
  const { trace, place, columns, search, usual, isSelected, onToggle } = props;
  const { first_call: match, name } = trace;
  const href = paths.trace(trace.id, match?.id);
  return (
    <LinkRow href={href} id={trace.id} place={place} isSelected={isSelected}>
      <td role="cell" className={styles.select}>
        <input
          type="checkbox"
          aria-label={`Select ${match?.name ?? name}`}
          checked={isSelected}
          onChange={() => {
            onToggle(trace.id);
          }}
        />
      </td>
      <td role="cell" className={styles.started}>
        <time className="nowrap mono" dateTime={trace.started_at} title={formatDateTime(trace.started_at)}>
          <span className="muted">{formatDay(trace.started_at)}</span> {formatClock(trace.started_at)}
        </time>
      </td>
      <td role="cell" className={styles.name}>
        <span className={styles.call}>
          <SpanTypeIcon type={match?.type ?? trace.type} />
          <Link className={`cover ${styles.line ?? ''}`} href={href} title={match?.name ?? name}>
            {match?.name ?? name}
          </Link>
          {match !== undefined && match.name !== name && (
            <span className={`muted ${styles.line ?? ''}`} title={name}>
              in {name}
            </span>
          )}
        </span>
      </td>
      <td role="cell" className={styles.happened}>
        <span className={styles.call}>
          <Outcome trace={trace} />
          <WhatHappened trace={trace} search={search} />
        </span>
      </td>
      {columns.map(({ id, sort }) => (
        <td key={id} role="cell" className={`${styles[id] ?? ''} ${sort ? 'number' : ''}`}>
          {CELLS[id](trace, usual)}
        </td>
      ))}
    </LinkRow>
  );
});

const CELLS: Record<ColumnId, (trace: TraceSummary, usual: UsualDurations | undefined) => ReactNode> = {
  session: ({ session_id: session }) =>
    session !== undefined && (
      <Link
        className={`muted ${styles.line ?? ''}`}
        href={paths.traces({ session_id: session })}
        title={`Traces of session ${session}`}
      >
        {session}
      </Link>
    ),
  release: ({ release }) => <span className={`muted ${styles.line ?? ''}`}>{release}</span>,
  spans: ({ span_count: spans }) => <span className="muted">{formatCount(spans)}</span>,
  duration: (trace, usual) => (
    <>
      {formatDuration(trace.duration_ms)}
      <SlowFactor factor={compareWithUsual(trace, usual)} />
    </>
  ),
  tokens: ({ tokens }) => <span className="muted">{tokens === undefined ? '–' : formatCount(tokens)}</span>,
  cost: (trace) => <Cost usage={mergeUsage(trace)} />,
};

/** `usage` (with the number of unpriced calls) is stored a moment after `tokens` and `cost_usd`. */
function mergeUsage({ tokens, cost_usd, usage }: TraceSummary) {
  if ((tokens ?? cost_usd ?? usage) === undefined) return undefined;
  return { ...usage, cost_usd: cost_usd ?? usage?.cost_usd };
}

/** What the text of the row does not show: another status than `ok`, and inner calls that failed. */
function Outcome({
  trace: { status, error_count: errors, error_preview: error, first_call: match },
}: {
  trace: TraceSummary;
}) {
  const shown = match?.status ?? status;
  if (shown === 'error' && (match ?? { error_preview: error }).error_preview !== undefined)
    return <span className="visually-hidden">error</span>;
  if (shown !== 'ok') return <SpanStatus status={shown} />;
  if (errors > 0) return <Badge tone="error">{formatQuantity(errors, 'inner error')}</Badge>;
  return null;
}
