import {
  startStoredSpansService,
  type StoredSpansService,
} from '../../../test/service/stored-spans-service.js';
import type { AiSdkSpan } from '../../adapters/ai-sdk/ai-sdk-types.js';
import type { Tracer } from '../../tracer.js';
import { createTestTracer, type TestTracer } from '../../testing.js';
import type { ReplayOptions } from '../../options/replay-options.js';
import type { ReplayItem } from '../../replay-types.js';

type Desk = (question: string) => unknown;

describe('the calls inside a replayed one', () => {
  let recorded: TestTracer;
  let test: TestTracer;
  let service: StoredSpansService;
  /** What the last replay tells of it. */
  let ranLive: Record<string, number>;

  beforeEach(async () => {
    recorded = createTestTracer();
    service = await startStoredSpansService(recorded.spans);
    test = createTestTracer({ serviceUrl: service.url });
  });

  afterEach(() => service.close());

  /** Records one call of the function that `build` makes, and plays it again through one that `rebuild` makes. */
  async function replay(
    build: (tracer: Tracer) => Desk,
    rebuild: (tracer: Tracer) => Desk,
    options: ReplayOptions = { mock: 'all' },
  ): Promise<ReplayItem> {
    await Promise.resolve(recorded.tracer.withSpan('desk', build(recorded.tracer))('why')).catch(
      () => undefined,
    );
    const fn = test.tracer.withSpan('desk', rebuild(test.tracer));
    const { items, ranLive: ran } = await test.tracer.replay('desk', fn, options);
    ranLive = ran;
    expect(items).toHaveLength(1);
    return items[0]!;
  }

  const never = (...args: unknown[]): never => {
    throw new Error(`a mocked function ran with ${JSON.stringify(args)}`);
  };

  describe('which functions run', () => {
    const build = (tracer: Tracer): Desk => {
      const search = tracer.withSpan('search', { type: 'llm' }, async (q: string) => `old hit for ${q}`);
      const mail = tracer.withSpan(
        'mail',
        { mockOnReplay: true, type: 'function' },
        async (text: string) => `old id of ${text}`,
      );
      return async (q) => `${await search(q)}; ${await mail('hello')}`;
    };
    const rebuildWith =
      (ran: string[]) =>
      (tracer: Tracer): Desk => {
        const run = async (name: string, about: string): Promise<string> => {
          ran.push(name);
          return Promise.resolve(`new ${name} of ${about}`);
        };
        const search = tracer.withSpan('search', { type: 'llm' }, (q: string) => run('search', q));
        const marked = { mockOnReplay: true, type: 'function' } as const;
        const mail = tracer.withSpan('mail', marked, (text: string) => run('mail', text));
        return async (q) => `${await search(q)}; ${await mail('hello')}`;
      };

    it.each([
      ['none', ['search', 'mail'], 'new search of why; new mail of hello'],
      ['marked', ['search'], 'new search of why; old id of hello'],
      ['all', [], 'old hit for why; old id of hello'],
    ] as const)('%s: %j', async (mock, expected, result) => {
      const ran: string[] = [];
      const item = await replay(build, rebuildWith(ran), { mock });
      expect(ran).toEqual(expected);
      expect(item).toMatchObject({ result });
      expect(item.divergences).toEqual([]);
      expect(ranLive).toEqual(Object.fromEntries(expected.map((key) => [key, 1])));
    });

    it.each([
      [['llm'], ['search'], 'new search of why; old id of hello'],
      [[{ key: 'search' }], ['search'], 'new search of why; old id of hello'],
      [['function'], [], 'old hit for why; old id of hello'],
      [['llm', { key: 'mail' }], ['search', 'mail'], 'new search of why; new mail of hello'],
    ] as const)('all but live: %j', async (live, expected, result) => {
      const ran: string[] = [];
      const item = await replay(build, rebuildWith(ran), { mock: 'all', live });
      expect(ran).toEqual(expected);
      expect(item).toMatchObject({ result, divergences: [] });
    });

    it.each(['marked', 'all', 'none'] as const)(
      '%s: a mock function runs in place of the other one, as its method',
      async (mock) => {
        class Mailer {
          readonly sent: string[] = [];
          send(text: string): unknown {
            this.sent.push(text);
            return 'sent';
          }
        }
        const of =
          (mailer: Mailer) =>
          (tracer: Tracer): Desk => {
            function standIn(this: Mailer, text: string): unknown {
              return [text, this === mailer];
            }
            mailer.send = tracer.withSpan('mail', { mockOnReplay: standIn }, mailer.send);
            return () => mailer.send('hello');
          };
        const mailer = new Mailer();
        const item = await replay(of(new Mailer()), of(mailer), { mock });
        const isLive = mock === 'none';
        expect(item).toMatchObject({ result: isLive ? 'sent' : ['hello', true], divergences: [] });
        expect(mailer.sent).toEqual(isLive ? ['hello'] : []);
        expect(test.spans[0]!.span_data.meta?.mocked).toBe(isLive ? undefined : true);
      },
    );

    it('none: the inner calls are compared nevertheless', async () => {
      const item = await replay(
        build,
        (tracer) => {
          const search = tracer.withSpan('search', async (q: string) => Promise.resolve(q));
          return async (q) => search(q);
        },
        { mock: 'none' },
      );
      expect(item.divergences).toMatchObject([{ kind: 'missing', path: ['mail'] }]);
    });

    it('records a mocked call as such, with its source span', async () => {
      await replay(build, rebuildWith([]), { mock: 'marked' });
      const [search, mail] = test.spans;
      const source = recorded.spans.find((span) => span.trace_function_key === 'mail')!;
      expect(mail).toMatchObject({
        source_span_id: source.id,
        span_data: { input: ['hello'], output: 'old id of hello', meta: { mocked: true } },
      });
      expect(search!.span_data).not.toHaveProperty('meta');
    });
  });

  describe('which recorded call answers', () => {
    it('is decided by arguments, not by order: reordered calls each get their own', async () => {
      const build = (tracer: Tracer): Desk => {
        const price = tracer.withSpan('price', async (of: { sku: string; n: number }) => `${of.sku}${of.n}`);
        return async () => Promise.all(['a', 'b', 'c'].map((sku, n) => price({ sku, n })));
      };
      const rebuild = (tracer: Tracer): Desk => {
        const price = tracer.withSpan('price', async (of: object) => Promise.resolve(never(of)));
        return async () => Promise.all(['c', 'a', 'b'].map((sku) => price({ n: 'abc'.indexOf(sku), sku })));
      };
      expect((await replay(build, rebuild)).result).toEqual(['c2', 'a0', 'b1']);
    });

    it('is, of equal ones, the next in order', async () => {
      const build = (tracer: Tracer): Desk => {
        let count = 0;
        const next = tracer.withSpan('next', () => ++count);
        return () => [next(), next(), next()];
      };
      const rebuild = (tracer: Tracer): Desk => {
        const next = tracer.withSpan('next', never);
        return () => [next(), next(), next()];
      };
      expect((await replay(build, rebuild)).result).toEqual([1, 2, 3]);
    });

    it('is on the same path, below the same call if there are several', async () => {
      const tree =
        (makeLeaf: (branch: string) => string) =>
        (tracer: Tracer): Desk => {
          let branchName = '';
          const leaf = tracer.withSpan('leaf', { mockOnReplay: true }, (n: number) =>
            makeLeaf(branchName.repeat(n)),
          );
          const branch = tracer.withSpan('branch', (name: string) => {
            branchName = name;
            return leaf(1);
          });
          const order = makeLeaf('') === 'never' ? ['y', 'x'] : ['x', 'y'];
          return () => order.map((name) => branch(name));
        };
      const item = await replay(
        tree((branch) => `leaf of ${branch}`),
        tree(() => 'never'),
        { mock: 'marked' },
      );
      expect(item.result).toEqual(['leaf of y', 'leaf of x']);
    });

    it('has the same redaction tokens: a secret that is not stored still distinguishes calls', async () => {
      const secrets = [
        'sk-proj-abcdefghijklmnopqrstuv0123456789',
        'sk-proj-zyxwvutsrqponmlkjihgfe9876543210',
      ];
      const build = (tracer: Tracer): Desk => {
        const owner = tracer.withSpan('owner', (auth: { apiKey: string }) => secrets.indexOf(auth.apiKey));
        return () => secrets.map((apiKey) => owner({ apiKey }));
      };
      const rebuild = (tracer: Tracer): Desk => {
        const owner = tracer.withSpan('owner', never);
        return () => secrets.toReversed().map((apiKey) => owner({ apiKey }));
      };
      expect((await replay(build, rebuild)).result).toEqual([1, 0]);
      expect(JSON.stringify(recorded.spans)).not.toContain(secrets[0]);
    });

    it('is distinguished beyond the place where long arguments are cut', async () => {
      recorded = createTestTracer({ capture: { maxFieldBytes: 4096 } });
      await service.close();
      service = await startStoredSpansService(recorded.spans);
      test = createTestTracer({ serviceUrl: service.url, capture: { maxFieldBytes: 4096 } });
      const texts = ['a', 'b'].map((end) => 'x'.repeat(10_000) + end);
      const build = (tracer: Tracer): Desk => {
        const last = tracer.withSpan('last', (text: string) => text.at(-1));
        return () => texts.map((text) => last(text));
      };
      const rebuild = (tracer: Tracer): Desk => {
        const last = tracer.withSpan('last', never);
        return () => texts.toReversed().map((text) => last(text));
      };
      expect((await replay(build, rebuild)).result).toEqual(['b', 'a']);
    });

    it('is distinguished from a call whose arguments have other types', async () => {
      const build = (tracer: Tracer): Desk => {
        const add = tracer.withSpan('add', (id: unknown) => String(id));
        return () => add(5n);
      };
      const rebuild = (tracer: Tracer): Desk => {
        const add = tracer.withSpan('add', never);
        return () => add('5');
      };
      expect((await replay(build, rebuild)).error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS' });
    });

    it('is not answered when its arguments were cut without a hash', async () => {
      const list = (last: unknown) => [...Array.from({ length: 300_000 }, () => 'item'), last];
      const build = (tracer: Tracer): Desk => {
        const sum = tracer.withSpan('sum', (items: unknown[]) => items.at(-1));
        return () => sum(list(1));
      };
      const rebuild = (tracer: Tracer): Desk => {
        const sum = tracer.withSpan('sum', never);
        return () => sum(list(1));
      };
      const { error, divergences } = await replay(build, rebuild);
      expect(error).toMatchObject({
        code: 'TRACER_REPLAY_MOCK_MISS',
        message: expect.stringContaining('cut'),
      });
      expect(divergences).toMatchObject([{ kind: 'changed_arguments' }]);
    });

    it('is found below spans of adapters, whose input is known late', async () => {
      const build =
        (fn: (sku: string) => number, order: string[]) =>
        (tracer: Tracer): Desk => {
          const stock = tracer.withSpan('stock', fn);
          return () =>
            order.map((sku) =>
              tracer.getAiSdkTelemetry().tracer.startActiveSpan('ai.toolCall', {}, (span: AiSdkSpan) => {
                span.setAttributes({ 'ai.toolCall.name': 'stock', 'ai.toolCall.args': `"${sku}"` });
                const count = stock(sku);
                span.end();
                return count;
              }),
            );
        };
      const item = await replay(
        build((sku) => sku.length, ['lamp', 'bulbs']),
        build(never, ['bulbs', 'lamp']),
      );
      expect(item.result).toEqual([5, 4]);
      expect(item.divergences).toEqual([]);
    });
  });

  describe('a call that was not recorded', () => {
    const build = (tracer: Tracer): Desk => {
      const mail = tracer.withSpan('mail', async (to: string, text: string) => `${to} got ${text}`);
      return async () => mail('ann', 'hello');
    };
    const rebuildWith =
      (ran: string[], options: object = {}) =>
      (tracer: Tracer): Desk => {
        const mail = tracer.withSpan('mail', options, async (to: string, text: string) => {
          ran.push(to);
          return Promise.resolve(`sent ${text}`);
        });
        return async () => mail('ann', 'hello there');
      };

    it('fails closed, and reports the call, the nearest recording and the cure', async () => {
      const ran: string[] = [];
      const item = await replay(build, rebuildWith(ran));
      expect(ran).toEqual([]);
      expect(item.error).toMatchObject({
        name: 'ReplayMockMissError',
        code: 'TRACER_REPLAY_MOCK_MISS',
        key: 'mail',
        path: ['mail'],
        askedArguments: '["ann","hello there"]',
        nearestArguments: '["ann","hello"]',
        message:
          'The call of "mail" at mail cannot be answered from the recording: the recording has no call with the arguments ["ann","hello there"]; nearest: ["ann","hello"]. Map arguments that vary from call to call with captureInput, record again with the new version, or replay with onMockMiss: \'run\' to let it run.',
      });
      expect(test.spans[0]).toMatchObject({ status: 'error', trace_function_key: 'mail' });
    });

    it('is reported even when the application catches the error', async () => {
      const item = await replay(build, (tracer) => {
        const mail = tracer.withSpan('mail', async (...to: string[]) => Promise.resolve(never(to)));
        return async () => mail('bob', 'hello').catch(() => 'not sent');
      });
      expect(item.result).toBe('not sent');
      expect(item.divergences).toMatchObject([
        { kind: 'changed_arguments', path: ['mail'], newArguments: '["bob","hello"]' },
      ]);
    });

    it('does not crash the process when nobody waits for it, as when it was recorded', async () => {
      const item = await replay(build, (tracer) => {
        const mail = tracer.withSpan('mail', async (to: string) => Promise.resolve(never(to)));
        return () => {
          void mail('bob');
          return 'sent';
        };
      });
      expect(item).toMatchObject({ result: 'sent', divergences: [{ kind: 'changed_arguments' }] });
    });

    it('is thrown at once when nothing shows that a promise is expected', async () => {
      const item = await replay(
        () => () => 'no mail',
        (tracer) => {
          const mail = tracer.withSpan('mail', (to: string): unknown => never(to));
          return () => [mail('ann')];
        },
      );
      expect(item.error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS' });
    });

    it('runs with onMockMiss: run', async () => {
      const ran: string[] = [];
      const item = await replay(build, rebuildWith(ran), { mock: 'all', onMockMiss: 'run' });
      expect(ran).toEqual(['ann']);
      expect(item.result).toBe('sent hello there');
      expect(item.divergences).toMatchObject([{ kind: 'changed_arguments' }]);
      expect(test.spans[0]!.span_data.meta?.mocked).toBeUndefined();
    });

    it('is answered with "marked" by the call recorded at its place', async () => {
      const ran: string[] = [];
      const marked = { mockOnReplay: true };
      const item = await replay(build, rebuildWith(ran, marked), { mock: 'marked' });
      expect(ran).toEqual([]);
      expect(item.result).toBe('ann got hello');
      expect(item.divergences).toMatchObject([
        {
          kind: 'changed_arguments',
          path: ['mail'],
          recordedArguments: '["ann","hello"]',
          newArguments: '["ann","hello there"]',
        },
      ]);
      expect(item.divergences).toHaveLength(1);
      const source = recorded.spans.find((span) => span.trace_function_key === 'mail')!;
      expect(test.spans[0]).toMatchObject({
        source_span_id: source.id,
        span_data: { meta: { mocked: true } },
      });
    });

    it.each([undefined, 'recorded', 'run'] as const)(
      'does not happen a second time when one was recorded: onMockMiss %p',
      async (onMockMiss) => {
        const ran: string[] = [];
        const item = await replay(
          build,
          (tracer) => {
            const mail = tracer.withSpan('mail', { mockOnReplay: true }, async (to: string) => ran.push(to));
            return async () => Promise.allSettled([mail('ann'), mail('bob')]);
          },
          { mock: 'marked', onMockMiss },
        );
        expect(ran).toEqual([]);
        expect(item.result).toMatchObject([
          { value: 'ann got hello' },
          {
            reason: {
              code: 'TRACER_REPLAY_MOCK_MISS',
              message: expect.stringContaining('live: [{ key: "mail" }]'),
            },
          },
        ]);
        expect(item.divergences).toMatchObject([
          { kind: 'changed_arguments', newArguments: '["ann"]' },
          { kind: 'extra', newArguments: '["bob"]' },
        ]);
      },
    );

    it('is answered by the recording with its arguments, wherever that is among its like', async () => {
      const twice =
        (...tos: string[]) =>
        (tracer: Tracer): Desk => {
          const mail = tracer.withSpan('mail', { mockOnReplay: true }, (to: string) => `to ${to}`);
          return () => tos.map((to) => mail(to));
        };
      const item = await replay(twice('ann', 'bob'), twice('bob', 'cid'), { mock: 'marked' });
      expect(item.result).toEqual(['to bob', 'to ann']);
      expect(item.divergences).toMatchObject([
        { kind: 'changed_arguments', recordedArguments: '["ann"]', newArguments: '["cid"]' },
        { kind: 'reordered' },
      ]);
    });

    it('leaves the event loop its turns when it is made again and again', async () => {
      const poll =
        (failuresAtMost: number) =>
        (tracer: Tracer): Desk => {
          const next = tracer.withSpan('next', async () => Promise.resolve(1));
          return async () => {
            let turns = 0;
            let failures = 0;
            setImmediate(() => turns++);
            do await next().catch(() => failures++);
            while (failures < failuresAtMost);
            return turns > 0;
          };
        };
      expect((await replay(poll(0), poll(5))).result).toBe(true);
    });

    it('is answered when a captureInput mapper drops what varies', async () => {
      const captureInput = ([to]: readonly unknown[]): unknown[] => [to];
      const item = await replay(
        (tracer) => {
          const mail = tracer.withSpan(
            'mail',
            { captureInput },
            async (to: string, text: string) => `${to} got ${text}`,
          );
          return async () => mail('ann', 'hello');
        },
        rebuildWith([], { captureInput }),
      );
      expect(item.result).toBe('ann got hello');
    });

    it('is one whose arguments are not recorded: order alone proves nothing', async () => {
      const ran: string[] = [];
      const item = await replay(
        (tracer) => {
          const mail = tracer.withSpan(
            'mail',
            { captureInput: false },
            async (to: string, text: string) => to + text,
          );
          return async () => mail('ann', 'hello');
        },
        rebuildWith(ran, { captureInput: false }),
      );
      expect(ran).toEqual([]);
      expect(item.error).toMatchObject({
        message: expect.stringContaining(
          'its arguments are not recorded, and the order does not identify the call',
        ),
      });
    });

    it('reports when the arguments of its recorded calls are missing', async () => {
      const createMail = (tracer: Tracer, captureInput: boolean) =>
        tracer.withSpan('mail', { captureInput }, async (to: string) => Promise.resolve(to));
      const item = await replay(
        (tracer) => {
          const mail = createMail(tracer, false);
          return async () => mail('ann');
        },
        (tracer) => {
          const mail = createMail(tracer, true);
          return async () => mail('ann');
        },
      );
      expect(item.error).toMatchObject({
        message: expect.stringContaining(
          'the recording has no call with the arguments ["ann"]; the recorded calls have no arguments',
        ),
      });
    });

    it('is one more than were recorded', async () => {
      const twice =
        (times: number) =>
        (tracer: Tracer): Desk => {
          const count = tracer.withSpan('count', (n: number) => n);
          return () => Array.from({ length: times }, () => count(1));
        };
      const item = await replay(twice(1), twice(2));
      expect(item.error).toMatchObject({
        message: expect.stringContaining('the recording has fewer calls with the arguments [1]'),
      });
      expect(item.divergences).toMatchObject([{ kind: 'extra', path: ['count'], newArguments: '[1]' }]);
    });
  });

  it('answers inner calls with the replayed key, and runs only the replayed one', async () => {
    const deep = (tracer: Tracer): Desk => {
      const inner = tracer.withSpan('desk', (n: number) => n + 1);
      return (q) => (q === 'why' ? inner(1) : never());
    };
    expect((await replay(deep, deep)).result).toBe(2);
    expect(test.spans.map((span) => span.span_data.meta?.mocked)).toEqual([true, undefined]);
  });

  describe('of a function that is not wrapped, and hands its arguments on to the one that is', () => {
    const createShop = (tracer: Tracer, mailed: string[]): Desk => {
      const mail = tracer.withSpan('mail', { mockOnReplay: true }, async (text: string) => mailed.push(text));
      return tracer.withSpan('shop', async (order: string) => `mail ${await mail(order)}`);
    };
    const replayThrough = async (
      rebuild: (place: Desk) => Desk,
      mock: 'marked' | 'all',
    ): Promise<ReplayItem> => {
      await createShop(recorded.tracer, [])('lamp');
      const mailed: string[] = [];
      const { items } = await test.tracer.replay('shop', rebuild(createShop(test.tracer, mailed)), { mock });
      expect(mailed).toEqual([]);
      return items[0]!;
    };

    it.each(['marked', 'all'] as const)('replays that one, and mocks what it calls: %s', async (mock) => {
      const item = await replayThrough((place) => async (order) => place(order), mock);
      expect(item).toMatchObject({ result: 'mail 1', divergences: [] });
    });

    it('replays it once', async () => {
      const item = await replayThrough(
        (place) => async (order) => [await place(order), await place(order)],
        'all',
      );
      expect(item.error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS' });
    });
  });

  it('reads recorded calls page by page', async () => {
    await service.close();
    service = await startStoredSpansService(recorded.spans, { descendants: 2 });
    test = createTestTracer({ serviceUrl: service.url });
    const many = (tracer: Tracer): Desk => {
      const add = tracer.withSpan('add', (n: number) => n + 1);
      return () => [1, 2, 3, 4, 5].map((n) => add(n));
    };
    expect((await replay(many, many)).divergences).toEqual([]);
    expect(service.calls.filter(({ path }) => path.includes('/descendants'))).toHaveLength(2);
  });

  it('is an error of its item when the recorded calls cannot be had, and the function does not run', async () => {
    const two = (tracer: Tracer): Desk => {
      const add = tracer.withSpan('add', (n: number) => n + 1);
      return () => [add(1), add(2)];
    };
    recorded.tracer.withSpan('desk', two(recorded.tracer))('why');
    const down = await startStoredSpansService(recorded.spans, {
      descendants: 1,
      instead: ({ path }) =>
        path.includes('/descendants') ? { status: 400, body: { detail: 'no', status_code: 400 } } : undefined,
    });
    test = createTestTracer({ serviceUrl: down.url });
    let ran = false;
    const { items } = await test.tracer.replay('desk', () => (ran = true), { mock: 'all' });
    await down.close();
    expect(items).toMatchObject([{ error: { code: 'TRACER_SERVICE_RESPONSE' } }]);
    expect(ran).toBe(false);
  });
});
