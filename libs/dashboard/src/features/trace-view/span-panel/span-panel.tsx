import type { SpanRecord, SpanSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { formatQuantity } from '../../../shared/format/format-count.js';
import { formatDuration } from '../../../shared/format/format-duration.js';
import { paths } from '../../../shared/navigation/paths.js';
import { Link } from '../../../shared/sharing/account-link.js';
import { useSharedLink } from '../../../shared/sharing/shared-link-context.js';
import { CopyButton } from '../../../shared/ui/copy-button.js';
import { ErrorNotice, Loading } from '../../../shared/ui/notice.js';
import { SpanStatus } from '../../../shared/ui/span-status.js';
import { SpanType } from '../../../shared/ui/span-type.js';
import { spanQuery } from '../../../shared/spans/api.js';
import type { TraceAnalysis } from '../analysis/analyse-trace.js';
import { compareWithUsual } from '../../../shared/usual-duration/compare-with-usual.js';
import { SlowFactor } from '../../../shared/usual-duration/slow-factor.js';
import { offsetMs } from '../analysis/timeline.js';
import { SourceLink } from './source-link.js';
import { SpanContent } from './span-content.js';
import styles from './span-panel.module.css';
import { UsageSummary } from './usage.js';

interface SpanPanelProps {
  traceId: string;
  summary: SpanSummary;
  analysis: TraceAnalysis;
}

/** One span. Loads its payload when opened. */
export function SpanPanel({ traceId, summary, analysis }: SpanPanelProps) {
  const isShown = useSharedLink()?.payloads !== false;
  const query = useQuery({ ...spanQuery(traceId, summary.id), enabled: isShown });
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
          <Timing summary={summary} analysis={analysis} />
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
        {!isShown && <p className="muted">This link shows no inputs and outputs.</p>}
        {isShown && query.isPending && <Loading what="the span" />}
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

/** How long the span took: usually, itself, and with the trace waiting for it. */
function Timing({ summary, analysis }: Pick<SpanPanelProps, 'summary' | 'analysis'>) {
  const { timeline, selfTimes, criticalTimes, usual } = analysis;
  const key = summary.trace_function_key;
  const known = Object.hasOwn(usual, key) ? usual[key] : undefined;
  const selfMs = selfTimes.get(summary.id);
  const criticalMs = criticalTimes.get(summary.id);
  return (
    <>
      <li>
        {formatDuration(summary.duration_ms)}
        <SlowFactor factor={compareWithUsual(summary, usual)} />
        {known !== undefined && (
          <span
            title={`Median of ${formatQuantity(known.calls, 'call')} with this key. 95 % took at most ${formatDuration(known.p95_ms)}.`}
          >
            usually {formatDuration(known.p50_ms)}
          </span>
        )}
      </li>
      {selfMs !== undefined && selfMs !== summary.duration_ms && (
        <li title="Without the time in which spans inside it ran">{formatDuration(selfMs)} itself</li>
      )}
      {criticalMs !== undefined && (
        <li title="The trace waited for this span itself. Less would have made the trace shorter.">
          {formatDuration(criticalMs)} on the critical path
        </li>
      )}
      <li>starts at {formatDuration(offsetMs(summary, timeline))}</li>
    </>
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
