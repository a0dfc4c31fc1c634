import type { MetricsGroup, MetricsItem } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { formatDuration } from '../../shared/format/format-duration.js';
import { Cost } from '../../shared/ui/cost.js';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { type MetricsFilter, metricsQuery } from './api.js';
import { totalTokens } from './measures.js';

const LABELS: Readonly<Record<MetricsGroup, string>> = {
  user_id: 'User',
  tags: 'Tag',
  environment: 'Environment',
  release: 'Release',
  level: 'Level',
  kind: 'Kind',
};

const labelGroup = (group: string): string =>
  Object.hasOwn(LABELS, group) ? LABELS[group as MetricsGroup] : group;

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
        <option value="">Nothing</option>
        {Object.entries(LABELS).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
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
      <div className="card table-frame" aria-busy={query.isPlaceholderData}>
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
              <GroupRow key={JSON.stringify(item.group)} item={item} />
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && <p className="muted">{formatQuantity(more, 'group')} with fewer calls not shown.</p>}
    </section>
  );
}

function GroupRow({ item }: { item: MetricsItem }) {
  const tokens = totalTokens(item);
  return (
    <tr>
      <th scope="row">{item.group ?? <span className="muted">none</span>}</th>
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
