import { lazy, Suspense } from 'react';
import { Link, Route, Switch } from 'wouter';
import { ApiKeyListPage } from '../features/api-keys/api-key-list-page.js';
import { AuditLogPage } from '../features/audit-log/audit-log-page.js';
import { DatasetListPage } from '../features/dataset-list/dataset-list-page.js';
import { IndexListPage } from '../features/indexes/index-list-page.js';
import { MemberListPage } from '../features/members/member-list-page.js';
import { SessionListPage } from '../features/session-list/session-list-page.js';
import { TestRunListPage } from '../features/test-run-list/test-run-list-page.js';
import { TraceListPage } from '../features/trace-list/trace-list-page.js';
import { TracePage } from '../features/trace-view/trace-page.js';
import { paths } from '../shared/navigation/paths.js';
import { EmptyState, Loading } from '../shared/ui/notice.js';
import { Page } from '../shared/ui/page.js';

const TestRunPage = lazy(() =>
  import('../features/test-run/test-run-page.js').then((module) => ({ default: module.TestRunPage })),
);

const MetricsPage = lazy(() =>
  import('../features/metrics/metrics-page.js').then((module) => ({ default: module.MetricsPage })),
);

const RunComparisonPage = lazy(() =>
  import('../features/run-comparison/run-comparison-page.js').then((module) => ({
    default: module.RunComparisonPage,
  })),
);

const TraceComparisonPage = lazy(() =>
  import('../features/trace-comparison/trace-comparison-page.js').then((module) => ({
    default: module.TraceComparisonPage,
  })),
);

const DataPage = lazy(() =>
  import('../features/data/data-page.js').then((module) => ({ default: module.DataPage })),
);

const DatasetPage = lazy(() =>
  import('../features/dataset/dataset-page.js').then((module) => ({ default: module.DatasetPage })),
);

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
