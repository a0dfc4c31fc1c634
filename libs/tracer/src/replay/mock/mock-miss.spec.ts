import type { RecordedDescendant } from '@dacapo/protocol';
import type { MadeCall } from './made-call.js';
import { mockMiss } from './recorded-answers.js';
import { RecordedTree } from './recorded-tree.js';

const recorded = (span_id: string, changes: Partial<RecordedDescendant>): RecordedDescendant =>
  ({
    span_id,
    parent_id: 'root',
    trace_function_key: 'mail',
    started_at: '2026-01-01T00:00:00.000001Z',
    ...changes,
  }) as RecordedDescendant;
const made = (path: readonly string[], args: MadeCall['args']): MadeCall => ({
  spanId: 'made',
  type: 'custom',
  usage: undefined,
  hasFailed: false,
  parent: undefined,
  path,
  args,
  isUnseen: false,
  source: undefined,
  isLookedUp: true,
  hasOtherArguments: false,
  isMocked: false,
  isLive: false,
  unanswerable: undefined,
});
const args = (text: string, identity: string | undefined = text): MadeCall['args'] => ({ text, identity });
const tree = new RecordedTree('root', [
  recorded('a', { input: ['ann'] }),
  recorded('b', { input: ['bob'] }),
  recorded('c', { trace_function_key: 'call', meta: { replayable: false } }),
]);

describe('a call that cannot be answered', () => {
  it.each<[string, MadeCall]>([
    ['the recording has no such call', made(['search'], args('["ann"]'))],
    ['its arguments are not recorded, and the order does not identify the call', made(['mail'], undefined)],
    [
      'its arguments were cut without a hash, so they cannot be compared',
      made(['mail'], { text: '["ann…"]', identity: undefined }),
    ],
    ['the recording has fewer calls with the arguments ["bob"]', made(['mail'], args('["bob"]'))],
    [
      'the recording has no call with the arguments ["bib"]; nearest: ["bob"]',
      made(['mail'], args('["bib"]')),
    ],
    [
      'the recording has no call with the arguments ["ann"]; the recorded calls have no arguments',
      made(['call'], args('["ann"]')),
    ],
  ])('says why: %s', (problem, call) => {
    expect(mockMiss(tree, call, true).message).toContain(problem);
  });

  it('lists the call and the nearest recording', () => {
    const { askedArguments, nearestArguments, path } = mockMiss(tree, made(['mail'], args('["bib"]')), true);
    expect([path, askedArguments, nearestArguments]).toEqual([['mail'], '["bib"]', '["bob"]']);
    const unknown = mockMiss(tree, made(['mail'], undefined), true);
    expect([unknown.askedArguments, unknown.nearestArguments]).toEqual([undefined, undefined]);
  });

  it('explains why its outcome cannot be rebuilt, and the cure', () => {
    const none = { reason: 'its output was cut', cure: 'Record it again' };
    const { message } = mockMiss(tree, made(['mail'], args('["ann"]')), true, none);
    expect(message).toContain('its output was cut');
    expect(message).toContain('Record it again');
  });
});
