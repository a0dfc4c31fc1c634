import type { DecisionRecord, TestRunRecord } from '@dacapo/protocol';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { ErrorNotice, Loading } from '../../shared/ui/notice.js';
import { Time } from '../../shared/ui/time.js';
import { DecisionCard } from './decision/decision-card.js';
import type { RunFigures } from './decision/read-summary.js';
import { ChangeGroups } from './change-groups.js';
import { changesQuery } from './groups/changes-query.js';
import { type ChangeGroup, groupChanges } from './groups/group-changes.js';
import { describeWithout } from './groups/without-change.js';
import { DecisionHistory } from './judging/decision-history.js';
import { decisionsQuery } from './judging/decisions.js';
import { JudgeContext } from './judging/judge-context.js';
import { focusNextGroup, useJudgeKeys } from './judging/judge-keys.js';
import { isJudged } from './groups/judged-groups.js';
import styles from './judging/judging.module.css';
import { KeyBar } from './judging/key-bar.js';
import { useJudging } from './judging/use-judging.js';

interface DecisionAndChangesProps {
  run: TestRunRecord;
  /** As the client stored them. */
  figures: RunFigures | undefined;
  /** Shown below. Calls in it can be judged, too. */
  children: ReactNode;
}

/** The latest decision, what would change it, and the groups of equal changes, once the run has ended. */
export function DecisionAndChanges({ run, figures, children }: DecisionAndChangesProps) {
  const query = useQuery({ ...changesQuery(run), enabled: run.status !== 'running' });
  const decisions = useQuery({ ...decisionsQuery(run.id), enabled: run.decision !== undefined });
  const groups = useMemo(() => groupChanges(query.data?.items ?? []), [query.data]);
  const isCut = query.data?.isCut ?? false;
  const judging = useJudging(run, figures);
  useJudgeKeys(judging.judge, groups);
  useNextGroup(groups);
  const latest = decisions.data?.items[0];
  if (run.decision !== undefined && latest === undefined) {
    return (
      <>
        {decisions.isError ? (
          <ErrorNotice
            title="Could not load the decision."
            error={decisions.error}
            onRetry={() => void decisions.refetch()}
          />
        ) : (
          <Loading what="the decision" />
        )}
        {children}
      </>
    );
  }
  const decided = figures && latest ? toDecided(figures, latest) : figures;
  const counted = latest ? { ...run, totals: latest.totals } : run;
  const open = groups
    .map((group) => ({ ...group, items: group.items.filter((item) => !isJudged(item)) }))
    .filter(({ items }) => items.length > 0)
    .sort((left, right) => right.items.length - left.items.length);
  return (
    <JudgeContext value={judging.judge}>
      <DecisionCard
        run={counted}
        figures={decided}
        decidedBy={
          latest && (
            <>
              Decided by {latest.author.name} <Time at={latest.decided_at} />
            </>
          )
        }
        whatIf={decided && !isCut ? describeWithout(open, counted, decided) : undefined}
      >
        <IgnoredPaths paths={latest?.ignore ?? []} onCompare={judging.judge?.compare} />
        {figures && <DecisionHistory run={run} figures={figures} decisions={decisions.data?.items ?? []} />}
      </DecisionCard>
      {judging.error && <ErrorNotice title="Could not store the decision." error={judging.error} />}
      {query.isError && (
        <ErrorNotice
          title="Could not load what changed."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      <ChangeGroups testRunId={run.id} groups={groups} total={run.totals.items} isCut={isCut}>
        {judging.judge && (
          <div className={styles.done} role="status">
            {judging.text}
            {judging.canUndo && (
              <button type="button" className="small" aria-keyshortcuts="u" onClick={judging.judge.undo}>
                Undo
              </button>
            )}
          </div>
        )}
      </ChangeGroups>
      {children}
      {judging.judge && groups.length > 0 && <KeyBar groups={groups} />}
    </JudgeContext>
  );
}

/** The figures with the checks of a later decision. */
function toDecided(figures: RunFigures, { passed, checks }: DecisionRecord): RunFigures {
  return {
    ...figures,
    passed,
    checks,
    failures: checks.flatMap((check) => check.failures),
  };
}

function IgnoredPaths({
  paths,
  onCompare,
}: {
  paths: readonly string[];
  onCompare: ((path: string) => void) | undefined;
}) {
  if (paths.length === 0) return null;
  return (
    <div className={styles.ignored} role="group" aria-label="Ignored in this run and later ones">
      <span className="muted">Ignored:</span>
      {paths.map((path) => (
        <span key={path} className={styles.ignored}>
          <code>{path}</code>
          {onCompare && (
            <button
              type="button"
              className="small plain"
              aria-label={`Compare again (${path})`}
              onClick={() => {
                onCompare(path);
              }}
            >
              Compare again
            </button>
          )}
        </span>
      ))}
    </div>
  );
}

/** Moves on when a decision completes a group. */
function useNextGroup(groups: readonly ChangeGroup[]): void {
  const before = useRef<number>(undefined);
  useEffect(() => {
    const judged = groups.filter(({ items }) => items.every(isJudged)).length;
    if (before.current !== undefined && judged > before.current) focusNextGroup(groups);
    before.current = groups.length === 0 ? undefined : judged;
  }, [groups]);
}
