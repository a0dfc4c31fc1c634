import { setTimeout as sleep } from 'node:timers/promises';
import { startStoredSpansService } from '../service/stored-spans-service.js';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import type { ReplayOptions } from '../../src/options/replay-options.js';
import type { ReplayItem } from '../../src/replay-types.js';

/** A function of a key that takes so many milliseconds, or fails after them. */
type Call = (key: string, ...args: unknown[]) => Promise<unknown>;
export type Program = (call: Call, log: (what: unknown) => void, tracer: Tracer) => Promise<unknown>;

const DELAYS_MS: Record<string, number> = { slow: 24, middle: 12, fast: 4 };

/** Records a program that calls functions which really take their time, and plays it again several times. */
export async function replayProgram(
  program: Program,
  { times = 1, ...options }: ReplayOptions & { times?: number } = {},
): Promise<{ before: unknown; items: ReplayItem[] }> {
  const recorded = createTestTracer();
  const calls: Promise<unknown>[] = [];
  const before = await toDesk(recorded.tracer, program, calls)();
  // Those that nobody waits for too.
  for (let ended = 0; ended < calls.length;) ended = (await Promise.allSettled(calls)).length;
  const service = await startStoredSpansService(recorded.spans);
  const { tracer } = createTestTracer({ serviceUrl: service.url });
  const items: ReplayItem[] = [];
  for (let time = 0; time < times; time++) {
    const run = await tracer.replay('desk', toDesk(tracer, program), { mock: 'all', ...options });
    items.push(...run.items);
  }
  await service.close();
  return { before, items };
}

/** What the program saw, in the order in which it saw it. */
function toDesk(tracer: Tracer, program: Program, calls: Promise<unknown>[] = []): () => Promise<unknown> {
  return tracer.withSpan('desk', async () => {
    const seen: unknown[] = [];
    const call: Call = (key, ...args) => {
      const made = tracer.withSpan(key, { type: 'function' }, async (...passed: unknown[]) => {
        const [name, ms = DELAYS_MS[key] ?? 1] = passed as [unknown, number?];
        await sleep(ms);
        if (key === 'fails') throw new Error(String(name));
        return name;
      })(...args);
      calls.push(made);
      return made;
    };
    const result = await program(call, (what) => seen.push(what), tracer);
    // What it leaves behind goes on after it.
    return [...seen, result];
  });
}

/** Each playing gives what the recorded one gave, and calls what it called. */
export async function expectSameCourse(
  program: Program,
  options: ReplayOptions & { times?: number } = {},
): Promise<void> {
  const { before, items } = await replayProgram(program, { times: 5, ...options });
  for (const item of items) {
    expect(item.error).toBeUndefined();
    expect(item.result).toEqual(before);
    expect(item.divergences).toEqual([]);
  }
}
