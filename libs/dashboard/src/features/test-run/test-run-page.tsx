import { describeSkipped } from '@dacapo/evaluation';
import { useQuery } from '@tanstack/react-query';
import type { TestRunRecord } from '@dacapo/protocol';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../shared/format/format-count.js';
import { ApiError } from '../../shared/http/api-error.js';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { missingItems, TestRunStatusBadge, testRunTitle } from '../../shared/test-run/test-run.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Time } from '../../shared/ui/time.js';
import { DecisionCard } from './decision/decision-card.js';
import { Figures } from './decision/figures.js';
import { readSummary, type RunFigures } from './decision/read-summary.js';
import { testRunQuery } from './api/test-run.js';
import { ChangeGroups } from './groups/change-groups.js';
import { changesQuery } from './groups/changes-query.js';
import { groupChanges } from './groups/group-changes.js';
import { describeWithout } from './groups/without-change.js';
import { TestRunItems } from './test-run-items.js';
import styles from './test-run-page.module.css';
import { ScoreFilter } from './score-filter.js';
import { VerdictFilter } from './verdict-filter.js';

const FILTERS = ['verdict', 'score', 'score_below', 'score_above'] as const;

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
      actions={
        <Link className="button" href={paths.compareTestRun(testRunId)}>
          Compare …
        </Link>
      }
    >
      {query.isPending && <Loading what="the run" />}
      {isUnknown && <EmptyState title="Run not found." />}
      {query.isError && !isUnknown && (
        <ErrorNotice
          title="Could not load the run."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {run && (
        <>
          <About run={run} figures={figures} />
          <DecisionAndChanges run={run} figures={figures} />
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
        </>
      )}
    </Page>
  );
}

/** The decision, what would change it, and the groups of equal changes, once the run has ended. */
function DecisionAndChanges({ run, figures }: AboutProps) {
  const query = useQuery({ ...changesQuery(run.id), enabled: run.status !== 'running' });
  const groups = useMemo(() => groupChanges(query.data?.items ?? []), [query.data]);
  const isCut = query.data?.isCut ?? false;
  return (
    <>
      <DecisionCard
        run={run}
        figures={figures}
        whatIf={figures && !isCut ? describeWithout(groups, run, figures) : undefined}
      />
      {query.isError && (
        <ErrorNotice
          title="Could not load what changed."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      <ChangeGroups testRunId={run.id} groups={groups} total={run.totals.items} isCut={isCut} />
    </>
  );
}

interface AboutProps {
  run: TestRunRecord;
  figures: RunFigures | undefined;
}

function About({ run, figures }: AboutProps) {
  return (
    <div className={styles.about}>
      <TestRunStatusBadge status={run.status} />
      <span>
        {run.rescore_of === undefined ? 'Replayed' : 'Rescored'}{' '}
        <Link className="one-line" href={paths.traces({ trace_function_key: run.trace_function_key })}>
          {run.trace_function_key}
        </Link>{' '}
        <Time at={run.created_at} />
      </span>
      <ComparedWith run={run} />
      <NotInRun run={run} figures={figures} />
    </div>
  );
}

/** The source of the calls and their baseline, if these are not the recordings. */
function ComparedWith({
  run: { dataset, baseline, repeat, summary, rescore_of: source },
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
      {repeat !== undefined && repeat > 1 && <span>{formatCount(repeat)} repeats per call</span>}
    </>
  );
}

/** Calls that are missing, not stored or skipped. */
function NotInRun({ run, figures }: AboutProps) {
  const { selection, skipped = {}, totals } = run;
  const missing = missingItems(run);
  // Waiting reports may have arrived after the client counted.
  const unstored = Math.min(figures?.unstored ?? 0, missing);
  const missingParts = [
    ...(missing > unstored ? [`${formatCount(missing - unstored)} missing`] : []),
    ...(unstored > 0 ? [`${formatCount(unstored)} replayed but not stored by the service`] : []),
  ];
  const skippedText = describeSkipped({ ...selection?.skipped, ...skipped });
  return (
    <>
      {missing > 0 && (
        <span className={styles.missing}>
          {formatCount(totals.items)} of {formatCount(totals.items + missing)} calls:{' '}
          {missingParts.join(', ')}
        </span>
      )}
      {skippedText !== undefined && <span className="muted">{skippedText}</span>}
    </>
  );
}
