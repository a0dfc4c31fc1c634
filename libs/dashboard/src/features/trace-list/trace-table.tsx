import type { TraceSummary } from '@dacapo/protocol';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { formatClock, formatDateTime, formatDay } from '../../shared/format/format-time.js';
import { paths } from '../../shared/navigation/paths.js';
import { SpanStatus } from '../../shared/ui/span-status.js';
import { SpanType } from '../../shared/ui/span-type.js';
import styles from './trace-table.module.css';

export function TraceTable({ traces }: { traces: TraceSummary[] }) {
  return (
    <div className="card table-frame">
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Started</th>
            <th>Name</th>
            <th>Status</th>
            <th className="number">Duration</th>
            <th className="number">Spans</th>
            <th className="number">Errors</th>
            <th>Session</th>
            <th className={styles.previews}>Input and output</th>
          </tr>
        </thead>
        <tbody>
          {traces.map((trace) => (
            <TraceRow key={trace.id} trace={trace} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TraceRow({ trace }: { trace: TraceSummary }) {
  return (
    <tr className="row-link">
      <td>
        <Started at={trace.started_at} />
      </td>
      <td className={styles.name}>
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
      <td>
        <SpanStatus status={trace.status} />
      </td>
      <td className="number">{formatDuration(trace.duration_ms)}</td>
      <td className="number">{formatCount(trace.span_count)}</td>
      <td className={`number ${trace.error_count > 0 ? (styles.errors ?? '') : 'muted'}`}>
        {formatCount(trace.error_count)}
      </td>
      <td className={styles.session}>
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
      <td className={styles.previews}>
        {trace.first_call && <span className={`muted ${styles.line ?? ''}`}>{trace.first_call.name}</span>}
        <Preview label="in" text={(trace.first_call ?? trace).input_preview} />
        <Preview label="out" text={(trace.first_call ?? trace).output_preview} />
      </td>
    </tr>
  );
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
