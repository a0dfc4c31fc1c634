import type { RecordedDescendant } from '@dacapo/protocol';
import { call, inside, now, ownBody, past, replayed } from '../../../test/replay/inner-calls.js';
import { encodeText } from '../../byte-string.js';
import { defineSpan, type SpanDefinitionOptions } from '../../recording/span-definition.js';
import { InnerCalls } from './inner-calls.js';
import { MockPolicy } from './mock-policy.js';

const NO_USE = { reported: [], withoutUsage: 0 };

const all = new MockPolicy('all', undefined);
const marked = new MockPolicy('marked', undefined);
const none = new MockPolicy('none', undefined);
const MARKED = { options: { mockOnReplay: true } };

describe('a call at a recorded place', () => {
  it('has other arguments only when those of both are known', () => {
    const unknownThen = inside([past('a', 'mail', null)], marked);
    expect(call(unknownThen, now('1', 'mail', 'ann', MARKED))).toBe('a');
    expect(unknownThen.divergences()).toEqual([]);
    const unknownNow = inside([past('a', 'mail', 'ann')], marked);
    expect(call(unknownNow, now('1', 'mail', null, MARKED))).toBe('a');
    expect(unknownNow.divergences()).toEqual([]);
    const known = inside([past('a', 'mail', 'ann')], marked);
    expect(call(known, now('1', 'mail', 'bob', MARKED))).toBe('a');
    expect(known.divergences()).toMatchObject([{ kind: 'changed_arguments', path: ['mail'] }]);
  });

  const two = [
    past('p1', 'plan', 1),
    past('p2', 'plan', 2),
    past('a', 'mail', 'ann', { parent_id: 'p1' }),
    past('b', 'mail', 'bob', { parent_id: 'p2' }),
  ];

  it('replaces the one below the same call', () => {
    const calls = inside(two, marked);
    call(calls, now('2', 'plan', 2));
    expect(call(calls, now('2.1', 'mail', 'cid', { ...MARKED, parentId: '2' }))).toBe('b');
    call(calls, now('1', 'plan', 1));
    expect(call(calls, now('1.1', 'mail', 'dan', { ...MARKED, parentId: '1' }))).toBe('a');
  });

  it('may be anywhere on its path below a call that was not recorded', () => {
    const calls = inside(two.slice(0, 3), marked);
    call(calls, now('1', 'plan', 1));
    call(calls, now('2', 'plan', 2));
    call(calls, now('3', 'plan', 3));
    expect(call(calls, now('3.1', 'mail', 'cid', { ...MARKED, parentId: '3' }))).toBe('a');
  });

  it('finds the call above it first, which may have passed through no body', () => {
    const same = [...two.slice(0, 2), past('a', 'mail', 'ann', { parent_id: 'p1' })];
    const calls = inside([...same, past('b', 'mail', 'ann', { parent_id: 'p2' })], all);
    calls.opened(now('2', 'plan', 2));
    expect(call(calls, now('2.1', 'mail', 'ann', { parentId: '2' }))).toBe('b');
  });

  it('is found by its place alone when it runs and its arguments are unknown', () => {
    const calls = inside([past('a', 'plan', null), past('b', 'mail', 'ann', { parent_id: 'a' })], marked);
    expect(call(calls, now('1', 'plan', null))).toBe('ran');
    expect(call(calls, now('1.1', 'mail', 'ann', { ...MARKED, parentId: '1' }))).toBe('b');
    expect(calls.divergences()).toEqual([]);
  });

  it('is found by its place in the end where it passed through no body', () => {
    const calls = inside([past('a', 'plan', null)], none);
    calls.opened(now('1', 'plan', null));
    expect(calls.divergences()).toEqual([]);
  });
});

describe('the outcome of a mocked call', () => {
  it('is marked as mocked, with its source span, even if a miss would run', () => {
    const calls = inside([past('a', 'mail', 'ann')], new MockPolicy('all', 'run'));
    const mail = now('1', 'mail', 'ann');
    expect(call(calls, mail)).toBe('a');
    expect(mail).toMatchObject({ isMocked: true, mockedFrom: 'a' });
    const other = now('2', 'mail', 'bob');
    expect(call(calls, other)).toBe('ran');
    expect(other).toMatchObject({ isMocked: false, mockedFrom: undefined });
  });

  it('has no source span when a function mocks a call that was not recorded, and takes no place', () => {
    const standIn = { options: { mockOnReplay: () => 'stood in' } };
    const calls = inside([past('a', 'mail', 'ann')], marked);
    const mail = now('1', 'mail', 'bob', standIn);
    expect(call(calls, mail)).toBe('stood in');
    expect(mail).toMatchObject({ isMocked: true, mockedFrom: undefined });
  });

  it('rejects a promise when the recorded call returned one', async () => {
    const calls = inside([past('a', 'mail', 'ann', { meta: {} })], all);
    await expect(call(calls, now('1', 'mail', 'bob'))).rejects.toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
    });
  });

  it('that is used beyond the recording is reported as a divergence', () => {
    const calls = inside([past('a', 'mail', 'ann')], all);
    const mail = now('1', 'mail', 'ann');
    call(calls, mail);
    const error = calls.unanswerable(mail, 'its page 2 is not recorded');
    expect(error).toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
      message: expect.stringContaining(': its page 2 is not recorded. Call what the recording has, or'),
    });
    expect(calls.divergences()).toEqual([
      {
        kind: 'unanswerable',
        path: ['mail'],
        spanId: '1',
        sourceSpanId: 'a',
        reason: 'its page 2 is not recorded',
      },
    ]);
  });
});

describe('a function whose call opens no span', () => {
  const unrecorded = (policy: MockPolicy, options: Partial<SpanDefinitionOptions> = {}): unknown =>
    inside([], policy).unrecorded(defineSpan({ key: 'mail', name: 'mail', ...options }), ownBody);

  it('runs when the replay allows it, and has its mock', () => {
    const standIn = (): string => 'stood in';
    expect(unrecorded(none)).toBe(ownBody);
    expect(unrecorded(new MockPolicy('all', 'run'))).toBe(ownBody);
    expect(unrecorded(marked, { mockOnReplay: standIn })).toBe(standIn);
    expect(unrecorded(none, { mockOnReplay: standIn })).toBe(ownBody);
  });

  it('fails when it would be mocked, and explains how it can run', () => {
    const problem =
      'The call of "mail" at mail cannot be answered from the recording: its tracer does not record it. Turn its tracer on, or replay with ';
    expect(() => unrecorded(all, { mockOnReplay: false })).toThrow(
      `${problem}onMockMiss: 'run' to let it run.`,
    );
    expect(() => unrecorded(marked, { mockOnReplay: true })).toThrow(
      `${problem}live: [{ key: "mail" }] to let it run.`,
    );
  });
});

describe('a connection', () => {
  it('is denied with the network, except to the service and inside allowed calls', () => {
    const target = 'api.example.com:443';
    const deny = { network: 'deny', serviceTarget: 'localhost:80' } as const;
    const live = inside([], new MockPolicy('all', 'run', [{ key: 'mail' }]), deny);
    call(live, now('1', 'mail', 'ann'));
    live.opened(now('1.1', 'post', 'ann', { parentId: '1' }));
    expect(live.denyConnection('1.1', target)).toBeUndefined();
    expect(live.denyConnection('desk', 'localhost:80')).toBeUndefined();
    expect(live.denied.size).toBe(0);
    expect(live.denyConnection('desk', target)).toMatchObject({ code: 'TRACER_NETWORK_DENIED', target });
    expect(live.denyConnection(undefined, target)).toMatchObject({ code: 'TRACER_NETWORK_DENIED' });
    expect([...live.denied]).toEqual([target]);
    live.opened(now('2', 'post', 'ann'));
    expect(live.denyConnection('2', target)).toMatchObject({ code: 'TRACER_NETWORK_DENIED' });
    const allowed = inside([], all, { ...deny, network: 'allow' });
    expect(allowed.denyConnection('desk', target)).toBeUndefined();
    expect(allowed.denied.size).toBe(0);
  });
});

describe('the compared calls', () => {
  it('is nothing where there is no recording, or its calls cannot be had', () => {
    expect(new InnerCalls(undefined, [], { policy: all, codecs: [], nowMs: () => 0 }).divergences()).toBe(
      undefined,
    );
    const unknown = inside(undefined, none);
    expect(unknown.divergences()).toBeUndefined();
    expect(unknown.modelCalls().original).toBeUndefined();
    const unrecorded = new InnerCalls(undefined, [], { policy: all, codecs: [], nowMs: () => 0 });
    expect(unrecorded.modelCalls().original).toBeUndefined();
  });

  it('are the inner calls when the replayed function is not traced', () => {
    const recorded = [past('a', 'mail', 'ann'), past('b', 'post', 'ann')];
    const calls = new InnerCalls(replayed, recorded, { policy: all, codecs: [], nowMs: () => 0 });
    expect(call(calls, now('1', 'mail', 'ann', { parentId: undefined }))).toBe('a');
    expect(calls.divergences()).toMatchObject([{ kind: 'missing', path: ['post'] }]);
  });
});

describe('a replayed function that is not wrapped', () => {
  const bare = { bareKey: 'shop' };

  it('delegates to the wrapped one, which runs as the replayed one', () => {
    const calls = inside([], all, bare);
    expect(call(calls, now('1', 'shop', 'lamp'))).toBe('ran');
    expect(calls.ran.size).toBe(0);
    expect(calls.divergences()).toEqual([]);
  });

  it('hands on neither where a call of that key was recorded below it, nor from further below', () => {
    const recorded = inside([past('a', 'shop', 'lamp')], all, bare);
    expect(call(recorded, now('1', 'shop', 'lamp'))).toBe('a');
    const deeper = inside([past('a', 'plan', 1)], none, bare);
    call(deeper, now('1', 'plan', 1));
    call(deeper, now('1.1', 'shop', 'lamp', { parentId: '1' }));
    expect([...deeper.ran.keys()]).toEqual(['plan', 'shop']);
  });

  it('does not hand on to one that has no call above it', () => {
    const calls = inside([], none, bare);
    call(calls, now('1', 'shop', 'lamp', { parentId: undefined }));
    expect([...calls.ran.keys()]).toEqual(['shop']);
  });
});

describe('whether a replay mocked a call', () => {
  const mail = past('a', 'mail', 'ann');

  it.each<[isMocked: boolean, of: string, MockPolicy, argument: string]>([
    [false, 'runs', none, 'ann'],
    [true, 'is answered', all, 'ann'],
    [false, 'is not recorded, and runs', new MockPolicy('all', 'run'), 'eve'],
  ])('is %s of a call that %s', (isMocked, _, policy, argument) => {
    const calls = inside([mail], policy);
    expect(calls.isMocked).toBe(false);
    call(calls, now('1', 'mail', argument));
    expect(calls.isMocked).toBe(isMocked);
    call(calls, now('2', 'post', 'ann', { options: { mockOnReplay: () => 'stood in' } }));
    expect(calls.isMocked).toBe(policy !== none);
  });

  it('is true once a call failed because it was not recorded, and stays so', () => {
    const calls = inside([mail], all);
    expect(() => call(calls, now('1', 'mail', 'eve'))).toThrow('cannot be answered from the recording');
    expect(calls.isMocked).toBe(true);
    calls.unrecorded(defineSpan({ key: 'post', name: 'post', mockOnReplay: () => 'stood in' }), ownBody);
    expect(calls.isMocked).toBe(true);
  });

  it.each<[isMocked: boolean, MockPolicy, Partial<SpanDefinitionOptions>]>([
    [false, none, { mockOnReplay: () => 'stood in' }],
    [false, new MockPolicy('all', 'run'), {}],
    [true, marked, { mockOnReplay: () => 'stood in' }],
  ])('is %s of a function whose call opens no span %#', (isMocked, policy, options) => {
    const calls = inside([], policy);
    calls.unrecorded(defineSpan({ key: 'mail', name: 'mail', ...options }), ownBody);
    expect(calls.isMocked).toBe(isMocked);
  });
});

describe('whether a model call ran', () => {
  const model = { options: { type: 'llm' } } as const;
  const recorded = [past('a', 'ask', 'ann', { type: 'llm' }), past('b', 'mail', 'ann')];

  it('is known from the calls of the replay', () => {
    const calls = inside(recorded, new MockPolicy('all', undefined, [{ key: 'live' }, { key: 'mail' }]));
    expect(calls.ranModel).toBe(false);
    call(calls, now('1', 'mail', 'ann'));
    expect(calls.ranModel).toBe(false);
    call(calls, now('2', 'ask', 'ann', model));
    expect(calls.ranModel).toBe(false);
    call(calls, now('3', 'live', 'ann', model));
    expect(calls.ranModel).toBe(true);
  });
});

describe('model calls in the recording', () => {
  const model = (id: string, changes: Partial<RecordedDescendant> = {}): RecordedDescendant =>
    past(id, 'ask', id, { type: 'llm', usage: { input_tokens: 1 }, ...changes });
  const countReported = (...recorded: RecordedDescendant[]): number | undefined =>
    inside(recorded, none).modelCalls().original?.reported.length;

  it('do not count where they failed and used nothing', () => {
    const failed = past('a', 'ask', 'x', { type: 'llm', status: 'error' });
    expect(inside([failed], none).modelCalls().original).toEqual(NO_USE);
    expect(inside([{ ...failed, status: 'ok' }], none).modelCalls().original).toEqual({
      reported: [],
      withoutUsage: 1,
    });
  });

  it('do not count below a call to another service, however deep, or below one that began too late', () => {
    const remote = past('remote', 'search', 'x', { meta: { remote_parent: true } });
    const inRemote = past('inside', 'rank', 'x', { parent_id: 'remote' });
    const late = past('late', 'mail', 'x', { started_at: '2026-01-01T00:00:00.200000Z' });
    expect(countReported(model('a'), model('b'))).toBe(2);
    expect(countReported(model('a'), remote, model('b', { parent_id: 'remote' }))).toBe(1);
    expect(countReported(model('a'), remote, inRemote, model('b', { parent_id: 'inside' }))).toBe(1);
    expect(countReported(model('a'), late, model('b', { parent_id: 'late' }))).toBe(1);
  });
});

describe('facts set during a replay', () => {
  it('are its lines on request', () => {
    const line = encodeText('{}');
    for (const keepsLines of [true, false, undefined]) {
      const calls = inside([], none, keepsLines === undefined ? {} : { keepsLines });
      expect(calls.lines).toEqual([]);
      calls.written(line);
      expect(calls.lines).toEqual(keepsLines === true ? [line] : []);
    }
  });

  it('exclude the end of a call that it was not notified of', () => {
    const calls = inside([], none);
    calls.ended(now('stranger', 'mail', 'ann'));
    expect(calls.modelCalls()).toEqual({ now: NO_USE, original: NO_USE });
  });
});

describe('the clock of a replayed call', () => {
  const start = Date.parse('2026-01-01T00:00:00.000Z');
  /** What code of a span reads, to the second. */
  const isRecordedTime = (offsetMs: number): boolean => Math.abs(Date.now() + offsetMs - start) < 60_000;

  it('is the real one before it starts, and when the start of the call is unknown', () => {
    const calls = inside([], all);
    expect(calls.clockOffsetMs('desk')).toBe(0);
    const unknown = inside([], all, {}, { ...replayed, started_at: '' });
    expect(unknown.startRecordedClock()).toBe(false);
    expect(unknown.clockOffsetMs('desk')).toBe(0);
  });

  it('is the recorded one in all code but that of model calls that really run', () => {
    const calls = inside([past('a', 'chat', 'recorded', { type: 'llm' })], new MockPolicy('all', 'run'));
    expect(calls.startRecordedClock()).toBe(true);
    const model = { options: { type: 'llm' as const } };
    call(calls, now('1', 'chat', 'recorded', model));
    call(calls, now('2', 'chat', 'new', model));
    call(calls, now('2.1', 'post', 'new', { parentId: '2' }));
    call(calls, now('3', 'plan', 'new'));
    call(calls, now('3.1', 'chat', 'other', { ...model, parentId: '3' }));
    for (const spanId of ['desk', '1', '3', undefined])
      expect([spanId, isRecordedTime(calls.clockOffsetMs(spanId))]).toEqual([spanId, true]);
    for (const spanId of ['2', '2.1', '3.1'])
      expect([spanId, calls.clockOffsetMs(spanId)]).toEqual([spanId, 0]);
  });
});

describe('a model call that only an adapter saw', () => {
  const model = { options: { type: 'llm' as const } };

  it.each<[string, MockPolicy, number]>([
    ['all calls are to be answered', all, 1],
    ['no call is', none, 0],
  ])('is among those that ran when the replayed call has ended, where %s', (_, policy, against) => {
    const calls = inside([past('a', 'chat', 'hi', { type: 'llm' })], policy);
    const chat = now('1', 'chat', 'hi', model);
    calls.opened(chat);
    expect(calls.ran.size).toBe(0);
    calls.ended(chat);
    calls.close();
    expect(Object.fromEntries(calls.ran)).toEqual({ chat: 1 });
    expect(calls.unwrapped.get('chat') ?? 0).toBe(against);
  });

  it('is undefined when its function is wrapped', () => {
    const calls = inside([past('a', 'chat', 'hi', { type: 'llm' })], all);
    call(calls, now('1', 'chat', 'hi', model));
    calls.close();
    expect([calls.ran.size, calls.unwrapped.size]).toEqual([0, 0]);
  });
});
