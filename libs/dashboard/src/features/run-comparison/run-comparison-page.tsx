import { storedDecision } from '@dacapo/evaluation';
import {
  conditionLabel,
  CONDITIONS,
  isSpanGroup,
  METRICS_GROUPS,
  type RunCandidate,
  type TestRunRecord,
} from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { formatCount, formatQuantity } from '../../shared/format/format-count.js';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import { RunDecision, TestRunStatusBadge, testRunTitle } from '../../shared/test-run/test-run.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { Time } from '../../shared/ui/time.js';
import { runQuery, runsQuery } from '../../shared/test-run/queries.js';
import { comparisonQuery } from './api.js';
import { ComparedFigures } from './compared-figures.js';
import { ComparedItems } from './compared-items.js';
import { RelationFilter } from './relation-filter.js';
import styles from './run-comparison.module.css';

const FILTERS = ['with', 'relation'] as const;

/** Compares two runs with the same key: figures, improvements, regressions and both outputs of each call. */
export function RunComparisonPage({ testRunId }: { testRunId: string }) {
  const [shown, setFilter] = useQueryFilter(FILTERS);
  const run = useQuery(runQuery(testRunId));
  return (
    <Page
      title={run.data ? `${testRunTitle(run.data)} compared with another run` : 'Compare runs'}
      above={<Link href={paths.testRun(testRunId)}>← Run</Link>}
      about="Calls with the same source. If outcomes differ, the verdicts decide which is better."
    >
      {run.isError && <ErrorNotice title="Could not load the run." error={run.error} />}
      {run.data && (
        <RunPicker
          run={run.data}
          other={shown.with}
          onChange={(other) => {
            setFilter({ with: other, relation: '' });
          }}
        />
      )}
      {run.data && shown.with === '' && (
        <p className="muted">
          Choose another run with the same key to see which calls improved and regressed.
        </p>
      )}
      {shown.with !== '' && (
        <Comparison
          testRunId={testRunId}
          other={shown.with}
          relation={shown.relation}
          onRelation={(relation) => {
            setFilter({ relation }, { replace: true });
          }}
        />
      )}
    </Page>
  );
}

interface RunPickerProps {
  run: TestRunRecord;
  other: string;
  onChange: (other: string) => void;
}

/** Offers the newest runs with the same key. The address can name any other run. */
function RunPicker({ run, other, onChange }: RunPickerProps) {
  const query = useInfiniteQuery(runsQuery(run.trace_function_key));
  const others = query.data?.pages.flatMap((page) => page.items).filter(({ id }) => id !== run.id) ?? [];
  const isListed = other === '' || others.some(({ id }) => id === other);
  if (query.isSuccess && others.length === 0 && other === '') {
    return <EmptyState title="There is no other run with this key." />;
  }
  return (
    <label className="field">
      <span>Compare with</span>
      <select
        value={other}
        onChange={(event) => {
          onChange(event.currentTarget.value);
        }}
      >
        <option value="">Choose a run</option>
        {!isListed && <option value={other}>{other}</option>}
        {others.map((one) => (
          <option key={one.id} value={one.id}>
            {testRunTitle(one)}, {one.created_at.slice(0, 16).replace('T', ' ')}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ComparisonProps {
  testRunId: string;
  other: string;
  relation: string;
  onRelation: (relation: string) => void;
}

function Comparison({ testRunId, other, relation, onRelation }: ComparisonProps) {
  const query = useInfiniteQuery({
    ...comparisonQuery(testRunId, other, relation),
    placeholderData: keepPreviousData,
  });
  if (query.isPending) return <Loading what="both runs" />;
  if (query.isError) {
    return (
      <ErrorNotice
        title="Could not compare the runs."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  const [first] = query.data.pages;
  if (first === undefined) return null;
  const items = query.data.pages.flatMap((page) => page.items);
  return (
    <>
      <div className={styles.runs}>
        <RunName label="This run" run={first.here} candidate={first.candidates?.here} />
        <RunName label="Other run" run={first.there} candidate={first.candidates?.there} />
      </div>
      {first.figures && <ComparedFigures figures={first.figures} />}
      <RelationFilter totals={first.totals} shown={relation} onChange={onRelation} />
      {items.length === 0 && <EmptyState title="No calls match this filter." />}
      <ComparedItems here={first.here.id} there={first.there.id} items={items} />
      <div>
        <LoadMore {...query} />
      </div>
    </>
  );
}

interface RunNameProps {
  label: string;
  run: TestRunRecord;
  candidate: RunCandidate | undefined;
}

/** The decision, the totals and the candidate of one run. */
function RunName({ label, run, candidate }: RunNameProps) {
  const { status, totals } = run;
  const isOpen = status !== 'finished';
  const decision = storedDecision(run);
  const isDecided = decision === 'passed' || decision === 'failed';
  return (
    <div className={styles.run}>
      <p>
        <span className="muted">{label}: </span>
        <Link href={paths.testRun(run.id)}>{testRunTitle(run)}</Link>, started <Time at={run.created_at} />
      </p>
      <p className={styles.outcome}>
        {isOpen ? <TestRunStatusBadge status={status} /> : isDecided && <RunDecision run={run} />}
        <span className="muted">
          {isOpen && 'incomplete; '}
          {!isOpen && decision === 'no gate' && 'no gate; '}
          {!isOpen && decision === 'not decided' && 'not decided; '}
          {formatCount(totals.same)} of {formatQuantity(totals.items, 'call')} same
          {totals.unknown > 0 && `, ${formatCount(totals.unknown)} unknown`}
        </span>
      </p>
      {candidate && <Candidate candidate={candidate} />}
    </div>
  );
}

/** Users, tags, environment and release of the candidate, as far as its traces show them. */
function Candidate({ candidate }: { candidate: RunCandidate }) {
  const facts = METRICS_GROUPS.flatMap((name) => {
    const values = isSpanGroup(name) ? [] : candidate[name];
    return values.length === 0
      ? []
      : [`${conditionLabel(CONDITIONS[name]).toLowerCase()} ${values.join(', ')}`];
  });
  return facts.length === 0 ? null : <p className="muted">Candidate: {facts.join('; ')}</p>;
}
