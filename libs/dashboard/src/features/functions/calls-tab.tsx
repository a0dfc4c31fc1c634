import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatDuration } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { Cost } from '../../shared/ui/cost.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Time } from '../../shared/ui/time.js';
import { type MetricsFilter, newestCallsQuery } from './api.js';
import styles from './functions.module.css';
import { GroupSelect, GroupTable } from './group-table.js';

interface CallsTabProps {
  functionKey: string;
  filter: MetricsFilter;
  group: string;
  onGroup: (group: string) => void;
}

/** The newest traces with a call of the function, and its figures by group. */
export function CallsTab({ functionKey: key, filter, group, onGroup }: CallsTabProps) {
  const query = useQuery(newestCallsQuery(key, filter, false));
  return (
    <>
      <div className="bar-fields">
        <GroupSelect group={group} onChange={onGroup} />
      </div>
      {group !== '' && <GroupTable group={group} of={key} filter={filter} />}
      {query.isError && <ErrorNotice title="Could not load the calls." error={query.error} />}
      {query.isPending && <LoadingRows what="calls" />}
      {query.data?.items.length === 0 && <EmptyState title="No calls in this period." />}
      {query.data && query.data.items.length > 0 && (
        <div className="table-frame" tabIndex={0} role="group" aria-label="Newest calls">
          <table>
            <thead>
              <tr>
                <th>Started</th>
                <th>What happened</th>
                <th>Release</th>
                <th className="number">Duration of the trace</th>
                <th className="number">Cost of the trace</th>
              </tr>
            </thead>
            <tbody>
              {query.data.items.map((trace) => {
                const call = trace.first_call ?? trace;
                const href = paths.trace(trace.id, trace.first_call?.id);
                return (
                  <LinkRow key={trace.id} href={href}>
                    <td>
                      <Link className="cover" href={href}>
                        <Time at={trace.started_at} />
                      </Link>
                    </td>
                    <td>
                      <span
                        className={`${styles.preview ?? ''} ${call.status === 'error' ? (styles.errors ?? '') : ''}`}
                      >
                        {call.error_preview ?? call.output_preview ?? call.status}
                      </span>
                    </td>
                    <td>{trace.release ?? <span className="muted">–</span>}</td>
                    <td className="number">{formatDuration(trace.duration_ms)}</td>
                    <td className="number">
                      <Cost usage={trace.usage} />
                    </td>
                  </LinkRow>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {query.data?.next_cursor !== undefined && (
        <p className={styles.more}>
          <Link href={paths.traces({ trace_function_key: key, range: filter.range, ...filter.conditions })}>
            All traces of this period
          </Link>
        </p>
      )}
    </>
  );
}
