import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../../shared/navigation/paths.js';
import { sourceTraceIdQuery } from '../api/get-source-trace-id.js';

interface SourceLinkProps {
  testRunId: string;
  /** The trace of the span that the link stands on. */
  newTraceId: string;
  sourceSpanId: string;
}

/** The way to the recorded span that this one played again, or was answered from. */
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
