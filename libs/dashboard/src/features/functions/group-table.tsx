import {
  conditionLabel,
  CONDITIONS,
  isMetricsGroup,
  METRICS_GROUPS,
  type MetricsItem,
} from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { paths } from '../../shared/navigation/paths.js';
import { Cost } from '../../shared/ui/cost.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { type MetricsFilter, metricsQuery } from './api.js';
import { totalTokens } from './measures.js';

const labelGroup = (group: string): string =>
  isMetricsGroup(group) ? conditionLabel(CONDITIONS[group]) : group;

export function GroupSelect({ group, onChange }: { group: string; onChange: (group: string) => void }) {
  return (
    <label className="field">
      <span>Group by</span>
      <select
        value={group}
        onChange={({ target: { value } }) => {
          onChange(value);
        }}
      >
        <option value="">No grouping</option>
        {METRICS_GROUPS.map((name) => (
          <option key={name} value={name}>
            {labelGroup(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface GroupTableProps {
  group: string;
  /** What the figures are of. */
  of: string;
  filter: MetricsFilter;
}

/** The figures of each value of a field, the largest groups first. */
export function GroupTable({ group, of, filter }: GroupTableProps) {
  const query = useQuery(metricsQuery({ ...filter, groupBy: group }));
  const label = labelGroup(group);
  const title = `${label} of ${of}`;
  if (query.isError)
    return <ErrorNotice title={`Could not group by ${label.toLowerCase()}.`} error={query.error} />;
  if (query.isPending) return <Loading what="groups" />;
  const { items, more_groups: more = 0 } = query.data;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <div className="table-frame" aria-busy={query.isPlaceholderData}>
        <table>
          <thead>
            <tr>
              <th>{label}</th>
              {['Calls', 'Errors', 'p50', 'p95', 'Tokens', 'Cost'].map((name) => (
                <th key={name} className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <GroupRow
                key={JSON.stringify(item.group)}
                item={item}
                href={typeof item.group === 'string' ? tracesOfGroup(filter, group, item.group) : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <p className="muted">{formatQuantity(more, 'group')} with fewer calls not shown.</p>}
    </section>
  );
}

/** The traces of a group, in the trace list. */
function tracesOfGroup({ range, key = '', conditions }: MetricsFilter, group: string, value: string): string {
  const ofKey = key === '' ? {} : { trace_function_key: key };
  return paths.traces({ ...ofKey, range, ...conditions, [group]: value });
}

/** @param href the traces of the group; absent for calls without a value */
function GroupRow({ item, href }: { item: MetricsItem; href: string | undefined }) {
  const tokens = totalTokens(item);
  return (
    <tr>
      <th scope="row">
        {href === undefined ? <span className="muted">none</span> : <Link href={href}>{item.group}</Link>}
      </th>
      <td className="number">{formatCount(item.calls)}</td>
      <td className="number">{formatCount(item.errors)}</td>
      <td className="number">{formatDuration(item.p50_ms)}</td>
      <td className="number">{formatDuration(item.p95_ms)}</td>
      <td className="number">{tokens === undefined ? '–' : formatCount(tokens)}</td>
      <td className="number">
        <Cost usage={item.model_calls === 0 ? undefined : item} />
      </td>
    </tr>
  );
}
