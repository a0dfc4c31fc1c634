/**
 * Puts an application under load. Fails when a call is in the trace or the session of another user, when an answer changes, or when
 * memory grows: `node main.js <express|fastify> <seconds>`. Uses BullMQ if `redis-server` is on the PATH.
 */
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { startRedis } from '../transports/redis-server.js';
import { type Platform, startMixingApplication } from './mixing-application.js';
import { runWave } from './mixing-load.js';
import { QUEUED, QueueModule } from './queue.js';
import { PROGRAM_NAMES } from './table.controller.js';

const MOST_GROWTH_BYTES = 8 * 1024 * 1024;
const PROGRAMS_A_WAVE = 8;
const FEWEST_WAVES = 6;

const [platform, seconds] = process.argv.slice(2) as [Platform, string];

async function main(): Promise<void> {
  const hasRedis = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).error === undefined;
  const redis = hasRedis ? await startRedis() : undefined;
  const application = await startMixingApplication(
    platform,
    redis === undefined ? [] : [QueueModule.forRoot(redis.port)],
  );
  const heap: number[] = [];
  let calls = 0;
  const endMs = Date.now() + Number(seconds) * 1000;
  const waves = Math.ceil(PROGRAM_NAMES.length / PROGRAMS_A_WAVE);
  while (Date.now() < endMs || heap.length < waves) {
    const programs = Array.from(
      { length: PROGRAMS_A_WAVE },
      (_, index) => PROGRAM_NAMES[(heap.length * PROGRAMS_A_WAVE + index) % PROGRAM_NAMES.length] as string,
    );
    const options = { concurrency: 50, users: 500, queued: redis === undefined ? [] : [QUEUED] };
    const { calls: recorded, ...wrong } = await runWave(application, {
      ...options,
      programs: [...new Set(programs)],
    });
    const found = Object.entries(wrong).filter(([, list]) => list.length > 0);
    if (found.length > 0) throw new Error(describe(found, programs));
    calls += recorded;
    gc?.();
    heap.push(process.memoryUsage().heapUsed);
  }
  const third = Math.ceil(heap.length / 3);
  const growth = median(heap.slice(-third)) - median(heap.slice(third, 2 * third));
  if (gc !== undefined && heap.length >= FEWEST_WAVES && growth > MOST_GROWTH_BYTES)
    throw new Error(`The heap grew by ${toMegabytes(growth)} MB.`);
  process.stdout.write(
    `${calls} calls of ${heap.length} waves, ${PROGRAM_NAMES.length} programs of RxJS, ` +
      `${redis === undefined ? 'no redis-server for BullMQ' : 'with BullMQ'}, heap ${toMegabytes(growth)} MB more at the end\n`,
  );
  await application.close();
  await redis?.close();
}

function describe(found: [string, string[]][], programs: readonly string[]): string {
  const lists = found.map(([name, list]) => `${list.length} ${name}:\n  ${list.slice(0, 10).join('\n  ')}`);
  return `${lists.join('\n')}\nwith ${programs.join(', ')}`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
