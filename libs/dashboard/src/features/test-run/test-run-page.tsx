import { useQuery } from '@tanstack/react-query';
import type { TestRunRecord } from '@dacapo/protocol';
import { Link } from 'wouter';
import { testRunTitle } from '../../shared/format/test-run-title.js';
import { ApiError } from '../../shared/http/api-error.js';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { Badge } from '../../shared/ui/badge.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Time } from '../../shared/ui/time.js';
import { testRunQuery } from './api/get-test-run.js';
import { TestRunItems } from './test-run-items.js';
import styles from './test-run-page.module.css';
import { VerdictFilter } from './verdict-filter.js';

export function TestRunPage({ testRunId }: { testRunId: string }) {
  const query = useQuery(testRunQuery(testRunId));
  const [{ verdict }, setFilter] = useQueryFilter(['verdict']);
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const run = query.data;
  return (
    <Page
      title={run ? testRunTitle(run) : 'Test run'}
      above={<Link href={paths.testRuns()}>← Test runs</Link>}
      about={run && <About run={run} />}
    >
      {query.isPending && <Loading what="the test run" />}
      {isUnknown && <EmptyState title="There is no such test run." />}
      {query.isError && !isUnknown && (
        <ErrorNotice
          title="The test run could not be loaded."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {run && (
        <>
          <VerdictFilter
            totals={run.totals}
            verdict={verdict}
            onChange={(chosen) => {
              setFilter({ verdict: chosen }, { replace: true });
            }}
          />
          <TestRunItems run={run} verdict={verdict} />
        </>
      )}
    </Page>
  );
}

function About({ run }: { run: TestRunRecord }) {
  return (
    <div className={styles.about}>
      {run.status === 'running' ? (
        <Badge tone="warning">running</Badge>
      ) : (
        <Badge tone="neutral">finished</Badge>
      )}
      <span>
        Calls of{' '}
        <Link className="one-line" href={paths.traces({ trace_function_key: run.trace_function_key })}>
          {run.trace_function_key}
        </Link>
        , played again <Time at={run.created_at} />
      </span>
    </div>
  );
}
