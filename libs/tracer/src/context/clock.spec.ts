import { setImmediate as nextTurn } from 'node:timers/promises';
import { from, lastValueFrom } from 'rxjs';
import { createTestTracer } from '../testing.js';

const broken = (): never => {
  throw new Error('no time');
};

describe('a clock that throws', () => {
  it('costs neither a call nor a record: the clock of the system answers', async () => {
    const codes: string[] = [];
    const { tracer, spans } = createTestTracer(
      { unfinishedAfterMs: 1, logger: { warn: () => undefined }, onError: ({ code }) => codes.push(code) },
      { clock: { wallMs: broken, monotonicMs: broken } },
    );
    expect(tracer.withSpan('value', () => 1)()).toBe(1);
    const generate = tracer.withSpan('generator', function* () {
      yield 2;
    });
    expect([...generate()]).toEqual([2]);
    expect(await lastValueFrom(tracer.withSpan('observable', () => from([3]))())).toBe(3);
    void tracer.withSpan('open', () => new Promise(() => undefined))();
    while (spans.length < 4) await nextTurn();
    expect(spans.map(({ name, status }) => [name, status])).toEqual([
      ['value', 'ok'],
      ['generator', 'ok'],
      ['observable', 'ok'],
      ['open', 'unfinished'],
    ]);
    for (const { started_at } of spans) expect(Date.now() - Date.parse(started_at)).toBeLessThan(60_000);
    expect(codes).toEqual(['TRACER_RECORDING']);
  });
});
