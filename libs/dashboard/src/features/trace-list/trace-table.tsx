import type { TraceSummary } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { formatClock, formatDateTime, formatDay, formatZone } from '../../shared/format/format-time.js';
import { paths } from '../../shared/navigation/paths.js';
import { Badge } from '../../shared/ui/badge.js';
import { Cost } from '../../shared/ui/cost.js';
import { Marked } from '../../shared/ui/marked.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { SpanStatus } from '../../shared/ui/span-status.js';
import { SpanTypeIcon } from '../../shared/ui/span-type.js';
import styles from './trace-table.module.css';

interface TraceTableProps {
  traces: TraceSummary[];
  /** The words that the rows match, to mark. */
  search: string;
  /** The traces match the previous filter while the new one loads. */
  isOutdated: boolean;
}

/** Sets explicit table roles, because the phone layout replaces `display: table`, which drops the implicit ones. */
export function TraceTable({ traces, search, isOutdated }: TraceTableProps) {
  const zone = formatZone(traces[0]?.started_at ?? '');
  return (
    <div className={`table-frame ${styles.frame ?? ''}`} aria-busy={isOutdated}>
      <table className={styles.table} role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Started {zone}</th>
            <th role="columnheader">Call</th>
            <th role="columnheader" className={styles.happened}>
              What happened
            </th>
            <th role="columnheader">Session</th>
            <th role="columnheader" className="number">
              Spans
            </th>
            <th role="columnheader" className="number">
              Duration
            </th>
            <th role="columnheader" className="number">
              Tokens
            </th>
            <th role="columnheader" className="number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {traces.map((trace) => (
            <TraceRow key={trace.id} trace={trace} search={search} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TraceRow({ trace, search }: { trace: TraceSummary; search: string }) {
  const call = trace.first_call ?? trace;
  const error = call.error_preview ?? trace.error_preview;
  return (
    <LinkRow href={paths.trace(trace.id)}>
      <td role="cell" className={styles.started}>
        <Started at={trace.started_at} />
      </td>
      <td role="cell" className={styles.name}>
        <span className={styles.call}>
          <SpanTypeIcon type={trace.type} />
          <Link className={`cover ${styles.line ?? ''}`} href={paths.trace(trace.id)} title={trace.name}>
            {trace.name}
          </Link>
          {trace.first_call !== undefined && trace.first_call.name !== trace.name && (
            <span className={`muted ${styles.line ?? ''}`} title={trace.first_call.name}>
              {trace.first_call.name}
            </span>
          )}
        </span>
      </td>
      <td role="cell" className={styles.happened}>
        <span className={styles.call}>
          <Outcome trace={trace} error={error} />
          <WhatHappened call={call} error={error} search={search} />
        </span>
      </td>
      <td role="cell" className={styles.session}>
        {trace.session_id !== undefined && (
          <Link
            className={`muted ${styles.line ?? ''}`}
            href={paths.traces({ session_id: trace.session_id })}
            title={`Traces of session ${trace.session_id}`}
          >
            {trace.session_id}
          </Link>
        )}
      </td>
      <td role="cell" className={`number muted ${styles.spans ?? ''}`}>
        {formatCount(trace.span_count)}
      </td>
      <td role="cell" className={`number ${styles.duration ?? ''}`}>
        {formatDuration(trace.duration_ms)}
      </td>
      <td role="cell" className={`number muted ${styles.tokens ?? ''}`}>
        {trace.tokens === undefined ? '–' : formatCount(trace.tokens)}
      </td>
      <td role="cell" className={`number ${styles.cost ?? ''}`}>
        <Cost usage={mergeUsage(trace)} />
      </td>
    </LinkRow>
  );
}

/** `usage` (with the number of unpriced calls) is stored a moment after `tokens` and `cost_usd`. */
function mergeUsage({ tokens, cost_usd, usage }: TraceSummary) {
  if ((tokens ?? cost_usd ?? usage) === undefined) return undefined;
  return { ...usage, cost_usd: cost_usd ?? usage?.cost_usd };
}

function Started({ at }: { at: string }) {
  return (
    <time className="nowrap mono" dateTime={at} title={formatDateTime(at)}>
      <span className="muted">{formatDay(at)}</span> {formatClock(at)}
    </time>
  );
}

/** What the text of the row does not show: another status than `ok`, and inner calls that failed. */
function Outcome({
  trace: { status, error_count },
  error,
}: {
  trace: TraceSummary;
  error: string | undefined;
}) {
  if (status === 'error' && error !== undefined) return <span className="visually-hidden">error</span>;
  if (status !== 'ok') return <SpanStatus status={status} />;
  if (error_count > 0) return <Badge tone="error">{formatQuantity(error_count, 'inner error')}</Badge>;
  return null;
}

interface WhatHappenedProps {
  call: Pick<TraceSummary, 'input_preview' | 'output_preview'>;
  error: string | undefined;
  search: string;
}

/** The error, or the input and the output. */
function WhatHappened({ call, error, search }: WhatHappenedProps) {
  const { input_preview: input, output_preview: output } = call;
  if (error !== undefined) {
    return (
      <span className={`${styles.line ?? ''} ${styles.error ?? ''}`} title={error}>
        <Marked text={error} search={search} />
      </span>
    );
  }
  return (
    <>
      {input !== undefined && (
        <span className={`mono ${styles.line ?? ''} ${styles.input ?? ''}`}>
          <Marked text={withoutBrackets(input)} search={search} />
        </span>
      )}
      {output !== undefined && (
        <span className={`mono muted ${styles.line ?? ''}`}>
          <span aria-hidden="true">→ </span>
          <span className="visually-hidden">returned </span>
          <Marked text={output} search={search} />
        </span>
      )}
    </>
  );
}

/** Arguments are recorded as an array. Its brackets say nothing, and the preview may end before the second. */
function withoutBrackets(input: string): string {
  return input.replace(/^\[/, '').replace(/\]$/, '');
}
