import { countAgainstLimits, expectedItems } from '@dacapo/evaluation';
import {
  isJsonObject,
  LIMITS,
  parseTimestamp,
  type TestRunRecord,
  type TestRunStatus,
  type TestRunTotals,
} from '@dacapo/protocol';
import type { RunDecision, StoredTestRun } from '../storage/ports/test-run.js';

/** @param url the address of the service, without a slash at its end */
export function toRunRecord(
  run: StoredTestRun,
  totals: TestRunTotals,
  { nowUs, url }: { nowUs: number; url: string },
): TestRunRecord {
  const { id, name, finishedAt, selection, expectedItems, skipped, dataset, baseline, repeat, decided } = run;
  const stored = finishedAt === undefined && run.decision === 'passed' ? 'undecided' : run.decision;
  const decision = run.summary ? resolveDecision(run, totals) : stored;
  const reported = {
    ...(decision === 'undecided' && { undecided: true as const }),
    ...(decision !== undefined && decision !== 'undecided' && { passed: decision === 'passed' }),
  };
  return {
    id,
    trace_function_key: run.traceFunctionKey,
    ...(name !== undefined && { name }),
    status: readStatus(run, nowUs),
    created_at: run.createdAt,
    heartbeat_at: run.heartbeatAt,
    ...(finishedAt !== undefined && { finished_at: finishedAt }),
    totals,
    ...(selection !== undefined && { selection }),
    ...(dataset !== undefined && { dataset }),
    ...(baseline !== undefined && { baseline }),
    ...(repeat !== undefined && { repeat }),
    ...(run.rescoreOf !== undefined && { rescore_of: run.rescoreOf }),
    ...(run.resumes > 0 && { resumes: run.resumes }),
    ...(run.ignore !== undefined && { ignore: [...run.ignore] }),
    ...(decided === undefined ? reported : { passed: decided.passed, decision: decided }),
    ...(run.summary !== undefined && { summary: run.summary }),
    ...(expectedItems !== undefined && { expected_items: expectedItems }),
    ...(skipped !== undefined && { skipped }),
    url: `${url}/test-runs/${id}`,
  };
}

function readStatus({ finishedAt, isStopped, heartbeatAt }: StoredTestRun, nowUs: number): TestRunStatus {
  if (finishedAt !== undefined) return 'finished';
  const sinceHeartbeatUs = nowUs - (parseTimestamp(heartbeatAt) ?? 0);
  return isStopped || sinceHeartbeatUs > LIMITS.silentRunMs * 1000 ? 'interrupted' : 'running';
}

/**
 * The decision of the reporter's gate; `undefined` without a gate. A reported pass is `undecided` while the run is unfinished, or if
 * the stored items break the gate's limits.
 */
export function resolveDecision(run: StoredTestRun, totals: TestRunTotals): RunDecision | undefined {
  const { passed, gate } = run.summary ?? {};
  if (typeof passed !== 'boolean') return undefined;
  if (!passed) return 'failed';
  const expected = expectedItems({ ...run, expected_items: run.expectedItems });
  const { beyond } = countAgainstLimits(isJsonObject(gate) ? gate : {}, totals, expected);
  return run.finishedAt === undefined || beyond.length > 0 ? 'undecided' : 'passed';
}
