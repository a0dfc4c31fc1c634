import type { SpanRecord } from '@dacapo/protocol';
import { startStoredSpansService } from '../../test/service/stored-spans-service.js';
import { createTestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';

/** Two tools at one time; what they give is handed on in the order in which it comes. */
function createDesk(tracer: Tracer, runs: { count: number }) {
  const tool = tracer.withSpan('tool', (name: string) => Promise.resolve(`${name} says`));
  const model = tracer.withSpan('model', { type: 'llm' }, (messages: string[]) =>
    Promise.resolve(messages.join()),
  );
  return tracer.withSpan('desk', async (question: string) => {
    runs.count++;
    const messages = [question];
    await Promise.all(['one', 'two'].map(async (name) => messages.push(await tool(name))));
    return model(messages);
  });
}

/** The recorded spans, where the tools began in one millisecond and took so long; the model was asked after them. */
function withTimes(spans: readonly SpanRecord[], tools: readonly number[], fraction: string): SpanRecord[] {
  const durations = [...tools];
  const at = (ms: number): string => `2026-01-31T12:00:00.0${ms}${fraction}Z`;
  return spans
    .toSorted((a, b) => a.started_at.localeCompare(b.started_at))
    .map((span) => {
      if (span.trace_function_key === 'desk') return { ...span, started_at: at(10), duration_ms: 20 };
      if (span.trace_function_key === 'model') return { ...span, started_at: at(15), duration_ms: 1 };
      return { ...span, started_at: at(10), duration_ms: durations.shift() ?? 0 };
    });
}

async function replay(tools: readonly number[], fraction: string, mock: 'all' | 'none', change = '') {
  const recorded = createTestTracer();
  await createDesk(recorded.tracer, { count: 0 })(`why${change}`);
  const spans = withTimes(recorded.spans, tools, fraction);
  const withInput = spans.map((span) => ({
    ...span,
    span_data: { ...span.span_data, ...(span.trace_function_key === 'desk' && { input: ['why'] }) },
  }));
  const service = await startStoredSpansService(withInput);
  const { tracer } = createTestTracer({ serviceUrl: service.url });
  const runs = { count: 0 };
  const run = await tracer.replay('desk', createDesk(tracer, runs), { mock });
  await service.close();
  return { run, plays: runs, reports: service.reports };
}

describe('a recording of whole milliseconds', () => {
  it('is replayed in the order of its calls when its times show another order', async () => {
    const { run, plays: runs, reports } = await replay([1.2, 0.5], '000', 'all');
    expect(run.items).toMatchObject([{ verdict: 'same', divergences: [], result: 'why,one says,two says' }]);
    expect(run.totals).toMatchObject({ items: 1, same: 1, diverged: 0 });
    expect(reports).toHaveLength(1);
    expect(runs.count).toBe(2);
  });

  it('is replayed once when its times show the order, or no order does', async () => {
    expect((await replay([0.5, 1.2], '000', 'all')).plays.count).toBe(1);
    expect((await replay([4.2, 0.5], '000', 'all')).plays.count).toBe(1);
    const changed = await replay([1.2, 0.5], '000', 'all', ' not');
    expect(changed.run.items).toMatchObject([{ verdict: 'error' }]);
    expect(changed.plays.count).toBe(2);
  });

  it('is replayed once when its calls really run', async () => {
    expect((await replay([1.2, 0.5], '000', 'none')).plays.count).toBe(1);
  });
});

describe('a recording of microseconds', () => {
  it('is replayed once, in the order of its times', async () => {
    const { run, plays: runs } = await replay([1.2, 0.5], '123', 'all');
    expect(run.items).toMatchObject([{ verdict: 'error' }]);
    expect(run.items[0]!.divergences).not.toEqual([]);
    expect(runs.count).toBe(1);
  });
});
