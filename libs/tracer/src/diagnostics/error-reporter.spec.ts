import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestTracer } from '../testing.js';
import { Tracer } from '../tracer.js';

const broken = (): never => {
  throw new Error('hook');
};

describe('hooks of the host', () => {
  it('that throw harm neither the call nor each other', () => {
    const codes: string[] = [];
    const { tracer } = createTestTracer({
      logger: { warn: broken },
      onError: ({ code }) => codes.push(code),
    });
    expect(tracer.withSpan('k', { captureOutput: broken }, () => 1)()).toBe(1);
    expect(codes).toEqual(['TRACER_RECORDING']);
    expect(() => new Tracer({ logger: { warn: broken } })).not.toThrow();
  });

  it('that reject are no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => {
      unhandled.push(reason);
    };
    process.on('unhandledRejection', listen);
    const reject = (): Promise<void> => Promise.reject(new Error('async hook'));
    const onError = reject as unknown as () => void;
    const { tracer } = createTestTracer({ logger: { warn: onError, debug: onError }, onError });
    tracer.withSpan('k', { captureOutput: broken }, () => 1)();
    tracer.wrapFramework(() => 1)();
    await nextTurn();
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  it('that throw where a framework client is missing do not reach the caller', () => {
    const { tracer } = createTestTracer({ logger: { warn: broken, debug: broken } });
    expect(tracer.wrapFramework(() => 1)()).toBe(1);
  });

  it('report each cause once a minute, whatever the wall clock does', () => {
    const codes: string[] = [];
    const { tracer } = createTestTracer({
      logger: { warn: () => undefined },
      onError: ({ code }) => codes.push(code),
    });
    const fail = tracer.withSpan('k', { captureOutput: broken }, () => 1);
    const { now } = Date;
    for (const jumpMs of [0, -3_600_000, 3_600_000]) {
      Date.now = () => now() + jumpMs;
      fail();
    }
    Date.now = now;
    expect(codes).toEqual(['TRACER_RECORDING']);
  });

  it('that throw a value without text do not reach the caller', () => {
    const { tracer, spans } = createTestTracer({ logger: { warn: () => undefined } });
    const captureOutput = (): never => {
      throw Object.create(null) as Error;
    };
    expect(tracer.withSpan('k', { captureOutput }, () => 1)()).toBe(1);
    expect(spans).toMatchObject([{ status: 'ok' }]);
  });
});
