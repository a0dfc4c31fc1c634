/** `npm run test:mixing`: MIXING_SECONDS of load on each platform, 60 unless told; with BullMQ where `redis-server` is. */
import { spawnSync } from 'node:child_process';
import type { ExternalServer } from '../transports/external-server.js';
import { startRedis } from '../transports/redis-server.js';
import { type MixingApplication, type Platform, startMixingApplication } from './mixing-application.js';
import { runWave } from './mixing-load.js';
import { QUEUED, QueueModule } from './queue.js';

const SECONDS = Number(process.env['MIXING_SECONDS'] ?? 60);
const MOST_GROWTH_BYTES = 8 * 1024 * 1024;
const hasRedis = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).error === undefined;

describe.each<Platform>(['express', 'fastify'])(
  `users of an application on %s, ${hasRedis ? 'with' : 'without (no redis-server on the PATH)'} BullMQ`,
  (platform) => {
    let redis: ExternalServer | undefined;
    let application: MixingApplication;

    beforeAll(async () => {
      redis = hasRedis ? await startRedis() : undefined;
      application = await startMixingApplication(
        platform,
        redis === undefined ? [] : [QueueModule.forRoot(redis.port)],
      );
    });
    afterAll(async () => {
      await application.close();
      await redis?.close();
    });

    it('are each in traces and a session of their own, and leave no memory behind', async () => {
      const heap: number[] = [];
      let calls = 0;
      const endMs = Date.now() + SECONDS * 1000;
      while (Date.now() < endMs) {
        const options = { concurrency: 50, users: 500, queued: redis === undefined ? [] : [QUEUED] };
        const mixing = await runWave(application, options);
        expect(mixing).toMatchObject({ mixed: [], miscounted: [], lostSessions: [], adoptedBatches: [] });
        calls += mixing.calls;
        gc?.();
        heap.push(process.memoryUsage().heapUsed);
      }
      const third = Math.ceil(heap.length / 3);
      const growth = median(heap.slice(-third)) - median(heap.slice(third, 2 * third));
      process.stdout.write(
        `${platform}: ${calls} calls in ${heap.length} waves, heap ${toMegabytes(growth)} MB more at the end\n`,
      );
      if (gc !== undefined && heap.length >= 6) expect(growth).toBeLessThan(MOST_GROWTH_BYTES);
    });
  },
);

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
