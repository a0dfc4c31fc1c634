import { LIMITS, type SpanRecord } from '@dacapo/protocol';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getCurrentSpan, getCurrentTrace } from '../context/handles.js';
import type { TracerError } from '../errors.js';
import { resolveDeployment } from '../options/deployment.js';
import type { TracerOptions } from '../options/tracer-options.js';
import { createTestTracer } from '../testing.js';

function tracing(options: TracerOptions = {}) {
  const errors: TracerError[] = [];
  const test = createTestTracer({
    onError: (error) => errors.push(error),
    logger: { warn: () => undefined },
    ...options,
  });
  return { ...test, errors };
}

const untyped = (value: unknown): never => value as never;
const byName = (spans: readonly SpanRecord[], name: string): SpanRecord | undefined =>
  spans.find((span) => span.name === name);

describe('the user and the tags of a trace', () => {
  it('are on its root, the user on each span that ends after it was set', () => {
    const { tracer, spans } = tracing();
    const inner = tracer.withSpan('inner', () => undefined);
    tracer.withSpan('outer', { name: 'outer' }, () => {
      inner();
      getCurrentTrace().setUserId('ann');
      getCurrentTrace().setTags(['beta']);
      getCurrentTrace().setTags(['beta', '退款 \u{1F600}']);
      tracer.withSpan('late', { name: 'late' }, () => undefined)();
    })();
    expect(byName(spans, 'outer')).toMatchObject({ user_id: 'ann', tags: ['beta', '退款 \u{1F600}'] });
    expect(byName(spans, 'late')).toMatchObject({ user_id: 'ann' });
    expect(byName(spans, 'late')).not.toHaveProperty('tags');
    expect(spans[0]).not.toHaveProperty('user_id');
  });

  it('keep what is valid of ten thousand tags and odd ones, and report the rest once', () => {
    const { tracer, spans, errors } = tracing();
    tracer.withSpan('k', () => {
      const trace = getCurrentTrace();
      const odd = ['ok', 7, null, ' ', {}, 'x'.repeat(LIMITS.tagLength + 1), '__proto__', 'constructor'];
      trace.setTags(untyped(odd));
      trace.setTags(Array.from({ length: 10_000 }, (_, index) => `t${index}`));
      for (const wrong of [undefined, null, 'beta', 7, { 0: 'a', length: 1 }]) trace.setTags(untyped(wrong));
    })();
    expect(spans[0]?.tags).toHaveLength(LIMITS.tags);
    expect(spans[0]?.tags?.slice(0, 4)).toEqual(['ok', '__proto__', 'constructor', 't0']);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      code: 'TRACER_INVALID_NOTE',
      message: expect.stringContaining('setTags'),
    });
  });

  it('reject an invalid user id, and one whose prefix could be another user', () => {
    const { tracer, spans, errors } = tracing();
    tracer.withSpan('k', () => {
      for (const wrong of ['', ' ', 7, null, undefined, {}, 'x'.repeat(LIMITS.labelLength + 1)])
        getCurrentTrace().setUserId(untyped(wrong));
    })();
    expect(spans[0]).not.toHaveProperty('user_id');
    expect(errors).toHaveLength(1);
  });

  it.each([
    'ann@example.com',
    '+49 170 1234567',
    'auth0|5f7c8ec7c33c6c004bbafe82',
    '8412',
    'user_2NNEqL2nrIRdJ194ndJqAHwEfxC',
    'c3fe8d3e-5a26-4d1c-9a39-0a6a3a2f1d11',
    '__proto__',
    'ÅSA 🙂',
  ])('keep the id %s as it is, whatever else the application has masked', (id) => {
    const { tracer, spans } = tracing({ capture: { redactPatterns: [/\S+@\S+/g, /\d+/g] } });
    tracer.withSpan('k', () => {
      getCurrentTrace().setUserId(id);
    })();
    expect(spans[0]?.user_id).toBe(id);
  });

  it('never contain a credential: the same user has the same token, another user another', () => {
    const { tracer, spans } = tracing();
    const call = tracer.withSpan('k', (id: string) => {
      getCurrentTrace().setUserId(id);
      getCurrentTrace().setTags([id]);
    });
    const secret = (digit: string): string => `sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABC${digit}`;
    for (const digit of ['1', '1', '2']) call(secret(digit));
    const users = spans.map(({ user_id }) => user_id);
    expect(JSON.stringify(spans.map(({ user_id, tags }) => [user_id, tags]))).not.toContain('sk-proj-abc');
    expect(users[0]).toBe(users[1]);
    expect(users[0]).not.toBe(users[2]);
  });

  it('of concurrent traces never mix', async () => {
    const { tracer, spans } = tracing();
    const inner = tracer.withSpan('inner', async (user: string) => {
      await nextTurn();
      return user;
    });
    const outer = tracer.withSpan('outer', async (user: string) => {
      getCurrentTrace().setUserId(user);
      getCurrentTrace().setTags([user]);
      for (let step = 0; step < 5; step++) await inner(user);
    });
    await Promise.all(Array.from({ length: 50 }, (_, index) => outer(`user ${index}`)));
    expect(spans).toHaveLength(300);
    expect(spans.every(({ user_id, span_data }) => user_id === span_data.input?.[0])).toBe(true);
    const roots = spans.filter(({ tags }) => tags !== undefined);
    expect(roots.every(({ tags, user_id }) => tags?.length === 1 && tags[0] === user_id)).toBe(true);
  });

  it('do nothing outside a span, while tracing is off, and after the end of the trace they travel as a patch', () => {
    expect(() => {
      getCurrentTrace().setUserId('ann');
      getCurrentTrace().setTags(['a']);
      getCurrentSpan().setLevel('warn');
    }).not.toThrow();
    const { tracer, traces } = tracing();
    const trace = tracer.withSpan('k', () => getCurrentTrace())();
    trace.setUserId('ann');
    trace.setTags(['late']);
    expect(traces).toMatchObject([{ user_id: 'ann', tags: ['late'] }]);
    expect(tracer.stats().recorded).toBe(3);
  });
});

describe('kind and level of a span', () => {
  it('come from the options of withSpan, and the level of one call from setLevel', () => {
    const { tracer, spans, errors } = tracing();
    const find = tracer.withSpan(
      'find',
      { type: 'function', kind: 'retrieval', level: 'debug' },
      (isSlow: boolean) => {
        if (isSlow) getCurrentSpan().setLevel('warn');
        getCurrentSpan().setLevel(untyped('fatal'));
      },
    );
    find(false);
    find(true);
    tracer.withSpan('plain', () => undefined)();
    expect(spans.map(({ kind, level }) => [kind, level])).toEqual([
      ['retrieval', 'debug'],
      ['retrieval', 'warn'],
      [undefined, undefined],
    ]);
    expect(errors).toHaveLength(1);
  });

  it('are checked where the function is wrapped', () => {
    const { tracer } = tracing();
    expect(() => tracer.withSpan('k', { kind: untyped('planner') }, () => undefined)).toThrow(
      /kind must be one of tool/,
    );
    expect(() => tracer.withSpan('k', { level: untyped('fatal') }, () => undefined)).toThrow(
      /level must be one of debug/,
    );
  });
});

describe('environment and release', () => {
  it('are on the outermost span of a trace, from the options', () => {
    const { tracer, spans } = tracing({ environment: 'staging', release: 'shop@1.4.0+7' });
    const inner = tracer.withSpan('inner', { name: 'inner' }, () => undefined);
    tracer.withSpan('outer', { name: 'outer' }, inner)();
    expect(byName(spans, 'outer')).toMatchObject({ environment: 'staging', release: 'shop@1.4.0+7' });
    expect(byName(spans, 'inner')).not.toHaveProperty('environment');
  });

  const SHA = '8f14e45fceea167a5a36dedd4bea2543c1a2b3d4';

  it.each([
    [{}, undefined, undefined],
    [{ NODE_ENV: 'production' }, 'production', undefined],
    [{ NODE_ENV: 'production', VERCEL_ENV: 'preview', VERCEL_GIT_COMMIT_SHA: SHA }, 'preview', SHA],
    [
      { SENTRY_ENVIRONMENT: 'eu', SENTRY_RELEASE: 'a@1', GITHUB_SHA: SHA, VERCEL_ENV: 'preview' },
      'eu',
      'a@1',
    ],
    [{ LANGFUSE_TRACING_ENVIRONMENT: 'qa', LANGFUSE_RELEASE: '7' }, 'qa', '7'],
    [{ CI_ENVIRONMENT_NAME: 'review', CI_COMMIT_SHA: SHA }, 'review', SHA],
    [{ HEROKU_SLUG_COMMIT: SHA }, undefined, SHA],
    [{ TRACER_ENVIRONMENT: 'x', TRACER_RELEASE: 'y', SENTRY_RELEASE: 'z', NODE_ENV: 'test' }, 'x', 'y'],
    [{ TRACER_RELEASE: ' ', GIT_SHA: ` ${SHA} ` }, undefined, SHA],
    [
      {
        OTEL_RESOURCE_ATTRIBUTES:
          'deployment.environment=old,service.version=1%2E2,deployment.environment.name=new',
      },
      'new',
      '1.2',
    ],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'service.version=%zz,,=,x' }, undefined, '%zz'],
  ])('come from the variables %j', (env, environment, release) => {
    expect(resolveDeployment({}, env)).toEqual({ environment, release });
  });

  it('of the options come first, are cut to their limit, and survive masking', () => {
    expect(
      resolveDeployment({ environment: 'a', release: '' }, { TRACER_ENVIRONMENT: 'b', GIT_SHA: 'c' }),
    ).toEqual({
      environment: 'a',
      release: 'c',
    });
    expect(resolveDeployment({ release: 'x'.repeat(9999) }, {}).release).toHaveLength(LIMITS.labelLength);
    const { tracer, spans } = tracing({ environment: 'production', release: SHA });
    tracer.withSpan('k', () => undefined)();
    expect(spans[0]?.release).toBe(SHA);
  });

  it('are refused where they are no texts', () => {
    expect(() => tracing({ environment: untyped(7) })).toThrow(/environment must be a string/);
  });
});
