import { Tracer } from '@dacapo/tracer';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDesk, createOutside } from '../../test/support-desk.js';
import { withCassette } from '../index.js';
import { hashCassette, OUTCOMES_FILE, type ReportedOutcome } from '../internal.js';

const tracer = new Tracer({ apiKey: '' });
const UNKNOWN = ['Where is parcel 12?', 'unknown'] as const;

let directory: string;
let outside: ReturnType<typeof createOutside>;
const desk = (isBroken: boolean): ReturnType<typeof createDesk> => createDesk(tracer, outside, { isBroken });

beforeEach(async () => {
  delete process.env['CI'];
  directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
  outside = createOutside();
  await withCassette('lost', { directory, mode: 'record' }, () =>
    desk(true)(...UNKNOWN).catch(() => undefined),
  );
  outside.calls.length = 0;
});

const ANSWERS = { 'model.ask': () => 'We look for it.', 'mail.send': () => undefined };

describe('tape.replay', () => {
  it('calls a function with the recorded arguments', async () => {
    const given: unknown[] = [];
    const answer = (...args: [string, string]): Promise<unknown> => {
      given.push(...args);
      return desk(true)(...args);
    };
    const failed = withCassette('lost', { directory, expect: 'fixed' }, (tape) => tape.replay(answer));
    await expect(failed).rejects.toThrow('still occurs');
    expect(given).toEqual(UNKNOWN);
  });

  it('finds the function with the key in a module', async () => {
    const fixed = withCassette('lost', { directory, expect: 'fixed', answers: ANSWERS }, (tape) =>
      tape.replay({ default: { answer: desk(false), other: () => 1 } }),
    );
    await expect(fixed).resolves.toEqual({ text: 'We look for it.' });
    const unknown = withCassette('lost', { directory }, (tape) => tape.replay({ other: () => 1 }));
    await expect(unknown).rejects.toThrow('The module exports no function with the key "desk.answer"');
  });

  it('has nothing to call while recording, and after the last call', async () => {
    const recording = withCassette('new', { directory, mode: 'record' }, (tape) => tape.replay(desk(false)));
    await expect(recording).rejects.toThrow('is being recorded');
    const twice = withCassette('lost', { directory, answers: ANSWERS }, async (tape) => {
      await tape.replay(desk(false));
      await tape.replay(desk(false));
    });
    await expect(twice).rejects.toThrow('has made all outermost calls');
  });
});

describe('answers', () => {
  it('answers calls that the recording does not have, and runs nothing', async () => {
    const options = { directory, expect: 'fixed', answers: ANSWERS } as const;
    await expect(withCassette('lost', options, () => desk(false)(...UNKNOWN))).resolves.toEqual({
      text: 'We look for it.',
    });
    expect(outside.calls).toEqual([]);
  });

  it('is suggested when a fixed call goes on where its recording ends', async () => {
    const failed = withCassette('lost', { directory, expect: 'fixed' }, () => desk(false)(...UNKNOWN));
    await expect(failed).rejects.toThrow('answer it in the test with answers: { "model.ask": () => … }');
  });

  it('replaces no recorded answer', async () => {
    const answers = { ...ANSWERS, 'orders.find': () => ({ id: 'o-1', isLate: true }) };
    const text = withCassette('lost', { directory, answers }, async (tape) => {
      await desk(false)(...UNKNOWN);
      return tape.report().answeredByTest;
    });
    await expect(text).resolves.toEqual({ 'model.ask': 1, 'mail.send': 1 });
  });
});

describe('The reported outcome', () => {
  const report = async (run: () => Promise<unknown>): Promise<ReportedOutcome[]> => {
    const file = join(directory, 'outcomes');
    process.env[OUTCOMES_FILE] = file;
    await run().catch(() => undefined);
    Reflect.deleteProperty(process.env, OUTCOMES_FILE);
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as ReportedOutcome);
  };
  const test = (run: () => Promise<unknown>, options: object = {}) =>
    report(() => withCassette('lost', { directory, expect: 'fixed', ...options }, run));

  it('tells the recorded failure from every other one', async () => {
    const outcomes = [
      await test(() => desk(true)(...UNKNOWN)),
      await test(() => desk(false)(...UNKNOWN), { answers: ANSWERS }),
      await test(() => desk(false)(...UNKNOWN)),
      await test(() => Promise.reject(new Error('no database'))),
      await test(() => Promise.resolve()),
    ].map((lines) => lines.at(-1)?.outcome);
    expect(outcomes).toEqual(['recorded_failure', 'passed', 'failed', 'failed', 'failed']);
  });

  it('names the cassette by its hash, and what the test answered', async () => {
    const [outcome] = await test(() => desk(false)(...UNKNOWN), { answers: ANSWERS });
    expect(outcome).toMatchObject({
      sha256: hashCassette(join(directory, 'lost.ndjson')),
      expect: 'fixed',
      calls: [{ key: 'desk.answer', ran_live: {}, answered_by_test: { 'model.ask': 1, 'mail.send': 1 } }],
    });
  });

  it('is not reported without a cassette', async () => {
    expect(await report(() => withCassette('none', { directory }, () => undefined))).toEqual([]);
  });

  it('is masked', async () => {
    const secret = 'sk-proj-Zx81mQ2tLr7Vb3Nc9Kd4Hf6Jg5Ws0Ye';
    const [outcome] = await test(() => Promise.reject(new Error(`Wrong key ${secret}`)));
    expect(JSON.stringify(outcome)).not.toContain(secret);
  });
});
