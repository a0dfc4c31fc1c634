import { startCollector } from '@dacapo/collector';
import { Tracer } from '@dacapo/tracer';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

describe('a gate on cost, from custom prices through a real collector and back', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;
  let traced: (ticket: string) => string;
  /** The usage that the model returns. */
  let outputTokens = 1000;
  let model = 'desk-large';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-gate-costs-'));
    const pricesFile = join(folder, 'prices.json');
    const prices = [{ model: 'desk-*', input_mtok: 1, output_mtok: 10 }];
    await writeFile(pricesFile, JSON.stringify({ version: 'spring', prices }));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data'), pricesFile });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
    traced = tracer.withSpan('desk.answer', { type: 'llm' }, answer);
    for (let ticket = 0; ticket < 12; ticket++) traced(`ticket ${ticket}`);
    await tracer.flush();
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  function answer(ticket: string): string {
    tracer.getCurrentSpan().addUsage({ model, inputTokens: 2000 + ticket.length, outputTokens });
    return 'It is on its way.';
  }

  /** Replays with another number of tokens or another model. */
  const replay = (change: { outputTokens?: number; model?: string }, maxRise: number) => {
    ({ outputTokens = 1000, model = 'desk-large' } = change);
    return tracer.replay('desk.answer', traced, { gate: { costUsd: { maxRise } } });
  };

  it('passes calls with the same cost, also with another model name, and cheaper calls', async () => {
    const same = await replay({ model: 'desk-small' }, 0);
    expect({ passed: same.passed, failures: same.failures }).toEqual({ passed: true, failures: [] });
    const [item] = same.items;
    expect(item?.originalUsage?.costUsd).toBeCloseTo(
      (2000 + String(item?.input).length) / 1e6 + 1000 / 1e5,
      9,
    );
    expect(item?.usage?.costUsd).toBe(item?.originalUsage?.costUsd);
    expect(await replay({ outputTokens: 400 }, 0)).toMatchObject({ passed: true, failures: [] });
  });

  it('fails calls that exceed the limit, and passes them with a higher limit', async () => {
    // In dollars per item. Each item costs 0.005 more.
    const dearer = await replay({ outputTokens: 1500 }, 0.004);
    expect(dearer).toMatchObject({ passed: false, failures: [expect.stringMatching(/cost/i)] });
    expect(await replay({ outputTokens: 1500 }, 0.006)).toMatchObject({ passed: true, failures: [] });
  });

  it('fails if no call has a price: an unknown cost is not zero', async () => {
    const unpriced = await replay({ model: 'nobody-knows' }, 10);
    expect(unpriced.items.map(({ usage }) => usage?.costUsd)).toEqual(Array(12).fill(undefined));
    expect(unpriced).toMatchObject({ passed: false, failures: [expect.stringMatching(/cost/i)] });
  });
});
