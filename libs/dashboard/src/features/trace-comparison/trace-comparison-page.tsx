import { conditionLabel, CONDITIONS, TRACE_LABELS, type TraceDetail } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { traceQuery } from '../../shared/spans/api.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { AlignedSpans } from './aligned-spans.js';
import { alignTraces } from './align-traces.js';

const ROWS_AT_ONCE = 500;

/** Compares two traces span by span: presence, duration, usage and outcome. */
export function TraceComparisonPage({ traceId }: { traceId: string }) {
  const [{ with: other, call, with_call: otherCall }] = useQueryFilter(['with', 'call', 'with_call']);
  const [left, right] = [
    useQuery(traceQuery(traceId)),
    useQuery({ ...traceQuery(other), enabled: other !== '' }),
  ];
  const error = left.error ?? right.error;
  const retry = () => {
    for (const query of [left, right]) if (query.isError) void query.refetch();
  };
  return (
    <Page
      title="Compare traces"
      above={<Link href={paths.trace(traceId)}>← Trace</Link>}
      about={
        left.data &&
        right.data && (
          <>
            <Link href={paths.trace(left.data.id)}>{left.data.name}</Link> compared with{' '}
            <Link href={paths.trace(right.data.id)}>{right.data.name}</Link>. Spans are matched by key, name,
            type and order.
          </>
        )
      }
    >
      {other === '' && (
        <EmptyState title="The address has no second trace.">
          <p>Open a run, and press “Side by side” at one of its calls.</p>
        </EmptyState>
      )}
      {error && <ErrorNotice title="Could not load the traces." error={error} onRetry={retry} />}
      {(left.isLoading || right.isLoading) && <Loading what="both traces" />}
      {left.data && right.data && (
        <Comparison left={left.data} right={right.data} call={call} otherCall={otherCall} />
      )}
    </Page>
  );
}

/** Different fields, such as user or release, which often explain the other differences. */
function DifferentFields({ left, right }: { left: TraceDetail; right: TraceDetail }) {
  const fieldText = (trace: TraceDetail, name: (typeof COMPARED)[number]): string =>
    [trace[name] ?? []].flat().join(', ');
  const different = COMPARED.filter((name) => fieldText(left, name) !== fieldText(right, name));
  if (different.length === 0) return null;
  return (
    <ul aria-label="Different fields">
      {different.map((name) => (
        <li key={name}>
          {conditionLabel(CONDITIONS[name])}: {fieldText(left, name) || 'none'} (other trace:{' '}
          {fieldText(right, name) || 'none'})
        </li>
      ))}
    </ul>
  );
}

const COMPARED = [...TRACE_LABELS, 'tags'] as const;

interface ComparisonProps {
  left: TraceDetail;
  right: TraceDetail;
  /** A span of each trace to compare. Empty to compare both whole traces. */
  call: string;
  otherCall: string;
}

function Comparison({ left, right, call, otherCall }: ComparisonProps) {
  const rows = useMemo(
    () => alignTraces(left.spans, right.spans, { left: call, right: otherCall }),
    [left.spans, right.spans, call, otherCall],
  );
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const [onlyLeft, onlyRight] = [
    rows.filter((row) => row.right === undefined).length,
    rows.filter((row) => row.left === undefined).length,
  ];
  return (
    <>
      <p>
        {formatCount(rows.length - onlyLeft - onlyRight)} spans in both, {formatCount(onlyLeft)} only in this
        trace, {formatCount(onlyRight)} only in the other trace.
      </p>
      <DifferentFields left={left} right={right} />
      <AlignedSpans left={left.id} right={right.id} rows={rows.slice(0, shown)} />
      {rows.length > shown && (
        <div>
          <button
            type="button"
            onClick={() => {
              setShown(shown + ROWS_AT_ONCE);
            }}
          >
            Show more
          </button>
        </div>
      )}
    </>
  );
}
