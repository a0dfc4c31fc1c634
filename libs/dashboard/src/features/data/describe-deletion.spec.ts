import type { DeletionScope } from '@dacapo/protocol';
import { describeCounts, describeScope } from './describe-deletion.js';

const nothing = { traces: 0, spans: 0, scores: 0, dataset_items: 0, run_items: 0, accepted_outcomes: 0 };

describe('the description of a deletion', () => {
  it.each<[DeletionScope, string]>([
    [{ trace_ids: ['a'] }, 'trace a'],
    [{ trace_ids: ['a', 'b'] }, '2 traces'],
    [{ session_id: 'ann' }, 'traces of session ann'],
    [{ session_id: 'ann', trace_function_key: 'chat' }, 'traces of session ann with a call to chat'],
    [
      { before: 'then', except_keys: ['chat'] },
      'traces that started before then except keys with their own rule',
    ],
  ])('with scope %j reads: %s', (scope, text) => {
    expect(describeScope({ reason: 'request', state: 'running', scope })).toBe(text);
  });

  it('does not name a deleted session', () => {
    const scope = { session_id: 'f'.repeat(64) };
    expect(describeScope({ reason: 'request', state: 'done', scope })).toBe('traces of a session');
  });

  it('lists deleted counts without zeros', () => {
    expect(describeCounts({ ...nothing, traces: 1, spans: 1_200, run_items: 2 })).toBe(
      '1 trace, 1,200 spans, 2 test run items',
    );
    expect(describeCounts(nothing)).toBe('0 traces');
  });
});
