import { Tracer } from '@dacapo/tracer';
import * as fc from 'fast-check';
import { mkdtempSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertMatchesRecording, CassetteMissError, withCassette } from '@dacapo/testing';

const directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
const tracer = new Tracer({ apiKey: '' });

/** A function that calls others, at once or one after the other. */
interface Program {
  readonly key: string;
  readonly argument: number;
  readonly isConcurrent: boolean;
  readonly isCaught: boolean;
  readonly isFailing: boolean;
  readonly delayMs: number;
  readonly inner: readonly Program[];
}

const program: fc.Arbitrary<Program> = fc.letrec<{ program: Program }>((tie) => ({
  program: fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    argument: fc.nat(2),
    isConcurrent: fc.boolean(),
    isCaught: fc.boolean(),
    isFailing: fc.boolean(),
    delayMs: fc.nat(2),
    inner: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie('program'), { maxLength: 3 })),
  }),
})).program;

let ran = 0;

/** @param changed the argument of this call differs from the recorded one */
function run(program: Program, isOutermost: boolean, changed?: Program): Promise<unknown> {
  const { key, argument, isConcurrent, isCaught, isFailing, delayMs, inner } = program;
  const call = tracer.withSpan(isOutermost ? 'outermost' : key, async (given: number) => {
    if (!isOutermost) ran++;
    const results: unknown[] = [given];
    if (isConcurrent) {
      results.push(...(await Promise.allSettled(inner.map((one) => run(one, false, changed)))));
    } else {
      for (const one of inner)
        results.push(await (isCaught ? run(one, false, changed).catch(String) : run(one, false, changed)));
    }
    if (delayMs > 0 && !isOutermost) await sleep(delayMs);
    if (isFailing) throw new RangeError(`${key} failed`);
    return JSON.parse(JSON.stringify(results)) as unknown;
  });
  return call(argument + (program === changed ? 100 : 0));
}

const OUTERMOST = { key: 'outermost', argument: 0, delayMs: 0 };

describe('any program', () => {
  beforeAll(() => {
    delete process.env['CI'];
  });

  it('replays its cassette without running inner functions, and renewing it changes no byte', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(program, { maxLength: 4 }), fc.boolean(), async (inner, isConcurrent) => {
        const name = `any/${n++}`;
        const whole = { ...OUTERMOST, inner, isConcurrent, isCaught: false, isFailing: false };
        const call = (): Promise<unknown> => run(whole, true);
        await withCassette(name, { directory, mode: 'record' }, () => call().catch(() => undefined));
        const text = readFileSync(join(directory, `${name}.ndjson`), 'utf8');
        ran = 0;
        await withCassette(name, { directory }, () => assertMatchesRecording(call()));
        expect(ran).toBe(0);
        await withCassette(name, { directory, mode: 'renew' }, () => call().catch(() => undefined));
        expect(readFileSync(join(directory, `${name}.ndjson`), 'utf8')).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  it('fails when a call inside has another argument, however its error is handled', async () => {
    let n = 0;
    const some = fc.array(program, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(some, fc.nat(), fc.boolean(), async (inner, pick, isConcurrent) => {
        const name = `other/${n++}`;
        const whole = { ...OUTERMOST, inner, isConcurrent, isCaught: true, isFailing: false };
        await withCassette(name, { directory, mode: 'record' }, () => run(whole, true));
        const changed = inner[pick % inner.length];
        ran = 0;
        const replayed = withCassette(name, { directory }, () => run(whole, true, changed));
        await expect(replayed).rejects.toBeInstanceOf(CassetteMissError);
        expect(ran).toBe(0);
      }),
      { numRuns: 40 },
    );
  });
});
