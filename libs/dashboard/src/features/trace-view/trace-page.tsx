import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { TraceDetail } from '@dacapo/protocol';
import { ApiError } from '../../shared/http/api-error.js';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { traceQuery } from './api.js';
import { SpanPanel } from './span-panel/span-panel.js';
import { TraceAttributes } from './trace-attributes.js';
import { TraceFacts } from './trace-facts.js';
import styles from './trace-page.module.css';
import { buildTree } from './tree/build-tree.js';
import { SpanTree } from './tree/span-tree.js';
import { timelineOf } from './tree/timeline.js';

export function TracePage({ traceId }: { traceId: string }) {
  const query = useQuery(traceQuery(traceId));
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const refresh = () => void query.refetch();
  return (
    <Page
      title={query.data?.name ?? 'Trace'}
      above={<Link href={paths.traces()}>← Traces</Link>}
      about={query.data && <TraceFacts trace={query.data} />}
      actions={<RefreshButton disabled={query.isFetching} onClick={refresh} />}
    >
      {query.isPending && <Loading what="the trace" />}
      {isUnknown && (
        <EmptyState title="There is no such trace.">
          <p>It may not have arrived yet, it may belong to another account, or it was deleted.</p>
        </EmptyState>
      )}
      {query.isError && !isUnknown && (
        <ErrorNotice title="The trace could not be loaded." error={query.error} onRetry={refresh} />
      )}
      {query.data && <TraceBody trace={query.data} />}
    </Page>
  );
}

function TraceBody({ trace }: { trace: TraceDetail }) {
  const [{ span: wanted }, setFilter] = useQueryFilter(['span']);
  const roots = useMemo(() => buildTree(trace.spans), [trace.spans]);
  const timeline = useMemo(() => timelineOf(trace.spans), [trace.spans]);
  const selected = trace.spans.find((span) => span.id === wanted) ?? roots[0]?.span;
  const select = (span: string) => {
    setFilter({ span }, { replace: true });
  };
  return (
    <>
      <TraceAttributes trace={trace} />
      {selected ? (
        <div className={styles.panes}>
          <SpanTree roots={roots} timeline={timeline} selectedId={selected.id} onSelect={select} />
          <SpanPanel key={selected.id} traceId={trace.id} summary={selected} timeline={timeline} />
        </div>
      ) : (
        <EmptyState title="No span of this trace has arrived yet." />
      )}
    </>
  );
}
