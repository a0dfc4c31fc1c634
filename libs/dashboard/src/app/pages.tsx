import { type ComponentType, lazy, Suspense } from 'react';
import { Link, Redirect, Route, Switch, useSearch } from 'wouter';
import { paths, readPathId } from '../shared/navigation/paths.js';
import { EmptyState, Loading } from '../shared/ui/notice.js';
import { Page } from '../shared/ui/page.js';

/** A page that loads when it is first opened. The first load is the frame around it. */
function lazyPage<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) {
  return lazy(async () => ({ default: (await load())[name] }));
}

/** Also loads the code of the trace list, before it is rendered. */
export const loadTraceList = () => import('../features/trace-list/trace-list-page.js');

const TraceListPage = lazyPage(loadTraceList, 'TraceListPage');
const TracePage = lazyPage(() => import('../features/trace-view/trace-page.js'), 'TracePage');
const TraceComparisonPage = lazyPage(
  () => import('../features/trace-comparison/trace-comparison-page.js'),
  'TraceComparisonPage',
);
const SessionListPage = lazyPage(
  () => import('../features/session-list/session-list-page.js'),
  'SessionListPage',
);
const SessionPage = lazyPage(() => import('../features/session/session-page.js'), 'SessionPage');
const OverviewPage = lazyPage(() => import('../features/overview/overview-page.js'), 'OverviewPage');
const FunctionListPage = lazyPage(
  () => import('../features/functions/function-list-page.js'),
  'FunctionListPage',
);
const FunctionPage = lazyPage(() => import('../features/functions/function-page.js'), 'FunctionPage');
const TestRunListPage = lazyPage(
  () => import('../features/test-run-list/test-run-list-page.js'),
  'TestRunListPage',
);
const TestRunPage = lazyPage(() => import('../features/test-run/test-run-page.js'), 'TestRunPage');
const RunComparisonPage = lazyPage(
  () => import('../features/run-comparison/run-comparison-page.js'),
  'RunComparisonPage',
);
const RunGridPage = lazyPage(() => import('../features/run-grid/run-grid-page.js'), 'RunGridPage');
const DatasetListPage = lazyPage(
  () => import('../features/dataset-list/dataset-list-page.js'),
  'DatasetListPage',
);
const DatasetPage = lazyPage(() => import('../features/dataset/dataset-page.js'), 'DatasetPage');
const ReviewPage = lazyPage(() => import('../features/review/review-page.js'), 'ReviewPage');
const IndexListPage = lazyPage(() => import('../features/indexes/index-list-page.js'), 'IndexListPage');
const ApiKeyListPage = lazyPage(() => import('../features/api-keys/api-key-list-page.js'), 'ApiKeyListPage');
const MemberListPage = lazyPage(() => import('../features/members/member-list-page.js'), 'MemberListPage');
const ShareLinkListPage = lazyPage(
  () => import('../features/share-links/share-link-list-page.js'),
  'ShareLinkListPage',
);
const DataPage = lazyPage(() => import('../features/data/data-page.js'), 'DataPage');
const AuditLogPage = lazyPage(() => import('../features/audit-log/audit-log-page.js'), 'AuditLogPage');

const OVERVIEW_PARAMETERS = ['period', 'against', 'by'];

/** The route of each page. `paths` builds these addresses. */
export function Pages() {
  return (
    <Suspense
      fallback={
        <>
          <title>Dacapo</title>
          <Loading what="the page" />
        </>
      }
    >
      <Switch>
        <Route path="/" component={HomePage} />
        <Route path="/traces" component={TraceListPage} />
        <Route path="/traces/:id">{({ id }) => <TracePage key={id} traceId={id} />}</Route>
        <Route path="/traces/:id/compare">{({ id }) => <TraceComparisonPage key={id} traceId={id} />}</Route>
        <Route path="/sessions" component={SessionListPage} />
        <Route path="/sessions/:id">
          {({ id }) => <SessionPage key={id} sessionId={readPathId(window.location.pathname)} />}
        </Route>
        <Route path="/functions" component={FunctionListPage} />
        <Route path="/functions/:key">
          {({ key }) => <FunctionPage key={key} functionKey={readPathId(window.location.pathname)} />}
        </Route>
        <Route path="/metrics-by-key" component={OldMetricsPage} />
        <Route path="/test-runs" component={TestRunListPage} />
        <Route path="/test-runs/:id">{({ id }) => <TestRunPage key={id} testRunId={id} />}</Route>
        <Route path="/test-runs/:id/compare">
          {({ id }) => <RunComparisonPage key={id} testRunId={id} />}
        </Route>
        <Route path="/runs">
          <Redirect to={paths.testRuns()} replace />
        </Route>
        <Route path="/runs/compare" component={RunGridPage} />
        <Route path="/runs/:id">{({ id }) => <Redirect to={paths.testRun(id)} replace />}</Route>
        <Route path="/datasets" component={DatasetListPage} />
        <Route path="/datasets/:name">{({ name }) => <DatasetPage key={name} name={name} />}</Route>
        <Route path="/review" component={ReviewPage} />
        <Route path="/indexes" component={IndexListPage} />
        <Route path="/api-keys" component={ApiKeyListPage} />
        <Route path="/members" component={MemberListPage} />
        <Route path="/share-links" component={ShareLinkListPage} />
        <Route path="/data" component={DataPage} />
        <Route path="/audit-log" component={AuditLogPage} />
        <Route component={NotFoundPage} />
      </Switch>
    </Suspense>
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
