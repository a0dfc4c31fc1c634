import type { TraceSummary } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { formatClock, formatDateTime, formatDay, formatZone } from '../../shared/format/format-time.js';
import { paths } from '../../shared/navigation/paths.js';
import { Cost } from '../../shared/ui/cost.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { SpanStatus } from '../../shared/ui/span-status.js';
import { SpanType } from '../../shared/ui/span-type.js';
import styles from './trace-table.module.css';

interface TraceTableProps {
  traces: TraceSummary[];
  /** The traces match the previous filter while the new one loads. */
  isOutdated: boolean;
}

/** Sets explicit table roles, because the phone layout replaces `display: table`, which drops the implicit ones. */
export function TraceTable({ traces, isOutdated }: TraceTableProps) {
  const zone = formatZone(traces[0]?.started_at ?? '');
  return (
    <div className="card table-frame" aria-busy={isOutdated}>
      <table className={styles.table} role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader">Started {zone !== '' && <span className={styles.zone}>{zone}</span>}</th>
            <th role="columnheader">Name</th>
            <th role="columnheader">Status</th>
            <th role="columnheader" className="number">
              Duration
            </th>
            <th role="columnheader" className="number">
              Tokens
            </th>
            <th role="columnheader" className="number">
              Cost
            </th>
            <th role="columnheader" className="number">
              Spans
            </th>
            <th role="columnheader">Session</th>
            <th role="columnheader" className={styles.previews}>
              Input and output
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {traces.map((trace) => (
            <TraceRow key={trace.id} trace={trace} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TraceRow({ trace }: { trace: TraceSummary }) {
  const call = trace.first_call ?? trace;
  const errorPreview = call.error_preview ?? trace.error_preview;
  return (
    <LinkRow href={paths.trace(trace.id)}>
      <td role="cell" className={styles.started}>
        <Started at={trace.started_at} />
      </td>
      <td role="cell" className={styles.name}>
        <Link className={`cover ${styles.line ?? ''}`} href={paths.trace(trace.id)} title={trace.name}>
          {trace.name}
        </Link>
        <span className={styles.line}>
          <SpanType type={trace.type} />{' '}
          {trace.trace_function_key !== trace.name && (
            <span className="muted">{trace.trace_function_key}</span>
          )}
        </span>
      </td>
      <td role="cell" className={styles.status}>
        <SpanStatus status={trace.status} />
      </td>
      <td role="cell" className={`number ${styles.duration ?? ''}`}>
        {formatDuration(trace.duration_ms)}
      </td>
      <td role="cell" className={`number ${styles.tokens ?? ''}`}>
        {trace.tokens === undefined ? <span className="muted">–</span> : formatCount(trace.tokens)}
      </td>
      <td role="cell" className={`number ${styles.cost ?? ''}`}>
        <Cost usage={mergeUsage(trace)} />
      </td>
      <td role="cell" className={`number ${styles.spans ?? ''}`}>
        {formatCount(trace.span_count)}
        {trace.error_count > 0 && (
          <span className={`${styles.line ?? ''} ${styles.errors ?? ''}`}>
            {formatQuantity(trace.error_count, 'error')}
          </span>
        )}
      </td>
      <td role="cell" className={styles.session}>
        {trace.session_id !== undefined && (
          <Link
            className={styles.line}
            href={paths.traces({ session_id: trace.session_id })}
            title={`Traces of session ${trace.session_id}`}
          >
            {trace.session_id}
          </Link>
        )}
      </td>
      <td role="cell" className={styles.previews}>
        {trace.first_call && <span className={`muted ${styles.line ?? ''}`}>{trace.first_call.name}</span>}
        <Preview label="in" text={call.input_preview} />
        {errorPreview === undefined ? (
          <Preview label="out" text={call.output_preview} />
        ) : (
          <span className={`${styles.line ?? ''} ${styles.error ?? ''}`} title={errorPreview}>
            {errorPreview}
          </span>
        )}
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
    <time className="nowrap" dateTime={at} title={formatDateTime(at)}>
      {formatClock(at)}
      <span className={`muted ${styles.line ?? ''}`}>{formatDay(at)}</span>
    </time>
  );
}

function Preview({ label, text }: { label: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <span className={`mono ${styles.line ?? ''}`}>
      <span className={styles.previewLabel}>{label}</span> {text}
    </span>
  );
}
