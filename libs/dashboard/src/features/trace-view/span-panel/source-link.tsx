import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../../shared/navigation/paths.js';
import { client } from '../../../shared/http/client.js';

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
    queryKey: ['source', testRunId, newTraceId],
    queryFn: async ({ signal }) => {
      const item = { id: testRunId, new_trace_id: newTraceId, limit: 1 };
      const { items } = await client.testRuns.listItems(item, { signal });
      return items[0]?.source_trace_id ?? null;
    },
    staleTime: 60_000,
  });
