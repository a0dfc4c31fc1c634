import type { DeletionCounts, DeletionRecord } from '@dacapo/protocol';
import { formatQuantity } from '../../shared/format/format-count.js';
import { formatTime } from '../../shared/format/format-time.js';

const HASH = /^[0-9a-f]{64}$/;

/** `traces of session ann that started before Mar 04, 14:05:09`: the scope of a deletion. */
export function describeScope({
  reason,
  state,
  scope,
}: Pick<DeletionRecord, 'reason' | 'state' | 'scope'>): string {
  if (reason === 'account') return 'all data of an account';
  const { trace_ids: ids, session_id: session, user_id: user, trace_function_key: key } = scope;
  const { before, except_keys: others } = scope;
  const [only] = ids ?? [];
  return [
    ids === undefined
      ? 'traces'
      : ids.length === 1
        ? `trace ${only ?? ''}`
        : formatQuantity(ids.length, 'trace'),
    // After its traces are deleted, only a hash of the id is kept.
    ...describeGroup('session', session, state),
    ...describeGroup('user', user, state),
    ...(key === undefined ? [] : [`with a call to ${key}`]),
    ...(before === undefined ? [] : [`that started before ${formatTime(before)}`]),
    ...(others === undefined ? [] : ['except keys with their own rule']),
  ].join(' ');
}

function describeGroup(noun: string, id: string | undefined, state: DeletionRecord['state']): string[] {
  if (id === undefined) return [];
  return [state === 'done' || HASH.test(id) ? `of a ${noun}` : `of ${noun} ${id}`];
}

const COUNTED: [name: keyof DeletionCounts, singular: string][] = [
  ['traces', 'trace'],
  ['spans', 'span'],
  ['scores', 'score'],
  ['dataset_items', 'dataset item'],
  ['run_items', 'test run item'],
  ['accepted_outcomes', 'accepted outcome'],
];

/** `2 traces, 40 spans, 3 test run items`, without zero counts. */
export function describeCounts(counts: DeletionCounts): string {
  const counted = COUNTED.filter(([name]) => counts[name] > 0).map(([name, singular]) =>
    formatQuantity(counts[name], singular),
  );
  return counted.length === 0 ? '0 traces' : counted.join(', ');
}
