import { describeSkipped } from '@dacapo/evaluation';
import { useQuery } from '@tanstack/react-query';
import type { TestRunRecord } from '@dacapo/protocol';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { ApiError } from '../../shared/http/api-error.js';
import type { FirstRequests } from '../../shared/http/first-requests.js';
import { paths, readPathId } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { missingItems, TestRunStatusBadge, testRunTitle } from '../../shared/test-run/test-run.js';
import { ShareButton } from '../../shared/sharing/share-button.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Time } from '../../shared/ui/time.js';
import { DecisionAndChanges } from './decision-and-changes.js';
import { Figures } from './decision/figures.js';
import { readSummary, type RunFigures } from './decision/read-summary.js';
import { testRunQuery } from './api/test-run.js';
import { TestRunItems } from './test-run-items.js';
import styles from './test-run-page.module.css';
import { ScoreFilter } from './score-filter.js';
import { VerdictFilter } from './verdict-filter.js';

const FILTERS = ['verdict', 'score', 'score_below', 'score_above'] as const;

export const firstRequests: FirstRequests = (queries, { pathname }) => [
  queries.query(testRunQuery(readPathId(pathname))),
];

export function TestRunPage({ testRunId }: { testRunId: string }) {
  const query = useQuery(testRunQuery(testRunId));
  const [shown, setFilter] = useQueryFilter(FILTERS);
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const run = query.data;
  const figures = useMemo(() => readSummary(run?.summary), [run?.summary]);
  return (
    <Page
      title={run ? testRunTitle(run) : 'Run'}
      above={<Link href={paths.testRuns()}>← Runs</Link>}
      about={run && <Replayed run={run} />}
      actions={
        run && (
          <>
            <ShareButton target={{ test_run_id: testRunId }} />
            <Link className="button" href={paths.compareTestRun(testRunId)}>
              Compare …
            </Link>
          </>
        )
      }
    >
      {query.isPending && <Loading what="the run" />}
      {isUnknown && (
        <EmptyState title="Run not found.">
          <p>The address is incomplete, or the run belongs to another account.</p>
        </EmptyState>
      )}
      {query.isError && !isUnknown && (
        <ErrorNotice
          title="Could not load the run."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {run && (
        <>
          <Missing run={run} figures={figures} />
          <DecisionAndChanges run={run} figures={figures}>
            {figures && (
              <Figures
                figures={figures}
                onScore={(score) => {
                  const failed = figures.checks.find(
                    (check) => check.score === score && !check.passed && check.min,
                  );
                  const below = failed?.min === undefined ? '' : String(failed.min);
                  setFilter({ score, score_below: below, score_above: '' }, { replace: true });
                }}
              />
            )}
            <h2>All calls</h2>
            <div className="bar-fields">
              <VerdictFilter
                totals={run.totals}
                shown={shown.verdict}
                onChange={(chosen) => {
                  setFilter({ verdict: chosen }, { replace: true });
                }}
              />
              <ScoreFilter
                names={figures?.scores.map(([name]) => name) ?? []}
                range={shown}
                onChange={(range) => {
                  setFilter(range, { replace: true });
                }}
              />
            </div>
            <TestRunItems run={run} shown={shown} />
          </DecisionAndChanges>
        </>
      )}
    </Page>
  );
}

/** What ran, when, and with what it is compared. */
function Replayed({ run }: { run: TestRunRecord }) {
  const { selection, skipped } = run;
  const skippedText = describeSkipped({ ...selection?.skipped, ...skipped });
  return (
    <div className={styles.about}>
      <TestRunStatusBadge status={run.status} />
      {run.resumes !== undefined && (
        <span className="muted">resumed {formatQuantity(run.resumes, 'time')}</span>
      )}
      <span>
        {run.rescore_of === undefined ? 'Replayed' : 'Rescored'}{' '}
        <Link className="one-line" href={paths.traces({ trace_function_key: run.trace_function_key })}>
          {run.trace_function_key}
        </Link>{' '}
        <Time at={run.created_at} />
      </span>
      <ComparedWith run={run} />
      {skippedText !== undefined && <span>{skippedText}</span>}
    </div>
  );
}

/** The source of the calls and their baseline, if these are not the recordings. */
function ComparedWith({
  run: { dataset, baseline, repeat, summary, ignore = [], rescore_of: source },
}: {
  run: TestRunRecord;
}) {
  const version = summary?.['version'];
  return (
    <>
      {source !== undefined && (
        <span>
          with outcomes of <Link href={paths.testRun(source)}>another run</Link>
        </span>
      )}
      {dataset && (
        <span>
          from dataset <Link href={paths.dataset(dataset.name, dataset.version)}>{dataset.name}</Link>,
          version {dataset.version}
        </span>
      )}
      {baseline === 'accepted' && <span>compared with accepted outcomes</span>}
      {typeof version === 'string' && (
        <span>
          compared with <code>{version}</code>, replayed in the same process
        </span>
      )}
      {typeof baseline === 'object' && (
        <span>
          compared with <Link href={paths.testRun(baseline.test_run_id)}>another run</Link>
        </span>
      )}
      {ignore.length > 0 && (
        <span>
          without <code>{ignore.join(', ')}</code>, which earlier decisions ignore
        </span>
      )}
      {repeat !== undefined && repeat > 1 && <span>{formatCount(repeat)} repeats per call</span>}
    </>
  );
}

/** Calls that are missing or not stored. */
function Missing({ run, figures }: { run: TestRunRecord; figures: RunFigures | undefined }) {
  const { totals } = run;
  const missing = missingItems(run);
  if (missing === 0) return null;
  // Waiting reports may have arrived after the client counted.
  const unstored = Math.min(figures?.unstored ?? 0, missing);
  const parts = [
    ...(missing > unstored ? [`${formatCount(missing - unstored)} missing`] : []),
    ...(unstored > 0 ? [`${formatCount(unstored)} replayed but not stored by the service`] : []),
  ];
  return (
    <p className={styles.missing}>
      {formatCount(totals.items)} of {formatCount(totals.items + missing)} calls: {parts.join(', ')}
    </p>
  );
}
