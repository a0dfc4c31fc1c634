import type { RecordedCall, RecordedDescendant } from '@dacapo/protocol';
import { encodeText } from '../../byte-string.js';
import { Captured } from '../../capture/captured.js';
import { Capturer } from '../../capture/capturer.js';
import type { OnMockMiss, ReplayMock } from '../../options/run-options.js';
import type { OpenedCall } from '../../recording/replay-scope.js';
import { type AnyFunction, defineSpan, type SpanDefinitionOptions } from '../../recording/span-definition.js';
import { MockPolicy } from './mock-policy.js';
import { InnerCalls, type InnerCallsSettings } from './inner-calls.js';

const capturer = new Capturer();

const NO_USE = { reported: [], withoutUsage: 0 };

const recorded = (
  span_id: string,
  parent_id: string,
  trace_function_key: string,
  changes: Partial<RecordedDescendant> = {},
): RecordedDescendant => ({
  trace_id: 't',
  span_id,
  parent_id,
  trace_function_key,
  name: trace_function_key,
  type: 'custom',
  status: 'ok',
  started_at: '2026-01-01T00:00:00.001001Z',
  duration_ms: 5,
  ...changes,
});
const replayedCall: RecordedCall = recorded('root', '', 'desk', { duration_ms: 100 });
const NO_ARGUMENTS: Partial<RecordedDescendant> = { meta: { replayable: false } };

interface Opening extends Partial<SpanDefinitionOptions> {
  readonly in?: string | undefined;
  readonly args?: readonly unknown[];
  readonly isReplayRoot?: true;
}

const opened = (spanId: string, key: string, opening: Opening = {}): OpenedCall => {
  const { in: parentId, args, isReplayRoot, ...options } = opening;
  const definition = defineSpan({ key, name: key, captureInput: args !== undefined, ...options });
  return {
    spanId,
    start: {
      definition,
      parentId,
      ...(isReplayRoot && { isReplayRoot }),
      recorder: { fields: { capturesInput: true, capturer } },
    },
    input: args && Captured.of(JSON.stringify(args), undefined, true),
    trace: { sampled: true },
    usage: undefined,
    hasFailed: false,
    isMocked: false,
    mockedFrom: undefined,
  };
};

const createPolicy = (mock: ReplayMock, onMiss?: OnMockMiss): MockPolicy => new MockPolicy(mock, onMiss);
const createCalls = (
  calls: readonly RecordedDescendant[] | undefined,
  settings: Partial<InnerCallsSettings> = {},
  of: RecordedCall | undefined = replayedCall,
): InnerCalls => {
  const all = new InnerCalls(of, calls, {
    policy: createPolicy('all'),
    codecs: [],
    nowMs: () => 0,
    ...settings,
  });
  all.opened(opened('desk', 'desk', { isReplayRoot: true }));
  return all;
};
/** Opens a call and gives what runs in its place. */
const open = (calls: InnerCalls, call: OpenedCall, fn: AnyFunction = () => 'ran'): AnyFunction => {
  calls.opened(call);
  return calls.chooseFunction(call, fn);
};

/** In the event loop, as many turns as nothing here could take. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a call that is used beyond the recording', () => {
  it('is reported at its place, with the reason and the cure', () => {
    const calls = createCalls([recorded('m', 'root', 'model', { input: ['hi'] })]);
    const model = opened('1', 'model', { in: 'desk', args: ['hi'] });
    calls.opened(model);
    expect(calls.unanswerable(model, 'its header is not recorded')).toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
      path: ['model'],
      message: expect.stringContaining('its header is not recorded. Call what the recording has, or'),
    });
    expect(calls.divergences()).toEqual([
      {
        kind: 'unanswerable',
        path: ['model'],
        spanId: '1',
        sourceSpanId: 'm',
        reason: 'its header is not recorded',
      },
    ]);
  });

  it('is the replayed one when it is unknown', () => {
    const calls = createCalls([]);
    expect(calls.unanswerable(opened('nobody', 'model'), 'why')).toMatchObject({ path: [] });
    expect(calls.divergences()).toEqual([{ kind: 'unanswerable', path: [], spanId: '', reason: 'why' }]);
  });
});

describe('the calls inside one', () => {
  it('are compared and counted where both it and they are recorded', () => {
    const withoutReplay = new InnerCalls(undefined, [], {
      policy: createPolicy('all'),
      codecs: [],
      nowMs: () => 0,
    });
    withoutReplay.opened(opened('desk', 'desk', { isReplayRoot: true }));
    const notKnown = createCalls(undefined);
    for (const calls of [withoutReplay, notKnown]) {
      expect(calls.divergences()).toBeUndefined();
      expect(calls.modelCalls()).toEqual({ now: NO_USE, original: undefined });
    }
    expect(createCalls([]).divergences()).toEqual([]);
    expect(createCalls([]).modelCalls()).toEqual({ now: NO_USE, original: NO_USE });
  });

  it('keep their records when evaluators may ask for them', () => {
    const kept = createCalls([], { keepsLines: true });
    expect(kept.lines).toEqual([]);
    const notKept = createCalls([]);
    for (const calls of [kept, notKept]) calls.written(encodeText('line'));
    expect([kept.lines, notKept.lines]).toEqual([['line'], []]);
  });

  it('may have another order when times do not decide, until one runs or connects', async () => {
    const at = { started_at: '2026-01-01T00:00:00.001000Z', input: [] };
    const tied = async (): Promise<InnerCalls> => {
      const calls = createCalls([recorded('a', 'root', 'mail', at), recorded('b', 'root', 'mail', at)], {
        network: 'deny',
        policy: createPolicy('all', 'run'),
      });
      const mails = ['1', '2'].map((id) => open(calls, opened(id, 'mail', { in: 'desk', args: [] })));
      await Promise.all(mails.map((mail) => mail()));
      return calls;
    };
    expect((await tied()).mayComeOtherwise).toBe(true);
    const connecting = await tied();
    connecting.denyConnection('1', 'example.com:443');
    expect(connecting.mayComeOtherwise).toBe(false);
    const running = await tied();
    open(running, opened('3', 'search', { in: 'desk', args: [] }));
    expect(running.mayComeOtherwise).toBe(false);
  });

  it('connect where they may: to the service, in a live call, or all', () => {
    const settings = { network: 'deny', serviceTarget: 'service:80' } as const;
    const calls = createCalls([], settings);
    calls.opened(opened('1', 'mail', { in: 'desk' }));
    expect(calls.denyConnection('1', 'service:80')).toBeUndefined();
    expect(calls.denyConnection('1', 'example.com:443')).toMatchObject({ code: 'TRACER_NETWORK_DENIED' });
    expect(calls.denyConnection(undefined, 'example.org:443')).toMatchObject({ target: 'example.org:443' });
    expect([...calls.denied]).toEqual(['example.com:443', 'example.org:443']);
    expect(createCalls([]).denyConnection('desk', 'example.com:443')).toBeUndefined();
    const live = createCalls([], {
      ...settings,
      policy: new MockPolicy('all', undefined, [{ key: 'mail' }]),
    });
    open(live, opened('1', 'mail', { in: 'desk' }));
    expect(live.denyConnection('1', 'example.com:443')).toBeUndefined();
  });

  it('exclude calls that did not open here', () => {
    const calls = createCalls([]);
    const fn = (): number => 1;
    const unknown = opened('nobody', 'mail');
    expect(calls.chooseFunction(unknown, fn)).toBe(fn);
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
    createCalls([], { policy }).unrecorded(defineSpan({ key: 'mail', name: 'mail', mockOnReplay }), fn);

  it('runs when it may, and is answered by its mock', () => {
    expect(bodyIn(createPolicy('all'), standIn)).toBe(standIn);
    expect(bodyIn(createPolicy('marked'), false)).toBe(fn);
    expect(bodyIn(createPolicy('all', 'run'), false)).toBe(fn);
  });

  it.each([
    [true, 'live: [{ key: "mail" }]'],
    [false, "onMockMiss: 'run'"],
  ])('fails where it may not run, and says what helps: marked %p', (isMarked, way) => {
    expect(() => bodyIn(createPolicy('all'), isMarked)).toThrow(
      `its tracer does not record it. Turn its tracer on, or replay with ${way} to let it run.`,
    );
  });
});

describe('the recorded call of one', () => {
  const marked = { mockOnReplay: true };

  it('is the one at its place when it runs and its arguments are unknown', () => {
    const calls = createCalls([recorded('a', 'root', 'mail', NO_ARGUMENTS)], {
      policy: createPolicy('none'),
    });
    open(calls, opened('1', 'mail', { in: 'desk' }));
    expect(calls.divergences()).toEqual([]);
  });

  it('is the one at its place where it is the span of an adapter', () => {
    const calls = createCalls([recorded('a', 'root', 'step')]);
    calls.opened(opened('1', 'step', { in: 'desk' }));
    expect(calls.divergences()).toEqual([]);
  });

  it('is not searched at its place when a mock answers', () => {
    const calls = createCalls([recorded('a', 'root', 'mail', { input: ['ann'] })], {
      policy: createPolicy('marked'),
    });
    const standIn = (): string => 'in its place';
    const call = opened('1', 'mail', { in: 'desk', args: ['bob'], mockOnReplay: standIn });
    expect(open(calls, call)).toBe(standIn);
    expect(call).toMatchObject({ isMocked: true, mockedFrom: undefined });
  });

  it('answers it when a miss would run', () => {
    const calls = createCalls([recorded('a', 'root', 'mail', { input: ['ann'] })], {
      policy: createPolicy('all', 'run'),
    });
    const found = opened('1', 'mail', { in: 'desk', args: ['ann'] });
    const missed = opened('2', 'mail', { in: 'desk', args: ['bob'] });
    for (const call of [found, missed]) open(calls, call);
    expect(found).toMatchObject({ isMocked: true, mockedFrom: 'a' });
    expect(missed).toMatchObject({ isMocked: false, mockedFrom: undefined });
  });

  it('reports for other arguments that a miss must reject a promise', async () => {
    const calls = createCalls([recorded('a', 'root', 'mail', { input: ['ann'] })]);
    const mail = open(calls, opened('1', 'mail', { in: 'desk', args: ['bob'] })) as () => Promise<unknown>;
    await expect(mail()).rejects.toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS' });
  });

  it('is below that of the surrounding call, by its arguments and by its place', () => {
    const tree = [
      recorded('p1', 'root', 'step'),
      recorded('p2', 'root', 'step'),
      recorded('x2', 'p2', 'mail', { input: ['ann'] }),
      recorded('x1', 'p1', 'mail', { input: ['ann'] }),
    ];
    for (const to of ['ann', 'bob']) {
      const calls = createCalls(tree, { policy: createPolicy('marked') });
      calls.opened(opened('step', 'step', { in: 'desk' }));
      const mail = opened('1', 'mail', { in: 'step', args: [to], ...marked });
      open(calls, mail);
      expect(mail.mockedFrom).toBe('x1');
    }
  });

  it('is any at its path when the surrounding call has none', () => {
    const tree = [recorded('p1', 'root', 'step'), recorded('x1', 'p1', 'mail', { input: ['ann'] })];
    const calls = createCalls(tree, { policy: createPolicy('marked') });
    for (const id of ['one', 'two']) calls.opened(opened(id, 'step', { in: 'desk' }));
    open(calls, opened('0', 'plan', { in: 'one' }));
    const mail = opened('1', 'mail', { in: 'two', args: ['bob'], ...marked });
    open(calls, mail);
    expect(mail.mockedFrom).toBe('x1');
  });

  it.each<[string, readonly unknown[] | undefined, Partial<RecordedDescendant>]>([
    ['today', undefined, { input: ['ann'] }],
    ['then', ['ann'], NO_ARGUMENTS],
  ])('has no other arguments where they are not known %s', (_, args, changes) => {
    const calls = createCalls([recorded('a', 'root', 'mail', changes)], { policy: createPolicy('marked') });
    const mail = opened('1', 'mail', { in: 'desk', ...marked, ...(args && { args }) });
    open(calls, mail);
    expect(mail.mockedFrom).toBe('a');
    expect(calls.divergences()).toEqual([]);
  });

  it('reports the end of a running call with other arguments: the answers after it wait', async () => {
    const calls = createCalls(
      [
        recorded('s0', 'root', 'search', { input: ['then'], duration_ms: 1 }),
        recorded('s', 'root', 'search', { input: ['now'], duration_ms: 5 }),
        recorded('m', 'root', 'mail', { input: [], duration_ms: 3 }),
      ],
      { policy: createPolicy('marked') },
    );
    const taken = opened('0', 'search', { in: 'desk', args: ['now'] });
    open(calls, taken);
    calls.ended(taken);
    const search = opened('1', 'search', { in: 'desk', args: ['other'] });
    open(calls, search);
    const mail = open(
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
  const listExtras = (calls: InnerCalls): (string | undefined)[] | undefined =>
    calls.divergences()?.map(({ kind, spanId }) => `${kind} ${spanId}`);
  const bare = { bareKey: 'desk' };

  it('is the one with the replayed key directly below, which was not recorded there', () => {
    const calls = createCalls([], bare);
    calls.opened(opened('1', 'desk', { in: 'desk' }));
    expect(listExtras(calls)).toEqual([]);
  });

  it('excludes other keys, and calls further below', () => {
    const calls = createCalls([recorded('s', 'root', 'step')], bare);
    calls.opened(opened('1', 'mail', { in: 'desk' }));
    calls.opened(opened('2', 'step', { in: 'desk' }));
    calls.opened(opened('3', 'desk', { in: '2' }));
    calls.opened(opened('4', 'desk'));
    expect(listExtras(calls)).toEqual(['extra 1', 'extra 3', 'extra 4']);
  });

  it('excludes a call that was recorded there as an inner call', () => {
    const calls = createCalls([recorded('d', 'root', 'desk'), recorded('x', 'd', 'mail')], bare);
    calls.opened(opened('1', 'desk', { in: 'desk' }));
    calls.opened(opened('2', 'mail', { in: '1' }));
    expect(listExtras(calls)).toEqual([]);
  });
});
