import { type Agreement, AGREEMENTS } from '@dacapo/protocol';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../shared/navigation/paths.js';
import { useQueryFilter } from '../../shared/navigation/use-query-filter.js';
import type { BadgeTone } from '../../shared/ui/badge.js';
import { FigureFilter } from '../../shared/ui/figure-filter.js';
import { LoadMore } from '../../shared/ui/load-more.js';
import { EmptyState, ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Page } from '../../shared/ui/page.js';
import { runGridQuery } from './api.js';
import { GridTable } from './grid-table.js';

const LABELS: Record<Agreement, [label: string, tone: BadgeTone]> = {
  different: ['disagree', 'warning'],
  unknown: ['unknown', 'warning'],
  same: ['agree', 'neutral'],
};

/** Compares any number of runs: calls by runs, disagreements first. */
export function RunGridPage() {
  const [shown, setFilter] = useQueryFilter(['ids', 'agreement']);
  const ids = [...new Set(shown.ids.split(',').filter((id) => id !== ''))];
  return (
    <Page
      title={ids.length < 2 ? 'Compare runs' : `Compare ${ids.length} runs`}
      above={<Link href={paths.testRuns()}>← Runs</Link>}
      about="Calls with the same source. Calls on which the runs disagree come first."
    >
      {ids.length < 2 ? (
        <EmptyState title="Choose the runs to compare.">
          <p>
            Select two or more runs in the <Link href={paths.testRuns()}>list of runs</Link>.
          </p>
        </EmptyState>
      ) : (
        <Grid
          ids={ids}
          shown={shown.agreement}
          onChange={(agreement) => {
            setFilter({ agreement }, { replace: true });
          }}
        />
      )}
    </Page>
  );
}

interface GridProps {
  ids: string[];
  shown: string;
  onChange: (agreement: string) => void;
}

function Grid({ ids, shown, onChange }: GridProps) {
  const query = useInfiniteQuery({ ...runGridQuery(ids, shown), placeholderData: keepPreviousData });
  if (query.isPending) return <Loading what="the runs" />;
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
  const all = AGREEMENTS.reduce((sum, name) => sum + first.totals[name], 0);
  return (
    <>
      <FigureFilter
        label="Filter by agreement"
        shown={shown}
        onChange={onChange}
        figures={[
          { value: '', label: 'all calls', count: all, tone: 'neutral' },
          ...AGREEMENTS.map((value) => {
            const [label, tone] = LABELS[value];
            return { value, label, count: first.totals[value], tone };
          }),
        ]}
      />
      <GridTable runs={first.runs} rows={query.data.pages.flatMap((page) => page.items)} />
      <div>
        <LoadMore {...query} />
      </div>
    </>
  );
}
