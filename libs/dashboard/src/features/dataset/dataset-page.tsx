import type { DatasetDetail } from '@dacapo/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { accountQuery } from '../../shared/account/account-query.js';
import { Link } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { ApiError } from '../../shared/http/api-error.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { paths, readPathId } from '../../shared/navigation/paths.js';
import { readQueryFilter, useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { RefreshButton } from '../../shared/ui/refresh-button.js';
import { datasetItemsQuery, datasetQuery } from './api.js';
import { DatasetItems } from './dataset-items.js';
import styles from './dataset-page.module.css';
import { ItemActions } from './item-actions.js';
import { VersionTable } from './version-table.js';

const PARAMETERS = ['version'] as const;
const NOTHING: ReadonlySet<string> = new Set();

export const firstRequests: FirstRequests = (queries, { pathname, searchParams }) => {
  const dataset = queries.query(datasetQuery(readPathId(pathname)));
  return [
    dataset.then(async ({ name, latest_version: latest }) => {
      const version = chooseVersion(readQueryFilter(searchParams, PARAMETERS).version, latest);
      if (version > 0) await queries.infiniteQuery(datasetItemsQuery(name, version));
    }),
  ];
};

/** The version in the address, else the latest one. */
function chooseVersion(wanted: string, latest: number): number {
  return /^[1-9]\d*$/.test(wanted) ? Number(wanted) : latest;
}

export function DatasetPage({ name }: { name: string }) {
  const query = useQuery(datasetQuery(name));
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const queries = useQueryClient();
  const refresh = () => {
    void query.refetch();
    void queries.invalidateQueries({ queryKey: ['dataset verdicts', name] });
  };
  return (
    <Page
      title={name}
      above={<Link href={paths.datasets()}>← Datasets</Link>}
      about={query.data?.description}
      actions={<RefreshButton disabled={query.isFetching} onClick={refresh} />}
    >
      {query.isPending && <Loading what="the dataset" />}
      {isUnknown && (
        <EmptyState title="Dataset not found.">
          <p>
            This account has no dataset “{name}”. Choose one in the{' '}
            <Link href={paths.datasets()}>list of datasets</Link>.
          </p>
        </EmptyState>
      )}
      {query.isError && !isUnknown && (
        <ErrorNotice title="Could not load the dataset." error={query.error} onRetry={refresh} />
      )}
      {query.data && <DatasetBody dataset={query.data} />}
    </Page>
  );
}

function DatasetBody({ dataset }: { dataset: DatasetDetail }) {
  const [{ version: wanted }, setFilter] = useQueryFilter(PARAMETERS);
  const { name, latest_version: latest, versions } = dataset;
  const { data: account } = useQuery(accountQuery);
  const mayEdit = account?.scopes.includes('replay') ?? false;
  const showLatest = () => {
    setFilter({ version: '' }, { replace: true });
  };
  if (latest === 0) {
    return (
      <>
        <EmptyState title="No items yet.">
          <p>Add items to create the first version.</p>
        </EmptyState>
        {mayEdit && (
          <ItemActions
            name={name}
            version={0}
            items={[]}
            chosen={NOTHING}
            isEditable
            onToggle={() => undefined}
            onEdited={showLatest}
          />
        )}
      </>
    );
  }
  const shown = chooseVersion(wanted, latest);
  const version = versions.find((one) => one.version === shown);
  return (
    <>
      <section className={styles.items} aria-label={`Items of version ${shown}`}>
        <h2>
          Items of version {shown}{' '}
          {version && <span className="muted">{formatQuantity(version.item_count, 'item')}</span>}
        </h2>
        {shown !== latest && (
          <p className="muted">
            An older version: it never changes.{' '}
            <button type="button" className="small" onClick={showLatest}>
              Show version {latest}
            </button>
          </p>
        )}
        <DatasetItems
          key={shown}
          name={name}
          version={shown}
          isEditable={mayEdit && shown === latest}
          onEdited={showLatest}
        />
      </section>
      <VersionTable
        versions={versions}
        shown={shown}
        onChoose={(chosen) => {
          setFilter({ version: String(chosen) }, { replace: true });
        }}
      />
    </>
  );
}
