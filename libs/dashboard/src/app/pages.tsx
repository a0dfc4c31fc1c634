import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useSearch } from 'wouter';
import { paths, readPathId } from '../shared/navigation/paths.js';
import { EmptyState } from '../shared/ui/notice.js';
import { Page } from '../shared/ui/page.js';
import { type LazyPage, lazyPage } from './lazy-page.js';

const TraceListPage = lazyPage(
  () => import('../features/trace-list/trace-list-page.js'),
  (module) => module.TraceListPage,
);
const TracePage = lazyPage(
  () => import('../features/trace-view/trace-page.js'),
  (module) => module.TracePage,
);
const TraceComparisonPage = lazyPage(
  () => import('../features/trace-comparison/trace-comparison-page.js'),
  (module) => module.TraceComparisonPage,
);
const SessionListPage = lazyPage(
  () => import('../features/session-list/session-list-page.js'),
  (module) => module.SessionListPage,
);
const SessionPage = lazyPage(
  () => import('../features/session/session-page.js'),
  (module) => module.SessionPage,
);
const OverviewPage = lazyPage(
  () => import('../features/overview/overview-page.js'),
  (module) => module.OverviewPage,
);
const FunctionListPage = lazyPage(
  () => import('../features/functions/function-list-page.js'),
  (module) => module.FunctionListPage,
);
const FunctionPage = lazyPage(
  () => import('../features/functions/function-page.js'),
  (module) => module.FunctionPage,
);
const TestRunListPage = lazyPage(
  () => import('../features/test-run-list/test-run-list-page.js'),
  (module) => module.TestRunListPage,
);
const TestRunPage = lazyPage(
  () => import('../features/test-run/test-run-page.js'),
  (module) => module.TestRunPage,
);
const RunComparisonPage = lazyPage(
  () => import('../features/run-comparison/run-comparison-page.js'),
  (module) => module.RunComparisonPage,
);
const RunGridPage = lazyPage(
  () => import('../features/run-grid/run-grid-page.js'),
  (module) => module.RunGridPage,
);
const DatasetListPage = lazyPage(
  () => import('../features/dataset-list/dataset-list-page.js'),
  (module) => module.DatasetListPage,
);
const DatasetPage = lazyPage(
  () => import('../features/dataset/dataset-page.js'),
  (module) => module.DatasetPage,
);
const ReviewPage = lazyPage(
  () => import('../features/review/review-page.js'),
  (module) => module.ReviewPage,
);
const IndexListPage = lazyPage(
  () => import('../features/indexes/index-list-page.js'),
  (module) => module.IndexListPage,
);
const ApiKeyListPage = lazyPage(
  () => import('../features/api-keys/api-key-list-page.js'),
  (module) => module.ApiKeyListPage,
);
const MemberListPage = lazyPage(
  () => import('../features/members/member-list-page.js'),
  (module) => module.MemberListPage,
);
const ShareLinkListPage = lazyPage(
  () => import('../features/share-links/share-link-list-page.js'),
  (module) => module.ShareLinkListPage,
);
const DataPage = lazyPage(
  () => import('../features/data/data-page.js'),
  (module) => module.DataPage,
);
const AuditLogPage = lazyPage(
  () => import('../features/audit-log/audit-log-page.js'),
  (module) => module.AuditLogPage,
);

const OVERVIEW_PARAMETERS = ['period', 'against', 'by'];

interface PageRoute {
  path: string;
  page: Pick<LazyPage<never>, 'preload'>;
  render: (parameters: Record<string, string | undefined>) => ReactNode;
}

/** The route of each page. `paths` builds these addresses. */
const ROUTES: readonly PageRoute[] = [
  { path: '/', page: OverviewPage, render: () => <HomePage /> },
  { path: '/traces', page: TraceListPage, render: () => <TraceListPage /> },
  { path: '/traces/:id', page: TracePage, render: ({ id = '' }) => <TracePage key={id} traceId={id} /> },
  {
    path: '/traces/:id/compare',
    page: TraceComparisonPage,
    render: ({ id = '' }) => <TraceComparisonPage key={id} traceId={id} />,
  },
  { path: '/sessions', page: SessionListPage, render: () => <SessionListPage /> },
  {
    path: '/sessions/:id',
    page: SessionPage,
    render: ({ id }) => <SessionPage key={id} sessionId={readPathId(window.location.pathname)} />,
  },
  { path: '/functions', page: FunctionListPage, render: () => <FunctionListPage /> },
  {
    path: '/functions/:key',
    page: FunctionPage,
    render: ({ key }) => <FunctionPage key={key} functionKey={readPathId(window.location.pathname)} />,
  },
  { path: '/test-runs', page: TestRunListPage, render: () => <TestRunListPage /> },
  {
    path: '/test-runs/:id',
    page: TestRunPage,
    render: ({ id = '' }) => <TestRunPage key={id} testRunId={id} />,
  },
  {
    path: '/test-runs/:id/compare',
    page: RunComparisonPage,
    render: ({ id = '' }) => <RunComparisonPage key={id} testRunId={id} />,
  },
  { path: '/runs/compare', page: RunGridPage, render: () => <RunGridPage /> },
  { path: '/datasets', page: DatasetListPage, render: () => <DatasetListPage /> },
  {
    path: '/datasets/:name',
    page: DatasetPage,
    render: ({ name = '' }) => <DatasetPage key={name} name={name} />,
  },
  { path: '/review', page: ReviewPage, render: () => <ReviewPage /> },
  { path: '/indexes', page: IndexListPage, render: () => <IndexListPage /> },
  { path: '/api-keys', page: ApiKeyListPage, render: () => <ApiKeyListPage /> },
  { path: '/members', page: MemberListPage, render: () => <MemberListPage /> },
  { path: '/share-links', page: ShareLinkListPage, render: () => <ShareLinkListPage /> },
  { path: '/data', page: DataPage, render: () => <DataPage /> },
  { path: '/audit-log', page: AuditLogPage, render: () => <AuditLogPage /> },
];

/** Loads the code of the page at an address, and what it starts with, before it is rendered. */
export async function preloadPage(queries: QueryClient, address: URL): Promise<void> {
  const parts = address.pathname.split('/');
  const matches = ({ path }: PageRoute): boolean => {
    const pattern = path.split('/');
    return (
      pattern.length === parts.length &&
      pattern.every((part, index) => part.startsWith(':') || part === parts[index])
    );
  };
  const module = await ROUTES.find(matches)?.page.preload();
  await Promise.all(module?.firstRequests?.(queries, address) ?? []);
}

export function Pages() {
  return (
    <Switch>
      {ROUTES.map(({ path, render }) => (
        <Route key={path} path={path}>
          {render}
        </Route>
      ))}
      <Route path="/metrics-by-key" component={OldMetricsPage} />
      <Route path="/runs">
        <Redirect to={paths.testRuns()} replace />
      </Route>
      <Route path="/runs/:id">{({ id }) => <Redirect to={paths.testRun(id)} replace />}</Route>
      <Route component={NotFoundPage} />
    </Switch>
  );
}

/** The trace list was at this address: its links have a query, which the overview has only of its own. */
function HomePage() {
  const search = useSearch();
  const isOwn = [...new URLSearchParams(search).keys()].every((name) => OVERVIEW_PARAMETERS.includes(name));
  return isOwn ? <OverviewPage /> : <Redirect to={`${paths.traces()}?${search}`} replace />;
}

/** Links of the page Metrics lead to the function that they name. */
function OldMetricsPage() {
  const { key = '', ...filter } = Object.fromEntries(new URLSearchParams(useSearch()));
  return <Redirect to={key === '' ? paths.functions(filter) : paths.function(key, filter)} replace />;
}

function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState title="There is no page at this address.">
        <p>
          <Link href={paths.traces()}>Go to traces</Link>
        </p>
      </EmptyState>
    </Page>
  );
}
