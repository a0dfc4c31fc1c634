import { expectedItems, storedDecision } from '@dacapo/evaluation';
import type { TestRunRecord, TestRunStatus } from '@dacapo/protocol';
import { Badge, type BadgeTone } from '../ui/badge.js';

const TONES: Record<Exclude<TestRunStatus, 'finished'>, BadgeTone> = {
  running: 'neutral',
  interrupted: 'warning',
};

/** The name of a test run, or the start of its id. */
export function testRunTitle({ id, name }: Pick<TestRunRecord, 'id' | 'name'>): string {
  return name ?? `Run ${id.slice(0, 8)}`;
}

/** The number of items that are not stored, repetitions included. 0 while the run is running or its size is unknown. */
export function missingItems(run: TestRunRecord): number {
  return run.status === 'running' ? 0 : Math.max(0, expectedItems(run) - run.totals.items);
}

/** The usual status, `finished`, is plain text. */
export function TestRunStatusBadge({ status }: { status: TestRunStatus }) {
  if (status === 'finished') return <span className="muted">{status}</span>;
  return <Badge tone={TONES[status]}>{status}</Badge>;
}

const DECISIONS: Partial<Record<ReturnType<typeof storedDecision>, BadgeTone>> = {
  passed: 'ok',
  failed: 'error',
  'not decided': 'warning',
};

/** The decision of a run, or why there is none. */
export function RunDecision({ run }: { run: TestRunRecord }) {
  const decision = storedDecision(run);
  const tone = DECISIONS[decision];
  return tone === undefined ? (
    <span className="muted">{decision}</span>
  ) : (
    <Badge tone={tone}>{decision}</Badge>
  );
}
