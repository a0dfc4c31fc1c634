import { readPages } from '@dacapo/client';
import type { TestRunItemSummary } from '@dacapo/protocol';
import { findStaleBuild } from '../../project-config/find-stale-build.js';
import { replaySettingsFor } from '../../project-config/project-config.js';
import type { ProjectRun } from '../../project-config/run-project-replay.js';
import { Answer, plain } from '../answer.js';
import type { Session } from '../session.js';
import { count, KEY, type Tool, TRACE_ID } from '../tool.js';
import { verifyFix } from '../verify-fix.js';

interface Input {
  readonly key: string;
  readonly trace_ids?: readonly string[];
  readonly others?: number;
}

const MOST_NAMED = 20;
const MOST_OTHERS = 50;
const OTHERS = 10;
const MOST_ITEMS = 40;
const LOG = 2_000;

/** Replays recorded calls through the code in the working tree, and says whether a fix is verified. */
export const replayCalls: Tool<Input> = {
  name: 'replay_calls',
  description:
    'Replay recorded calls through the code in the working tree, without side effects: calls inside are answered from the recording. Name failing traces in trace_ids; other calls with the key are replayed, too. "VERIFIED" needs the failing calls fixed and the others unharmed. Build first.',
  input: {
    key: KEY,
    trace_ids: { type: 'array', items: TRACE_ID, maxItems: MOST_NAMED },
    others: count(MOST_OTHERS, `other calls, default ${OTHERS}`),
  },
  required: ['key'],
  acts: true,
  subject: ({ key, trace_ids: [first] = [] }) => (first === undefined ? key : `${first}/${key}`),
  async run({ key, trace_ids: named = [], others = OTHERS }, session, signal) {
    const config = session.config();
    const settings = replaySettingsFor(config, key);
    const stale = findStaleBuild(config);
    const targets = new Set(named);
    const traceIds = [...targets, ...(await findOthers(session, key, targets, others))];
    const name = 'coding agent';
    const { exitCode, run, error, log } = await session.replay({ key, traceIds, name }, signal);
    const items = run === undefined ? [] : await listItems(session, run.testRunId);
    const answer = new Answer();
    if (stale !== undefined)
      answer.say(
        `STALE BUILD: ${stale.source} was changed after ${stale.module} was built. Build, then replay again.`,
      );
    if (run === undefined) {
      answer.say(`FAILED: the replay has no result (${plain(error?.code ?? 'unknown')}).`);
      if (error !== undefined) answer.quote(error.message, LOG);
      return log === '' ? answer : answer.say('The end of what it printed:').quote(log.slice(-LOG), LOG);
    }
    const isComplete = exitCode === 0;
    const evidence = { targets, items, totals: run.totals, isComplete, isStale: stale !== undefined };
    const { isVerified, reasons } = verifyFix(evidence);
    answer.say(`${isVerified ? 'VERIFIED' : 'NOT VERIFIED'}: ${reasons.join(' ')}`).say(describeTotals(run));
    if (error !== undefined)
      answer.say(`The replay ended with ${plain(error.code)}:`).quote(error.message, LOG);
    sayWhatRan(answer, run, settings.live);
    const toReview = items.filter(needsLook).slice(0, MOST_ITEMS);
    if (toReview.length > 0)
      answer
        .say('Items to look at with diff_item:')
        .quote(toReview.map((item) => describeItem(item, targets)).join('\n'));
    return answer;
  },
};

/** The newest finished calls of the key in other traces. */
async function findOthers(
  { service }: Session,
  key: string,
  targets: ReadonlySet<string>,
  most: number,
): Promise<string[]> {
  if (most === 0) return [];
  const limit = Math.min(200, 2 * most + targets.size);
  const { items } = await service.api.traces.list({ trace_function_key: key, limit });
  return items
    .filter(
      ({ id, test_run_id, status }) =>
        test_run_id === undefined && status !== 'unfinished' && !targets.has(id),
    )
    .map(({ id }) => id)
    .slice(0, most);
}

async function listItems({ service }: Session, id: string): Promise<TestRunItemSummary[]> {
  const found: TestRunItemSummary[] = [];
  for await (const page of readPages((one) => service.api.testRuns.listItems({ id, ...one })))
    found.push(...page);
  return found;
}

function describeTotals({ totals, testRunId, testRunUrl }: ProjectRun): string {
  const { items, same, changed, fixed, unknown, error, newErrors, failingAsBefore, diverged } = totals;
  return (
    `${items} calls replayed: ${same} same (${failingAsBefore} failing as recorded), ${changed} changed (${fixed} fixed), ` +
    `${unknown} unknown, ${error} errors (${newErrors} new); ${diverged} made other calls inside. Test run ${testRunId}` +
    `${/^https?:\/\/[\w.:/-]+$/.test(testRunUrl) ? `, ${testRunUrl}` : ''}.`
  );
}

function sayWhatRan(answer: Answer, { ranLive = {} }: ProjectRun, live: readonly string[]): void {
  const ran = Object.entries(ranLive);
  const allowed = live.length === 0 ? 'Nothing may run live.' : `What may run live: ${live.join(', ')}.`;
  answer.say(
    `${allowed} Wrapped functions that really ran inside: ${ran.length}${ran.length > 0 ? ':' : '.'}`,
  );
  if (ran.length > 0) answer.quote(ran.map(([key, times]) => `${key} ×${times}`).join('\n'), LOG);
}

function needsLook({
  verdict,
  divergence_count: divergences = 0,
  failing_as_before: isFailing,
}: TestRunItemSummary): boolean {
  return verdict !== 'same' || divergences > 0 || isFailing === true;
}

function describeItem(item: TestRunItemSummary, targets: ReadonlySet<string>): string {
  const {
    item_no,
    source_trace_id: trace = '',
    verdict,
    fixed,
    failing_as_before,
    new_error,
    error_preview,
    divergence_count,
  } = item;
  const facts = [
    `item ${item_no}`,
    trace,
    verdict,
    ...(targets.has(trace) ? ['named'] : []),
    ...(fixed === true ? ['fixed'] : []),
    ...(failing_as_before === true ? ['fails as recorded'] : []),
    ...(new_error === true ? ['new error'] : []),
    ...(divergence_count === undefined ? [] : [`${divergence_count} other calls inside`]),
    ...(error_preview === undefined ? [] : [error_preview.replace(/\s+/g, ' ').slice(0, 200)]),
  ];
  return facts.join('  ');
}
