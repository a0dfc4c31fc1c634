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

/** Whether a run passed its gate: before its end, and where its gate is not kept by what the service counts, nothing is decided. */
export function RunDecision({ run }: { run: Pick<TestRunRecord, 'passed' | 'undecided' | 'status'> }) {
  const { tone, text } = decisionWords(run);
  return tone === undefined ? <span className="muted">{text}</span> : <Badge tone={tone}>{text}</Badge>;
}

function decisionWords({
  passed,
  undecided,
  status,
}: Pick<TestRunRecord, 'passed' | 'undecided' | 'status'>): { tone?: BadgeTone; text: string } {
  if (status === 'running') return { text: 'not yet' };
  if (status === 'interrupted' || undecided) return { tone: 'warning', text: 'not decided' };
  if (passed === undefined) return { text: 'no gate' };
  return passed ? { tone: 'ok', text: 'passed' } : { tone: 'error', text: 'failed' };
}
