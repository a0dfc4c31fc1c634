import type { TraceDetail } from '@dacapo/protocol';
import { lazy, Suspense, useRef, useState } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { ApiError } from '../../shared/http/api-error.js';
import { DeleteMenu } from '../../shared/deletions/delete-menu.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { usePageKeys } from '../../shared/keys/page-keys.js';
import { readPathId } from '../../shared/navigation/paths.js';
import { lastTraceList } from '../../shared/navigation/last-trace-list.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { ShareButton } from '../../shared/sharing/share-button.js';
import { useSharedLink } from '../../shared/sharing/shared-link-context.js';
import { tracePagesQuery } from '../../shared/spans/api.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import type { TraceAnalysis } from './analysis/analyse-trace.js';
import { SpanPanel } from './span-panel/span-panel.js';
import { TraceAttributes } from './trace-attributes.js';
import { TraceFacts } from './trace-facts.js';
import styles from './trace-page.module.css';
import { SpanPane } from './tree/span-pane.js';
import { useAnalysis } from './use-analysis.js';
import { useTrace } from './use-trace.js';

const ReplayDialog = lazy(async () => ({
  default: (await import('../../shared/replay/replay-dialog.js')).ReplayDialog,
}));

/** The breakpoint in trace-page.module.css below which the tree is above the span panel. */
const STACKED = '(max-width: 1000px)';

export const firstRequests: FirstRequests = (queries, { pathname }) => [
  queries.infiniteQuery(tracePagesQuery(readPathId(pathname))),
];

export function TracePage({ traceId }: { traceId: string }) {
  const isShared = useSharedLink() !== undefined;
  const { query, trace, loaded, isWhole, refresh } = useTrace(traceId);
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const [{ span: wanted }, setFilter] = useQueryFilter(['span']);
  const analysis = useAnalysis(trace);
  const selected = analysis?.trace.spans.find((span) => span.id === wanted) ?? analysis?.telling;
  const select = (span: string) => {
    setFilter({ span }, { replace: true });
  };
  return (
    <Page
      title={trace?.name ?? 'Trace'}
      above={!isShared && <Link href={lastTraceList()}>← Traces</Link>}
      actions={
        <>
          {!isShared && selected && (
            <ReplayButton traceId={traceId} traceFunctionKey={selected.trace_function_key} />
          )}
          <RefreshButton disabled={query.isFetching} onClick={refresh} />
          {!isShared && trace && <ShareButton target={{ trace_id: traceId }} />}
          {!isShared && trace && <DeleteMenu what="trace" scope={{ trace_ids: [traceId] }} word="delete" />}
        </>
      }
    >
      {query.isPending && <Loading what="the trace" />}
      {isUnknown && (
        <EmptyState title="Trace not found.">
          <p>{query.error?.message}.</p>
          <p>It may not have arrived yet, or it may belong to another account.</p>
        </EmptyState>
      )}
      {query.isError && !isUnknown && (
        <ErrorNotice title="Could not load the trace." error={query.error} onRetry={refresh} />
      )}
      {trace && <TraceFacts trace={trace} />}
      {trace && (!isWhole || analysis?.trace !== trace) && (
        <p className="muted" role="status">
          Loading spans: {formatCount(loaded)} of {formatCount(trace.span_count)}. Times are of the first{' '}
          {formatCount(trace.spans.length)} until then.
        </p>
      )}
      {trace && <TraceAttributes trace={trace} />}
      {analysis && selected && (
        <Panes trace={analysis.trace} analysis={analysis} selected={selected} onSelect={select} />
      )}
      {trace?.spans.length === 0 && <EmptyState title="No spans of this trace have arrived yet." />}
    </Page>
  );
}

interface PanesProps {
  trace: TraceDetail;
  analysis: TraceAnalysis;
  selected: TraceDetail['spans'][number];
  onSelect: (spanId: string) => void;
}

function Panes({ trace, analysis, selected, onSelect }: PanesProps) {
  const panel = useRef<HTMLDivElement>(null);
  const select = (spanId: string, isPointed: boolean) => {
    onSelect(spanId);
    if (panel.current) bringIntoView(panel.current, isPointed);
  };
  return (
    <div className={styles.panes}>
      <SpanPane analysis={analysis} selectedId={selected.id} onSelect={select} />
      <div ref={panel}>
        <SpanPanel key={selected.id} traceId={trace.id} summary={selected} analysis={analysis} />
      </div>
    </div>
  );
}

/** Shows how to replay the selected call. */
function ReplayButton({ traceId, traceFunctionKey: key }: { traceId: string; traceFunctionKey: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const open = () => {
    setIsOpen(true);
  };
  usePageKeys([{ key: 'r', action: 'replay command', run: open }]);
  return (
    <>
      <button type="button" aria-keyshortcuts="r" onClick={open}>
        Replay command
      </button>
      {isOpen && (
        <Suspense>
          <ReplayDialog
            calls={[{ traceId, key }]}
            onClose={() => {
              setIsOpen(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** Scrolls to the panel of a clicked span. A span selected by keyboard leaves the tree in view. */
function bringIntoView(panel: HTMLElement, isPointed: boolean): void {
  const { top } = panel.getBoundingClientRect();
  const isBesideTree = !window.matchMedia(STACKED).matches;
  if ((top < 0 && isBesideTree) || (isPointed && (top < 0 || top > window.innerHeight * 0.6))) {
    panel.scrollIntoView();
  }
}
