import type { SpanRecord, SpanSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatDuration } from '../../../shared/format/format-duration.js';
import { paths } from '../../../shared/navigation/paths.js';
import { CopyButton } from '../../../shared/ui/copy-button.js';
import { ErrorNotice, Loading } from '../../../shared/ui/notice.js';
import { SpanStatus } from '../../../shared/ui/span-status.js';
import { SpanType } from '../../../shared/ui/span-type.js';
import { spanQuery } from '../../../shared/spans/api.js';
import { offsetMs, type Timeline } from '../tree/timeline.js';
import { SourceLink } from './source-link.js';
import { SpanContent } from './span-content.js';
import styles from './span-panel.module.css';
import { UsageSummary } from './usage.js';

interface SpanPanelProps {
  traceId: string;
  summary: SpanSummary;
  timeline: Timeline;
}

/** One span. Loads its payload when opened. */
export function SpanPanel({ traceId, summary, timeline }: SpanPanelProps) {
  const query = useQuery(spanQuery(traceId, summary.id));
  return (
    <section className={styles.panel} aria-label={`Span ${summary.name}`}>
      <header className={styles.header}>
        <h2 className="two-lines" title={summary.name}>
          {summary.name}
        </h2>
        <ul className={styles.facts}>
          <li>
            <SpanStatus status={summary.status} />
            <SpanType type={summary.type} kind={summary.kind} />
          </li>
          {summary.level !== undefined && <li>Level {summary.level}</li>}
          <li>{formatDuration(summary.duration_ms)}</li>
          <li>starts at {formatDuration(offsetMs(summary, timeline))}</li>
          {query.data && <UsageSummary span={query.data} />}
          <li>
            Key
            <Link
              className="one-line"
              href={paths.traces({ trace_function_key: summary.trace_function_key })}
            >
              {summary.trace_function_key}
            </Link>
          </li>
          <li>
            <code>{summary.id}</code>
            <CopyButton text={summary.id} what="span id" />
          </li>
        </ul>
        {query.data && <Origin span={query.data} />}
      </header>
      <div className={styles.content}>
        {query.isPending && <Loading what="the span" />}
        {query.isError && (
          <ErrorNotice
            title="Could not load the span."
            error={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        {query.data && <SpanContent span={query.data} />}
      </div>
    </section>
  );
}

function Origin({ span }: { span: SpanRecord }) {
  const { trace_id: newTraceId, test_run_id: testRunId, source_span_id: sourceSpanId } = span;
  const isMocked = span.span_data.meta?.mocked === true;
  if (testRunId === undefined) return null;
  return (
    <p className={styles.origin}>
      {isMocked ? 'Mocked in ' : 'Replayed in '}
      <Link href={paths.testRun(testRunId)}>a run</Link>
      {sourceSpanId === undefined ? (
        '.'
      ) : (
        <SourceLink testRunId={testRunId} newTraceId={newTraceId} sourceSpanId={sourceSpanId} />
      )}
    </p>
  );
}
