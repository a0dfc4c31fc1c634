import { expectedItems, storedDecision } from '@dacapo/evaluation';
import type { TestRunRecord, TestRunStatus } from '@dacapo/protocol';
import { Badge, type BadgeTone } from '../ui/badge.js';

const TONES: Record<TestRunStatus, BadgeTone> = {
  running: 'warning',
  interrupted: 'error',
  finished: 'neutral',
};

/** What a test run is called: its name, or the beginning of its id. */
export function testRunTitle({ id, name }: Pick<TestRunRecord, 'id' | 'name'>): string {
  return name ?? `Test run ${id.slice(0, 8)}`;
}

/** How many items the service has not stored, repetitions included. 0 while the run goes on, and where nobody knows how many there are. */
export function missingItems(run: TestRunRecord): number {
  return run.status === 'running' ? 0 : Math.max(0, expectedItems(run) - run.totals.items);
}

export function TestRunStatusBadge({ status }: { status: TestRunStatus }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}

const DECISIONS: Partial<Record<ReturnType<typeof storedDecision>, BadgeTone>> = {
  passed: 'ok',
  failed: 'error',
  'not decided': 'warning',
};

/** Whether a run passed its gate, or why there is no decision. */
export function RunDecision({ run }: { run: TestRunRecord }) {
  const decision = storedDecision(run);
  const tone = DECISIONS[decision];
  return tone === undefined ? (
    <span className="muted">{decision}</span>
  ) : (
    <Badge tone={tone}>{decision}</Badge>
  );
}
