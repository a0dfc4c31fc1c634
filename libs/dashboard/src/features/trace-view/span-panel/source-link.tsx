import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../../shared/navigation/paths.js';
import { sourceTraceIdQuery } from '../api/get-source-trace-id.js';

interface SourceLinkProps {
  testRunId: string;
  sourceSpanId: string;
}

/** The way to the recorded span that this one played again. */
export function SourceLink({ testRunId, sourceSpanId }: SourceLinkProps) {
  const { data: traceId } = useQuery(sourceTraceIdQuery(testRunId, sourceSpanId));
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
