import { type ComponentType, lazy, Suspense } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { TraceListPage } from '../features/trace-list/trace-list-page.js';
import { paths } from '../shared/navigation/paths.js';
import { EmptyState, Loading } from '../shared/ui/notice.js';
import { Page } from '../shared/ui/page.js';

/** A page that loads when it is first opened. Only the trace list is part of the first load. */
function lazyPage<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) {
  return lazy(async () => ({ default: (await load())[name] }));
}

const TracePage = lazyPage(() => import('../features/trace-view/trace-page.js'), 'TracePage');
const TraceComparisonPage = lazyPage(
  () => import('../features/trace-comparison/trace-comparison-page.js'),
  'TraceComparisonPage',
);
const SessionListPage = lazyPage(
  () => import('../features/session-list/session-list-page.js'),
  'SessionListPage',
);
const MetricsPage = lazyPage(() => import('../features/metrics/metrics-page.js'), 'MetricsPage');
const TestRunListPage = lazyPage(
  () => import('../features/test-run-list/test-run-list-page.js'),
  'TestRunListPage',
);
const TestRunPage = lazyPage(() => import('../features/test-run/test-run-page.js'), 'TestRunPage');
const RunComparisonPage = lazyPage(
  () => import('../features/run-comparison/run-comparison-page.js'),
  'RunComparisonPage',
);
const DatasetListPage = lazyPage(
  () => import('../features/dataset-list/dataset-list-page.js'),
  'DatasetListPage',
);
const DatasetPage = lazyPage(() => import('../features/dataset/dataset-page.js'), 'DatasetPage');
const IndexListPage = lazyPage(() => import('../features/indexes/index-list-page.js'), 'IndexListPage');
const ApiKeyListPage = lazyPage(() => import('../features/api-keys/api-key-list-page.js'), 'ApiKeyListPage');
const MemberListPage = lazyPage(() => import('../features/members/member-list-page.js'), 'MemberListPage');
const DataPage = lazyPage(() => import('../features/data/data-page.js'), 'DataPage');
const AuditLogPage = lazyPage(() => import('../features/audit-log/audit-log-page.js'), 'AuditLogPage');

/** The route of each page. `paths` builds these addresses. */
export function Pages() {
  return (
    <Suspense fallback={<Loading what="the page" />}>
      <Switch>
        <Route path="/" component={TraceListPage} />
        <Route path="/traces" component={TraceListPage} />
        <Route path="/traces/:id">{({ id }) => <TracePage key={id} traceId={id} />}</Route>
        <Route path="/traces/:id/compare">{({ id }) => <TraceComparisonPage key={id} traceId={id} />}</Route>
        <Route path="/sessions" component={SessionListPage} />
        <Route path="/metrics-by-key" component={MetricsPage} />
        <Route path="/test-runs" component={TestRunListPage} />
        <Route path="/test-runs/:id">{({ id }) => <TestRunPage key={id} testRunId={id} />}</Route>
        <Route path="/test-runs/:id/compare">
          {({ id }) => <RunComparisonPage key={id} testRunId={id} />}
        </Route>
        <Route path="/runs">
          <Redirect to={paths.testRuns()} replace />
        </Route>
        <Route path="/runs/:id">{({ id }) => <Redirect to={paths.testRun(id)} replace />}</Route>
        <Route path="/datasets" component={DatasetListPage} />
        <Route path="/datasets/:name">{({ name }) => <DatasetPage key={name} name={name} />}</Route>
        <Route path="/indexes" component={IndexListPage} />
        <Route path="/api-keys" component={ApiKeyListPage} />
        <Route path="/members" component={MemberListPage} />
        <Route path="/data" component={DataPage} />
        <Route path="/audit-log" component={AuditLogPage} />
        <Route component={NotFoundPage} />
      </Switch>
    </Suspense>
  );
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
