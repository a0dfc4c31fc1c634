import { errorKind, type TraceSummary } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Time } from '../../shared/ui/time.js';
import { type MetricsFilter, newestCallsQuery } from './api.js';
import styles from './functions.module.css';

interface Kind {
  error: string;
  /** Newest first. */
  traces: TraceSummary[];
}

/** The kinds of errors of the newest failed calls, the most frequent first. */
export function ErrorsTab({ functionKey: key, filter }: { functionKey: string; filter: MetricsFilter }) {
  const query = useQuery(newestCallsQuery(key, filter, true));
  if (query.isError) return <ErrorNotice title="Could not load the errors." error={query.error} />;
  if (query.isPending) return <LoadingRows what="errors" />;
  const kinds = groupByKind(query.data.items);
  if (kinds.length === 0) return <EmptyState title="No failed calls in this period." />;
  return (
    <>
      <div className="table-frame" tabIndex={0} role="group" aria-label="Errors">
        <table>
          <thead>
            <tr>
              <th>Error</th>
              <th className="number">Traces</th>
              <th>Newest</th>
              <th>Message</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map(({ error, traces: [newest, ...others] }) => {
              if (newest === undefined) return null;
              const href = paths.trace(newest.id, newest.first_call?.id);
              return (
                <LinkRow key={error} href={href}>
                  <th scope="row">
                    <Link className="cover two-lines" href={href}>
                      {error}
                    </Link>
                  </th>
                  <td className="number">{formatCount(others.length + 1)}</td>
                  <td>
                    <Time at={newest.started_at} />
                  </td>
                  <td>
                    <span className={`${styles.preview ?? ''} ${styles.errors ?? ''}`}>
                      {(newest.first_call ?? newest).error_preview}
                    </span>
                  </td>
                </LinkRow>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className={styles.more}>
        <Link
          href={paths.traces({
            trace_function_key: key,
            status: 'error',
            range: filter.range,
            ...filter.conditions,
          })}
        >
          {query.data.next_cursor === undefined
            ? 'All failed traces'
            : 'All failed traces, of which the newest are counted here'}
        </Link>
      </p>
    </>
  );
}

function groupByKind(traces: readonly TraceSummary[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const trace of traces) {
    const preview = (trace.first_call ?? trace).error_preview;
    if (preview === undefined) continue;
    const error = errorKind(preview);
    const kind = kinds.get(error) ?? { error, traces: [] };
    kind.traces.push(trace);
    kinds.set(error, kind);
  }
  return [...kinds.values()].sort((left, right) => right.traces.length - left.traces.length);
}
