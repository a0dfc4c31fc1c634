import type { DatasetSummary } from '@dacapo/protocol';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';
import { paths } from '../../shared/navigation/paths.js';
import { LinkRow } from '../../shared/ui/link-row.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { Snippet } from '../../shared/ui/snippet.js';
import { Time } from '../../shared/ui/time.js';

const datasetsQuery = pagedQuery(['datasets'], client.datasets.list);

export function DatasetListPage() {
  const query = useInfiniteQuery(datasetsQuery);
  const datasets = query.data?.pages.flatMap((page) => page.items) ?? [];
  const refresh = () => void query.refetch();
  return (
    <Page
      title="Datasets"
      about="Examples for evaluating new versions of a function."
      actions={<RefreshButton onClick={refresh} />}
    >
      {query.isError && (
        <ErrorNotice title="Could not load the datasets." error={query.error} onRetry={refresh} />
      )}
      {query.isPending && <LoadingRows what="datasets" />}
      {query.isSuccess && datasets.length === 0 && <NoDatasets />}
      {datasets.length > 0 && <DatasetTable datasets={datasets} />}
      <div>
        <LoadMore {...query} />
      </div>
    </Page>
  );
}

function DatasetTable({ datasets }: { datasets: DatasetSummary[] }) {
  return (
    <div className="table-frame">
      <table className="lines-on-phones">
        <thead>
          <tr>
            <th>Dataset</th>
            <th className="number">Items</th>
            <th className="number">Version</th>
            <th>Updated</th>
            <th>Created</th>
          </tr>
        </thead>
        <tbody>
          {datasets.map(({ name, description, item_count, latest_version, updated_at, created_at }) => (
            <LinkRow key={name} href={paths.dataset(name)}>
              <td>
                <Link className="cover two-lines" href={paths.dataset(name)}>
                  {name}
                </Link>
                {description !== undefined && <span className="muted two-lines">{description}</span>}
              </td>
              <td className="number" data-label="Items">
                {formatCount(item_count)}
              </td>
              <td className="number" data-label="Version">
                {latest_version === 0 ? '–' : formatCount(latest_version)}
              </td>
              <td data-label="Updated">
                <Time at={updated_at} />
              </td>
              <td data-label="Created">
                <Time at={created_at} />
              </td>
            </LinkRow>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const CODE = `# create a dataset from the 50 newest calls with a key
npx dacapo datasets create tickets
npx dacapo datasets add tickets --from-key answer-ticket --limit 50`;

function NoDatasets() {
  return (
    <EmptyState title="No datasets yet.">
      <p>
        A dataset holds copies of calls, each with an expected output. Its versions never change, so two runs
        of a version are comparable.
      </p>
      <Snippet title="In a terminal" code={CODE} />
    </EmptyState>
  );
}
