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

export function TestRunStatusBadge({ status }: { status: TestRunStatus }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}

/** Whether a run passed its gate; one without a gate, not at its end, or with more than its gate allows, has not decided. */
export function RunDecision({ run: { passed, status } }: { run: TestRunRecord }) {
  if (passed === undefined || status !== 'finished') return <span className="muted">–</span>;
  return <Badge tone={passed ? 'ok' : 'error'}>{passed ? 'passed' : 'failed'}</Badge>;
}
