import type { RecordedCall, RecordedDescendant } from '@dacapo/protocol';
import { encodeText } from '../../byte-string.js';
import { Captured } from '../../capture/captured.js';
import type { OnMockMiss, ReplayMock } from '../../options/run-options.js';
import type { OpenedCall } from '../../recording/replay-scope.js';
import { type AnyFunction, defineSpan, type SpanDefinitionOptions } from '../../recording/span-definition.js';
import { MockPolicy } from './mock-policy.js';
import { InnerCalls, type InnerCallsSettings } from './inner-calls.js';

const NO_USE = { told: [], untold: 0 };

const recorded = (
  span_id: string,
  parent_id: string,
  trace_function_key: string,
  changes: Partial<RecordedDescendant> = {},
): RecordedDescendant => ({
  ...{ trace_id: 't', span_id, parent_id, trace_function_key, name: trace_function_key },
  ...{ type: 'custom', status: 'ok', started_at: '2026-01-01T00:00:00.001001Z', duration_ms: 5 },
  ...changes,
});
const played: RecordedCall = recorded('root', '', 'desk', { duration_ms: 100 });
const NO_ARGUMENTS: Partial<RecordedDescendant> = { meta: { replayable: false } };

interface Opening extends Partial<SpanDefinitionOptions> {
  readonly in?: string | undefined;
  readonly args?: readonly unknown[];
  readonly isPlayed?: true;
}

const opened = (spanId: string, key: string, opening: Opening = {}): OpenedCall => {
  const { in: parentId, args, isPlayed, ...options } = opening;
  const definition = defineSpan({ key, name: key, captureInput: args !== undefined, ...options });
  return {
    spanId,
    start: {
      definition,
      parentId,
      ...(isPlayed && { isPlayed }),
      recorder: { fields: { capturesInput: true } },
    },
    input: args && Captured.of(JSON.stringify(args), undefined, true),
    ...{
      trace: { sampled: true },
      usage: undefined,
      hasFailed: false,
      isMocked: false,
      mockedFrom: undefined,
    },
  };
};

const policyOf = (mock: ReplayMock, onMiss?: OnMockMiss): MockPolicy => new MockPolicy(mock, onMiss);
const playedCalls = (
  calls: readonly RecordedDescendant[] | undefined,
  settings: Partial<InnerCallsSettings> = {},
  of: RecordedCall | undefined = played,
): InnerCalls => {
  const all = new InnerCalls(of, calls, {
    policy: policyOf('all'),
    codecs: [],
    nowMs: () => 0,
    ...settings,
  });
  all.opened(opened('desk', 'desk', { isPlayed: true }));
  return all;
};
/** Opens a call and gives what runs in its place. */
const bodyOf = (calls: InnerCalls, call: OpenedCall, fn: AnyFunction = () => 'ran'): AnyFunction => {
  calls.opened(call);
  return calls.bodyOf(call, fn);
};

/** In the event loop, as many turns as nothing here could take. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a call of which something is asked that was not recorded', () => {
  it('is told on its place, with the reason and the cure', () => {
    const calls = playedCalls([recorded('m', 'root', 'model', { input: ['hi'] })]);
    const model = opened('1', 'model', { in: 'desk', args: ['hi'] });
    calls.opened(model);
    expect(calls.unanswerable(model, 'its header is not recorded')).toMatchObject({
      ...{ code: 'TRACER_REPLAY_MOCK_MISS', path: ['model'] },
      message: expect.stringContaining('its header is not recorded. Ask for what is recorded, or'),
    });
    expect(calls.divergences()).toEqual([
      {
        ...{ kind: 'unanswerable', path: ['model'], spanId: '1', sourceSpanId: 'm' },
        reason: 'its header is not recorded',
      },
    ]);
  });

  it('is the played one where it is not known', () => {
    const calls = playedCalls([]);
    expect(calls.unanswerable(opened('nobody', 'model'), 'why')).toMatchObject({ path: [] });
    expect(calls.divergences()).toEqual([{ kind: 'unanswerable', path: [], spanId: '', reason: 'why' }]);
  });
});

describe('the calls inside one', () => {
  it('are compared and counted where both it and they are recorded', () => {
    const notPlayed = new InnerCalls(undefined, [], { policy: policyOf('all'), codecs: [], nowMs: () => 0 });
    notPlayed.opened(opened('desk', 'desk', { isPlayed: true }));
    const notKnown = playedCalls(undefined);
    for (const calls of [notPlayed, notKnown]) {
      expect(calls.divergences()).toBeUndefined();
      expect(calls.modelCalls()).toEqual({ now: NO_USE, original: undefined });
    }
    expect(playedCalls([]).divergences()).toEqual([]);
    expect(playedCalls([]).modelCalls()).toEqual({ now: NO_USE, original: NO_USE });
  });

  it('keep their records where evaluators may ask for them', () => {
    const kept = playedCalls([], { keepsLines: true });
    expect(kept.lines).toEqual([]);
    const notKept = playedCalls([]);
    for (const calls of [kept, notKept]) calls.written(encodeText('line'));
    expect([kept.lines, notKept.lines]).toEqual([['line'], []]);
  });

  it('may come otherwise where times do not tell, until one runs or connects', async () => {
    const at = { started_at: '2026-01-01T00:00:00.001000Z', input: [] };
    const tied = async (): Promise<InnerCalls> => {
      const calls = playedCalls([recorded('a', 'root', 'mail', at), recorded('b', 'root', 'mail', at)], {
        ...{ network: 'deny', policy: policyOf('all', 'run') },
      });
      const mails = ['1', '2'].map((id) => bodyOf(calls, opened(id, 'mail', { in: 'desk', args: [] })));
      await Promise.all(mails.map((mail) => mail()));
      return calls;
    };
    expect((await tied()).mayComeOtherwise).toBe(true);
    const connecting = await tied();
    connecting.denyConnection('1', 'example.com:443');
    expect(connecting.mayComeOtherwise).toBe(false);
    const running = await tied();
    bodyOf(running, opened('3', 'search', { in: 'desk', args: [] }));
    expect(running.mayComeOtherwise).toBe(false);
  });

  it('connect where they may: to the service, in a live call, or all', () => {
    const settings = { network: 'deny', serviceTarget: 'service:80' } as const;
    const calls = playedCalls([], settings);
    calls.opened(opened('1', 'mail', { in: 'desk' }));
    expect(calls.denyConnection('1', 'service:80')).toBeUndefined();
    expect(calls.denyConnection('1', 'example.com:443')).toMatchObject({ code: 'TRACER_NETWORK_DENIED' });
    expect(calls.denyConnection(undefined, 'example.org:443')).toMatchObject({ target: 'example.org:443' });
    expect([...calls.denied]).toEqual(['example.com:443', 'example.org:443']);
    expect(playedCalls([]).denyConnection('desk', 'example.com:443')).toBeUndefined();
    const live = playedCalls([], {
      ...settings,
      policy: new MockPolicy('all', undefined, [{ key: 'mail' }]),
    });
    bodyOf(live, opened('1', 'mail', { in: 'desk' }));
    expect(live.denyConnection('1', 'example.com:443')).toBeUndefined();
  });

  it('are none of ours where they did not open here', () => {
    const calls = playedCalls([]);
    const fn = (): number => 1;
    const unknown = opened('nobody', 'mail');
    expect(calls.bodyOf(unknown, fn)).toBe(fn);
    expect(() => {
      calls.ended(unknown);
    }).not.toThrow();
    expect(calls.divergences()).toEqual([]);
  });
});

describe('a call that opens no span', () => {
  const standIn = (): string => 'in its place';
  const fn = (): string => 'ran';
  const bodyIn = (policy: MockPolicy, mockOnReplay: SpanDefinitionOptions['mockOnReplay']): AnyFunction =>
    playedCalls([], { policy }).unrecorded(defineSpan({ key: 'mail', name: 'mail', mockOnReplay }), fn);

  it('runs where it may, and is answered by its stand-in', () => {
    expect(bodyIn(policyOf('all'), standIn)).toBe(standIn);
    expect(bodyIn(policyOf('marked'), false)).toBe(fn);
    expect(bodyIn(policyOf('all', 'run'), false)).toBe(fn);
  });

  it.each([
    [true, 'live: [{ key: "mail" }]'],
    [false, "onMockMiss: 'run'"],
  ])('fails where it may not run, and says what helps: marked %p', (isMarked, way) => {
    expect(() => bodyIn(policyOf('all'), isMarked)).toThrow(
      `its tracer does not record it. Turn its tracer on, or replay with ${way} to let it run.`,
    );
  });
});

describe('the recorded call of one', () => {
  const marked = { mockOnReplay: true };

  it('is the one at its place where it runs and nothing is known of its arguments', () => {
    const calls = playedCalls([recorded('a', 'root', 'mail', NO_ARGUMENTS)], { policy: policyOf('none') });
    bodyOf(calls, opened('1', 'mail', { in: 'desk' }));
    expect(calls.divergences()).toEqual([]);
  });

  it('is the one at its place where it is the span of an adapter', () => {
    const calls = playedCalls([recorded('a', 'root', 'step')]);
    calls.opened(opened('1', 'step', { in: 'desk' }));
    expect(calls.divergences()).toEqual([]);
  });

  it('is not looked for at its place where a stand-in answers', () => {
    const calls = playedCalls([recorded('a', 'root', 'mail', { input: ['ann'] })], {
      policy: policyOf('marked'),
    });
    const standIn = (): string => 'in its place';
    const call = opened('1', 'mail', { in: 'desk', args: ['bob'], mockOnReplay: standIn });
    expect(bodyOf(calls, call)).toBe(standIn);
    expect(call).toMatchObject({ isMocked: true, mockedFrom: undefined });
  });

  it('answers it where a miss would run', () => {
    const calls = playedCalls([recorded('a', 'root', 'mail', { input: ['ann'] })], {
      policy: policyOf('all', 'run'),
    });
    const found = opened('1', 'mail', { in: 'desk', args: ['ann'] });
    const missed = opened('2', 'mail', { in: 'desk', args: ['bob'] });
    for (const call of [found, missed]) bodyOf(calls, call);
    expect(found).toMatchObject({ isMocked: true, mockedFrom: 'a' });
    expect(missed).toMatchObject({ isMocked: false, mockedFrom: undefined });
  });

  it('tells, where it has other arguments, that a miss is to come by a promise', async () => {
    const calls = playedCalls([recorded('a', 'root', 'mail', { input: ['ann'] })]);
    const mail = bodyOf(calls, opened('1', 'mail', { in: 'desk', args: ['bob'] })) as () => Promise<unknown>;
    await expect(mail()).rejects.toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS' });
  });

  it('stands below that of the call around it, by its arguments and by its place', () => {
    const tree = [
      recorded('p1', 'root', 'step'),
      recorded('p2', 'root', 'step'),
      recorded('x2', 'p2', 'mail', { input: ['ann'] }),
      recorded('x1', 'p1', 'mail', { input: ['ann'] }),
    ];
    for (const to of ['ann', 'bob']) {
      const calls = playedCalls(tree, { policy: policyOf('marked') });
      calls.opened(opened('step', 'step', { in: 'desk' }));
      const mail = opened('1', 'mail', { in: 'step', args: [to], ...marked });
      bodyOf(calls, mail);
      expect(mail.mockedFrom).toBe('x1');
    }
  });

  it('is any at its path where the call around it has none', () => {
    const tree = [recorded('p1', 'root', 'step'), recorded('x1', 'p1', 'mail', { input: ['ann'] })];
    const calls = playedCalls(tree, { policy: policyOf('marked') });
    for (const id of ['one', 'two']) calls.opened(opened(id, 'step', { in: 'desk' }));
    bodyOf(calls, opened('0', 'plan', { in: 'one' }));
    const mail = opened('1', 'mail', { in: 'two', args: ['bob'], ...marked });
    bodyOf(calls, mail);
    expect(mail.mockedFrom).toBe('x1');
  });

  it.each<[string, readonly unknown[] | undefined, Partial<RecordedDescendant>]>([
    ['today', undefined, { input: ['ann'] }],
    ['then', ['ann'], NO_ARGUMENTS],
  ])('has no other arguments where they are not known %s', (_, args, changes) => {
    const calls = playedCalls([recorded('a', 'root', 'mail', changes)], { policy: policyOf('marked') });
    const mail = opened('1', 'mail', { in: 'desk', ...marked, ...(args && { args }) });
    bodyOf(calls, mail);
    expect(mail.mockedFrom).toBe('a');
    expect(calls.divergences()).toEqual([]);
  });

  it('tells when one ended that runs with other arguments: the answers after it wait', async () => {
    const calls = playedCalls(
      [
        recorded('s0', 'root', 'search', { input: ['then'], duration_ms: 1 }),
        recorded('s', 'root', 'search', { input: ['now'], duration_ms: 5 }),
        recorded('m', 'root', 'mail', { input: [], duration_ms: 3 }),
      ],
      { policy: policyOf('marked') },
    );
    const taken = opened('0', 'search', { in: 'desk', args: ['now'] });
    bodyOf(calls, taken);
    calls.ended(taken);
    const search = opened('1', 'search', { in: 'desk', args: ['other'] });
    bodyOf(calls, search);
    const mail = bodyOf(
      calls,
      opened('2', 'mail', { in: 'desk', args: [], ...marked }),
    ) as () => Promise<unknown>;
    let hasCome = false;
    const answer = mail().then(() => (hasCome = true));
    await manyTurns();
    expect(hasCome).toBe(false);
    calls.ended(search);
    await answer;
  });
});

describe('the call that a function hands its arguments on to', () => {
  const extrasOf = (calls: InnerCalls): (string | undefined)[] | undefined =>
    calls.divergences()?.map(({ kind, spanId }) => `${kind} ${spanId}`);
  const bare = { bareKey: 'desk' };

  it('is the one of the played key directly below, which was not recorded there', () => {
    const calls = playedCalls([], bare);
    calls.opened(opened('1', 'desk', { in: 'desk' }));
    expect(extrasOf(calls)).toEqual([]);
  });

  it('is none of another key, and none further below', () => {
    const calls = playedCalls([recorded('s', 'root', 'step')], bare);
    calls.opened(opened('1', 'mail', { in: 'desk' }));
    calls.opened(opened('2', 'step', { in: 'desk' }));
    calls.opened(opened('3', 'desk', { in: '2' }));
    calls.opened(opened('4', 'desk'));
    expect(extrasOf(calls)).toEqual(['extra 1', 'extra 3', 'extra 4']);
  });

  it('is none that was recorded there as one of its own', () => {
    const calls = playedCalls([recorded('d', 'root', 'desk'), recorded('x', 'd', 'mail')], bare);
    calls.opened(opened('1', 'desk', { in: 'desk' }));
    calls.opened(opened('2', 'mail', { in: '1' }));
    expect(extrasOf(calls)).toEqual([]);
  });
});
