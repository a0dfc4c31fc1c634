import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../../shared/navigation/paths.js';
import { type Page, routePath, ROUTES, type TestRunItemSummary } from '@dacapo/protocol';
import { request } from '../../../shared/http/request.js';

interface SourceLinkProps {
  testRunId: string;
  /** The trace of the replayed span. */
  newTraceId: string;
  sourceSpanId: string;
}

/** Links a replayed or mocked span to its recording. */
export function SourceLink({ testRunId, newTraceId, sourceSpanId }: SourceLinkProps) {
  const { data: traceId } = useQuery(sourceTraceIdQuery(testRunId, newTraceId));
  if (typeof traceId !== 'string') {
    return (
      <>
        , from span <code>{sourceSpanId}</code>.
      </>
    );
  }
  return (
    <>
      , from <Link href={paths.trace(traceId, sourceSpanId)}>its source span</Link>.
    </>
  );
}

/** The recorded trace of a replayed one, or `null` when the test run no longer has it. */
const sourceTraceIdQuery = (testRunId: string, newTraceId: string) =>
  queryOptions({
    queryKey: [ROUTES.testRunItems, testRunId, 'source', newTraceId],
    queryFn: ({ signal }) => findSourceTraceId(testRunId, newTraceId, signal),
    staleTime: 60_000,
  });

async function findSourceTraceId(testRunId: string, newTraceId: string, signal: AbortSignal) {
  const path = routePath(ROUTES.testRunItems, { id: testRunId });
  const query = { new_trace_id: newTraceId, limit: 1 };
  const page = await request<Page<TestRunItemSummary>>(path, { query, signal });
  return page.items[0]?.source_trace_id ?? null;
}
