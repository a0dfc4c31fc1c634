import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { Link } from 'wouter';
import type { TraceDetail } from '@dacapo/protocol';
import { ApiError } from '../../shared/http/api-error.js';
import { lastTraceList } from '../../shared/navigation/last-trace-list.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { traceQuery } from '../../shared/spans/api.js';
import { DeleteTrace } from './delete-trace.js';
import { SpanPanel } from './span-panel/span-panel.js';
import { TraceAttributes } from './trace-attributes.js';
import { TraceFacts } from './trace-facts.js';
import styles from './trace-page.module.css';
import { buildTree } from '../../shared/spans/build-tree.js';
import { firstFailure } from './tree/failures.js';
import { SpanTree } from './tree/span-tree.js';
import { buildTimeline } from './tree/timeline.js';
import { visibleRows } from './tree/visible-rows.js';

/** The breakpoint in trace-page.module.css below which the tree is above the span panel. */
const STACKED = '(max-width: 1000px)';

export function TracePage({ traceId }: { traceId: string }) {
  const query = useQuery(traceQuery(traceId));
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const client = useQueryClient();
  const refresh = () => {
    void query.refetch();
    // The selected span may have ended since.
    void client.invalidateQueries({ queryKey: ['span', traceId] });
  };
  return (
    <Page
      title={query.data?.name ?? 'Trace'}
      above={<Link href={lastTraceList()}>← Traces</Link>}
      actions={
        <>
          <RefreshButton disabled={query.isFetching} onClick={refresh} />
          {query.data && <DeleteTrace traceId={traceId} />}
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
      {query.data && <TraceFacts trace={query.data} />}
      {query.data && <TraceBody trace={query.data} />}
    </Page>
  );
}

function TraceBody({ trace }: { trace: TraceDetail }) {
  const [{ span: wanted }, setFilter] = useQueryFilter(['span']);
  const roots = useMemo(() => buildTree(trace.spans), [trace.spans]);
  const timeline = useMemo(() => buildTimeline(trace.spans), [trace.spans]);
  const opened = useMemo(() => firstFailure(visibleRows(roots)) ?? roots[0]?.span, [roots]);
  const selected = trace.spans.find((span) => span.id === wanted) ?? opened;
  const panel = useRef<HTMLDivElement>(null);
  const select = (span: string, isPointed: boolean) => {
    setFilter({ span }, { replace: true });
    if (panel.current) bringIntoView(panel.current, isPointed);
  };
  return (
    <>
      <TraceAttributes trace={trace} />
      {selected ? (
        <div className={styles.panes}>
          <SpanTree roots={roots} timeline={timeline} selectedId={selected.id} onSelect={select} />
          <div ref={panel}>
            <SpanPanel key={selected.id} traceId={trace.id} summary={selected} timeline={timeline} />
          </div>
        </div>
      ) : (
        <EmptyState title="No spans of this trace have arrived yet." />
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
