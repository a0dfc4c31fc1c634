import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import { formatQuantity } from '../../shared/format/format-count.js';
import { prepareTimeFormats } from '../../shared/format/format-time.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { LiveButton, useLiveChoice } from '../../shared/live/live-button.js';
import { rememberTraceList } from '../../shared/navigation/last-trace-list.js';
import { AddFilter } from '../../shared/trace-filter/add-filter.js';
import {
  type Condition,
  FILTER_KINDS,
  readFilter,
  toParameters,
} from '../../shared/trace-filter/trace-filter.js';
import { EmptyState, ErrorNotice, Loading, LoadingRows } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Time } from '../../shared/ui/time.js';
import { sortOf, tracesQuery } from './api.js';
import { BulkActions } from './bulk-actions.js';
import { useColumns } from './columns.js';
import { QueryLine } from './query-line.js';
import styles from './trace-list.module.css';
import { TraceTable } from './trace-table.js';
import { useLiveTraces } from './use-live-traces.js';
import { useSelection } from './use-selection.js';
import { useTraceFilter } from './use-trace-filter.js';

const Histogram = lazy(async () => ({ default: (await import('./histogram/histogram.js')).Histogram }));
const ColumnsMenu = lazy(async () => ({ default: (await import('./columns-menu.js')).ColumnsMenu }));
const SaveView = lazy(async () => ({ default: (await import('./save-view.js')).SaveView }));
const DeleteMenu = lazy(async () => ({
  default: (await import('../../shared/deletions/delete-menu.js')).DeleteMenu,
}));
const FirstRun = lazy(async () => ({
  default: (await import('../../shared/setup/first-run.js')).FirstRun,
}));

export const firstRequests: FirstRequests = (queries, { searchParams }) => {
  const rows = queries.infiniteQuery(tracesQuery(readFilter(searchParams)));
  prepareTimeFormats();
  return [rows];
};

export function TraceListPage() {
  const { filter, change, replace } = useTraceFilter();
  const [isLive, toggleLive] = useLiveChoice();
  const { query, rows, arrived, isSearching, showArrived } = useLiveTraces(filter, isLive);
  const selection = useSelection(rows);
  const [columns, toggleColumn] = useColumns();
  const [isSaving, setIsSaving] = useState(false);
  const { session_id: session } = filter;
  const search = useSearch();
  useEffect(() => {
    rememberTraceList(search);
  }, [search]);
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const isEmpty = query.isSuccess && !query.isPlaceholderData && rows.length === 0 && !hasNextPage;
  const isFiltered = Object.keys(filter).some((name) => name !== 'sort');
  const [firstRun, setFirstRun] = useState<'unneeded' | 'open' | 'closed'>('unneeded');
  // It stays open when the first trace arrives, because only it shows the key.
  if (firstRun === 'unneeded' && isEmpty && !isFiltered) setFirstRun('open');
  if (firstRun === 'open' && !isFiltered) {
    return (
      <Page title="Traces">
        <Suspense fallback={<Loading what="the first lines" />}>
          <FirstRun
            trace={rows[0]}
            onShowList={() => {
              setFirstRun('closed');
            }}
          />
        </Suspense>
      </Page>
    );
  }
  const keys = [
    {
      key: 's',
      action: 'save the view',
      run: () => {
        setIsSaving(true);
      },
    },
  ];
  return (
    <Page
      title="Traces"
      isFilled
      bar={
        <>
          <QueryLine filter={filter} onChange={replace} />
          <AddCondition onAdd={change} />
        </>
      }
      actions={
        <>
          <Suspense>
            <SaveView search={search} isOpen={isSaving} onOpen={setIsSaving} />
            <ColumnsMenu shown={columns} onToggle={toggleColumn} />
          </Suspense>
          <LiveButton isLive={isLive} onToggle={toggleLive} />
          {session !== undefined && (
            <Suspense>
              <DeleteMenu what="session" scope={{ session_id: session }} word={session} />
            </Suspense>
          )}
        </>
      }
    >
      {query.isPending ? (
        // The first rows come first: the bars are counted longer.
        <div className={styles.histogram} />
      ) : (
        <Suspense fallback={<div className={styles.histogram} />}>
          <Histogram filter={filter} onChange={change} />
        </Suspense>
      )}
      <Notices page={query.data?.pages[0]} />
      {rows.length > 0 ? (
        <TraceTable
          rows={rows}
          columns={columns}
          search={filter['text'] ?? ''}
          sort={sortOf(filter)}
          selection={selection}
          isOutdated={query.isPlaceholderData}
          arrived={arrived}
          onShowArrived={showArrived}
          onSort={(sort) => {
            change({ sort: sort === 'time' ? undefined : sort });
          }}
          onEnd={loadMore}
        />
      ) : (
        <div className={styles.content}>
          {query.isError && (
            <ErrorNotice
              title="Could not load the traces."
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          )}
          {(query.isPending || isSearching) && <LoadingRows what="traces" />}
          {isEmpty && isFiltered && (
            <NoMatch
              onClear={() => {
                replace({});
              }}
            />
          )}
        </div>
      )}
      <BulkActions selection={selection} keys={keys} />
    </Page>
  );
}

function AddCondition({ onAdd }: { onAdd: (parameters: ReturnType<typeof toParameters>) => void }) {
  const [edited, setEdited] = useState<{ condition?: Condition }>();
  const button = useRef<HTMLButtonElement>(null);
  const edit = (next: typeof edited) => {
    setEdited(next);
    if (next === undefined) button.current?.focus();
  };
  return (
    <AddFilter
      kinds={FILTER_KINDS}
      edited={edited}
      button={button}
      onEdit={edit}
      onApply={(condition) => {
        edit(undefined);
        onAdd(toParameters(condition));
      }}
    />
  );
}

type FirstPage = NonNullable<ReturnType<typeof useLiveTraces>['query']['data']>['pages'][number];

/** What a text search may miss. */
function Notices({ page }: { page: FirstPage | undefined }) {
  const { text_indexed_until: indexedUntil, text_cut: cut } = page ?? {};
  if (indexedUntil === undefined && cut === undefined) return null;
  return (
    <div className={styles.notices}>
      {indexedUntil !== undefined && (
        <p className="muted" role="status">
          Traces since <Time at={indexedUntil} zone /> are still being indexed and may be missing. The list
          updates automatically.
        </p>
      )}
      {cut !== undefined && (
        <p className="muted" role="status">
          {formatQuantity(cut.spans, 'span')} with long texts. Search covers only the first{' '}
          {cut.after_characters.toLocaleString('en')} characters of each input, output, error and prompt.
        </p>
      )}
    </div>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState title="No trace matches these filters.">
      <p>
        Remove or widen a filter. Text, name, type, kind, level and model must match in the same span. All
        filters except text match whole values.
      </p>
      <button type="button" onClick={onClear}>
        Clear filters
      </button>
    </EmptyState>
  );
}
