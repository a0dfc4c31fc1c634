import { startCollector } from '@dacapo/collector';
import type { EvaluatorContext } from '@dacapo/evaluation';
import { type DeletionRecord, HEADERS } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { type ReplayItem, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

const TEXTS = ['late', 'twice', 'lost', 'why', 'bad', 'broken', 'odd', 'slow'];

/** Drops what differs between two replays of an item, and what runs do not store. */
function comparable({ traceId, spanId, durationMs, divergences, error, originalError, ...item }: ReplayItem) {
  return {
    ...item,
    sourceType: undefined,
    isTimed: durationMs !== undefined,
    isRecorded: traceId !== undefined && spanId !== undefined,
    divergences: divergences.map((divergence) => ({ ...divergence, spanId: undefined })),
    errors: [error, originalError].map((each) =>
      each instanceof Error ? `${each.name}: ${each.message}` : each,
    ),
  };
}

describe('an interrupted and resumed run', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-resumed-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
    const record = createDesk('v1');
    for (const text of TEXTS) await record(text).catch(() => undefined);
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  /** Some of its answers, errors and inner calls differ in `v2`. */
  function createDesk(version: 'v1' | 'v2'): (text: string) => Promise<unknown> {
    const isNew = version === 'v2';
    const check = tracer.withSpan('check', (text: string, strict: boolean) => text.length > (strict ? 3 : 0));
    return tracer.withSpan('desk', { type: 'agent' }, async (text: string) => {
      check(text, isNew && text === 'odd');
      await Promise.resolve();
      if (text === 'bad') throw new RangeError('as ever');
      if (text === 'broken' && isNew) throw new TypeError('new');
      if (text === 'lost' && !isNew) throw new Error('fixed since');
      return {
        at: new Date(isNew && text === 'late' ? 1 : 0),
        seen: new Map([[text, isNew && text === 'why' ? 2n : 1n]]),
        text,
      };
    });
  }

  const options = {
    maxConcurrency: 1,
    evaluators: {
      known: ({ input }: EvaluatorContext) => ({
        score: input !== 'why',
        explanation: `of ${String(input)}`,
        label: 'word',
      }),
      length: ({ output }: EvaluatorContext) => (output === undefined ? null : JSON.stringify(output).length),
    },
    gate: { changed: 0 },
  };

  async function cutAndResume(keep: 'all' | 'failed' | 'none', after: number) {
    const abort = new AbortController();
    let replayed = 0;
    const onItem = (): void => {
      if (++replayed === after) abort.abort();
    };
    const cut = await tracer.replay('desk', createDesk('v2'), {
      ...options,
      keep,
      onItem,
      signal: abort.signal,
    });
    expect(cut).toMatchObject({ status: 'interrupted', totals: { items: after } });
    return tracer.replay('desk', createDesk('v2'), { ...options, keep, resume: cut.testRunId });
  }

  it.each(['all', 'failed', 'none'] as const)(
    'has the results of an uninterrupted run with keep %s',
    async (keep) => {
      const whole = await tracer.replay('desk', createDesk('v2'), { ...options, keep });
      const resumed = await cutAndResume(keep, 5);
      // Calls of earlier runs are skipped.
      expect({ ...resumed.totals, skipped: {} }).toEqual({ ...whole.totals, skipped: {} });
      expect(resumed.failures).toEqual(whole.failures);
      expect(resumed.items.map(comparable)).toEqual(whole.items.map(comparable));
      expect(whole.items).toHaveLength({ all: 8, failed: 5, none: 0 }[keep]);
    },
  );

  it('lists earlier items in its reports', async () => {
    const [whole, resumed] = [
      await tracer.replay('desk', createDesk('v2'), options),
      await cutAndResume('all', 7),
    ];
    expect(stableText(resumed.toMarkdown())).toEqual(stableText(whole.toMarkdown()));
    expect(stableText(resumed.toJUnit())).toEqual(stableText(whole.toJUnit()));
  });

  it.each(['calls', 'dataset'] as const)(
    'reports %s whose sources were deleted in the meantime',
    async (kind) => {
      const key = `deleted-${kind}`;
      const echo = tracer.withSpan(key, (text: string) => text);
      for (const text of ['one', 'two', 'three']) echo(text);
      await tracer.flush();
      await tracer.datasets.create(key);
      await tracer.datasets.add(key, { key });
      const data = kind === 'calls' ? { key } : { dataset: key };
      const abort = new AbortController();
      const onItem = (): void => {
        abort.abort();
      };
      const how = { data, maxConcurrency: 1, evaluators: {} };
      const cut = await tracer.evaluate(echo, { ...how, onItem, signal: abort.signal });
      await deleteCalls(key);
      const { items, totals } = await tracer.evaluate(echo, { ...how, resume: cut.testRunId });
      expect(totals).toMatchObject({ items: 3, error: 2, missing: 0 });
      expect(items.slice(1)).toMatchObject(
        Array(2).fill({
          error: { code: 'TRACER_SOURCE_DELETED', message: expect.stringContaining('was deleted') },
        }),
      );
    },
  );

  async function deleteCalls(key: string): Promise<void> {
    const ask = async (path: string, init: RequestInit = {}): Promise<DeletionRecord> => {
      const headers = { [HEADERS.apiKey]: collector.apiKey!, 'content-type': 'application/json' };
      return (await (await fetch(collector.url + path, { ...init, headers })).json()) as DeletionRecord;
    };
    const body = JSON.stringify({ trace_function_key: key });
    const { id } = await ask(API.deletions.create.path, { method: 'POST', body });
    while ((await ask(routePath(API.deletions.get, { id }))).state !== 'done')
      await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

/** A report without ids and durations, and without the row about their change. */
function stableText(report: string): string {
  return report
    .replace(/^\| Duration.*$/m, '')
    .replace(/[0-9a-f]{16,32}|[0-9a-f-]{36}|\d+(\.\d+)?(e-?\d+)?/g, '#');
}
