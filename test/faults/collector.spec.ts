import { setTimeout as sleep } from 'node:timers/promises';
import { Tracer } from '@dacapo/tracer';
import { CollectorScene } from './collector-scene.js';
import { losingTheAnswer, resetAfter, sound } from './tcp-proxy.js';

describe('The collector behind a faulty connection', () => {
  const scene = CollectorScene.forEachTest();

  it('fault 14, responses are lost after the commit: the same batches arrive again, and are stored once', async () => {
    scene.proxy.faults = [losingTheAnswer, sound, losingTheAnswer];
    await scene.startHost().ended;
    await scene.expectAllInTheDatabase();
    expect(scene.proxy.requests).toBeGreaterThan(60);
  });

  it('the collector is killed during ingest, and restarted on its database', async () => {
    scene.proxy.faults = [sound, sound, losingTheAnswer];
    const host = scene.startHost();
    await scene.moreRequests(5);
    await scene.killCollector();
    await host.ended;
    await scene.expectAllInTheDatabase();
  });

  it("spans that were sent in two parts, for memory's sake, are whole in the database", async () => {
    scene.proxy.faults = [losingTheAnswer, sound, resetAfter(4000)];
    const tracer = new Tracer({
      apiKey: scene.collector.apiKey,
      serviceUrl: scene.proxy.url,
      maxOpenBytes: 20_000,
      delivery: {
        maxBatchRecords: 7,
        intervalMs: 20,
        retryMinDelayMs: 5,
        retryMaxDelayMs: 50,
        spoolDir: scene.hosts.spoolDir,
      },
      logger: { warn: () => undefined },
    });
    const answer = tracer.withSpan('answer', async (question: Map<string, string>) => {
      const span = tracer.getCurrentSpan();
      span.addContext({ when: new Date(0) });
      await sleep(100);
      span.addContext({ size: question.size });
    });
    await Promise.all(Array.from({ length: 200 }, (_, n) => answer(new Map([[`${n}`, 'x'.repeat(1000)]]))));
    await tracer.flush(60_000);
    await tracer.shutdown();
    const calls = await scene.collector.calls();
    expect(calls).toHaveLength(200);
    for (const { status, input, meta } of calls) {
      expect({ status, input }).toEqual({ status: 'ok', input: [[[expect.any(String), 'x'.repeat(1000)]]] });
      expect(meta).toEqual({
        input: { types: { '/0': 'Map' } },
        contexts: { types: { '/0/when': 'Date' } },
      });
    }
  });
});
