import { Tracer } from '@dacapo/tracer';
import { keyless } from '@dacapo/tracer/engine';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDesk, createOutside, type DeskOptions } from '../../test/support-desk.js';
import { type CassetteOptions, toMatchRecording, withCassette } from '../index.js';

expect.extend({ toMatchRecording });

declare module 'expect' {
  interface Matchers<R> {
    toMatchRecording(): Promise<R>;
  }
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- how the types of Jest are extended
  namespace jest {
    interface Matchers<R> {
      toMatchRecording(): Promise<R>;
    }
  }
}

let directory: string;
let outside: ReturnType<typeof createOutside>;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
  outside = createOutside();
  delete process.env['CI'];
});

const tracer = new Tracer({ apiKey: '' });
const desk = (options?: DeskOptions): ReturnType<typeof createDesk> => createDesk(tracer, outside, options);

const QUESTION = ['Where is my parcel?', 'o-1'] as const;

async function record(options?: DeskOptions, args: readonly [string, string] = QUESTION): Promise<void> {
  await withCassette('late', { directory, mode: 'record' }, async () => {
    await desk(options)(...args).catch(() => undefined);
  });
  outside.calls.length = 0;
}

const replay = <T>(run: () => Promise<T>, options: CassetteOptions = {}): Promise<T> =>
  withCassette('late', { directory, ...options }, run);

describe('withCassette', () => {
  it('answers inner calls from the cassette, without a key', async () => {
    await record();
    await expect(replay(() => desk()(...QUESTION))).resolves.toEqual({ text: 'It is late. (late: true)' });
    expect(outside.calls).toEqual([]);
  });

  it('passes when outcome and inner calls equal the recording', async () => {
    await record();
    await replay(async () => {
      await expect(desk()(...QUESTION)).toMatchRecording();
    });
  });

  it('fails when a call has other arguments, and names the path and the differing argument', async () => {
    await record();
    const failed = replay(() => desk({ now: () => 2 })(...QUESTION));
    await expect(failed).rejects.toThrow(
      'desk.answer > mail.send: its arguments differ from the recorded ones at $[0].sentAt.',
    );
    await expect(failed).rejects.toThrow('add normalize: { "mail.send": ["$[0].sentAt"] }');
    expect(outside.calls).toEqual([]);
  });

  it('ignores the parts of arguments that normalize names', async () => {
    await record();
    await replay(() => desk({ now: () => 2 })(...QUESTION), { normalize: { 'mail.send': ['$[0].sentAt'] } });
  });

  it('fails when the application catches the error of a miss', async () => {
    await record();
    const failed = replay(() => desk({ prompt: () => 'other', catchesModel: true })(...QUESTION));
    await expect(failed).rejects.toThrow('model.ask');
  });

  it('lets a function run that live names', async () => {
    await record();
    const result = await replay(() => desk({ prompt: () => 'other' })(...QUESTION), {
      live: ['llm'],
      normalize: { 'mail.send': ['$[0].text'] },
    });
    expect(result).toEqual({ text: 'It is late. (other)' });
    expect(outside.calls).toEqual(['model other']);
  });

  it('fails when the test calls the function with other arguments', async () => {
    await record();
    await expect(replay(() => desk()('Where is it?', 'o-1'))).rejects.toThrow(
      'desk.answer: the test calls it with other arguments than the recorded ones. They differ at $[0].',
    );
  });

  it('fails when the test makes a call more often than recorded', async () => {
    await record();
    const twice = replay(async () => {
      await desk()(...QUESTION);
      await desk()(...QUESTION);
    });
    await expect(twice).rejects.toThrow('more often than it was recorded');
  });

  it('fails when the test makes no recorded call', async () => {
    await record();
    await expect(replay(() => Promise.resolve(1))).rejects.toThrow('made no outermost call');
  });

  it('fails when a call has not ended', async () => {
    await record();
    const failed = withCassette('late', { directory }, () => {
      void desk()(...QUESTION).catch(() => undefined);
    });
    await expect(failed).rejects.toThrow('had not ended');
  });

  it('fails for a call that the function makes and does not await', async () => {
    const start = (text: string) =>
      tracer.withSpan('start', () => {
        void tracer
          .withSpan('later', (said: string) => Promise.resolve(said.length))(text)
          .catch(() => undefined);
        return Promise.resolve('started');
      });
    await withCassette('late', { directory, mode: 'record' }, () => start('a')());
    await replay(() => start('a')());
    await expect(replay(() => start('b')())).rejects.toThrow('start > later');
  });

  it('writes nothing while a call inside has not ended', async () => {
    const start = tracer.withSpan('start', () => {
      void tracer.withSpan('endless', () => new Promise(() => undefined))();
      return Promise.resolve('started');
    });
    const recorded = withCassette('late', { directory, mode: 'record' }, () => start());
    await expect(recorded).rejects.toThrow('had not ended: endless');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('fails when the test does not await its matcher', async () => {
    await record();
    const failed = replay(async () => {
      void expect(new Promise(() => undefined)).toMatchRecording();
      await desk()(...QUESTION);
    });
    await expect(failed).rejects.toThrow('toMatchRecording had not compared');
  });

  it('runs twice in one test file, as with retries and watch mode', async () => {
    await record();
    for (let run = 0; run < 2; run++) await replay(() => desk()(...QUESTION));
  });

  it('replays one cassette in many tests at once', async () => {
    await record();
    const runs = await Promise.all(Array.from({ length: 8 }, () => replay(() => desk()(...QUESTION))));
    expect(new Set(runs.map(({ text }) => text)).size).toBe(1);
  });

  it('works with fake timers', async () => {
    await record();
    jest.useFakeTimers();
    try {
      await replay(() => desk()(...QUESTION));
    } finally {
      jest.useRealTimers();
    }
  });

  it('denies connections of recorded functions', async () => {
    const server = http.createServer((_, response) => response.end('live'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const fetchIt = tracer.withSpan('fetch.it', async () => (await fetch(url)).text());
    await withCassette('net', { directory, mode: 'record' }, () => fetchIt());
    await expect(withCassette('net', { directory }, () => fetchIt())).rejects.toThrow(
      /fetch.it: connected to 127/,
    );
    server.close();
  });

  it('never writes in CI', async () => {
    process.env['CI'] = 'true';
    const written = withCassette('late', { directory, mode: 'record' }, () => desk()(...QUESTION));
    await expect(written).rejects.toThrow('never written in CI');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('never records unless it is told to', async () => {
    await expect(replay(() => desk()(...QUESTION))).rejects.toThrow('DACAPO_CASSETTES=record');
    expect(outside.calls).toEqual([]);
  });

  it('replays an existing cassette while others are recorded', async () => {
    await record();
    await replay(() => desk()(...QUESTION), { mode: 'record' });
    expect(outside.calls).toEqual([]);
  });

  it('changes no byte when unchanged code is recorded again', async () => {
    await record();
    const before = readFileSync(join(directory, 'late.ndjson'), 'utf8');
    await replay(() => desk()(...QUESTION), { mode: 'renew' });
    expect(outside.calls).toHaveLength(3);
    expect(readFileSync(join(directory, 'late.ndjson'), 'utf8')).toBe(before);
    expect(readdirSync(directory)).toEqual(['late.ndjson']);
  });

  it('writes the same bytes in another folder', async () => {
    await record();
    const before = readFileSync(join(directory, 'late.ndjson'), 'utf8');
    directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
    await record();
    expect(readFileSync(join(directory, 'late.ndjson'), 'utf8')).toBe(before);
  });

  it('keeps secrets out of the file, and answers calls whose secrets have another salt', async () => {
    const secret = 'sk-proj-Zx81mQ2tLr7Vb3Nc9Kd4Hf6Jg5Ws0Ye';
    const to = `Bearer ${secret}`;
    await record({ to });
    expect(readFileSync(join(directory, 'late.ndjson'), 'utf8')).not.toContain(secret);
    const other = new Tracer({ apiKey: '', capture: { redactionSecret: 'another salt of sixteen' } });
    const report = await withCassette('late', { directory }, async (tape) => {
      await createDesk(other, outside, { to })(...QUESTION);
      return tape.report();
    });
    expect(report.anySecret).toBe(1);
    await expect(
      withCassette('late', { directory }, () => createDesk(other, outside, { to: 'nobody' })(...QUESTION)),
    ).rejects.toThrow('$[0].to');
  });

  it.each(['../escape', '/etc/passwd', 'a/../../b', '', '.hidden', 'a\\b', 'a\u0000b'])(
    'refuses the name %j',
    async (name) => {
      await expect(withCassette(name, { directory }, () => undefined)).rejects.toThrow('is invalid');
    },
  );

  it('says what is wrong with a damaged file', async () => {
    await record();
    const file = join(directory, 'late.ndjson');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, -10));
    await expect(replay(() => desk()(...QUESTION))).rejects.toThrow('is truncated');
    writeFileSync(file, `<<<<<<< ours\n${text}`);
    await expect(replay(() => desk()(...QUESTION))).rejects.toThrow('merge conflict in line 1');
    writeFileSync(file, '{"log":{}}\n');
    await expect(replay(() => desk()(...QUESTION))).rejects.toThrow('is not a cassette');
    writeFileSync(file, text.replace('"cassette":1', '"cassette":9'));
    await expect(replay(() => desk()(...QUESTION))).rejects.toThrow('this version reads format 1');
  });

  it('stores images and files, also when the same ones are recorded twice', async () => {
    const image = Buffer.alloc(8_000, 'image');
    const load = tracer.withSpan('load', () => Promise.resolve({ image }));
    const show = tracer.withSpan('show', async () => (await load()).image.length);
    for (const name of ['one', 'two']) {
      await withCassette(name, { directory, mode: 'record' }, () => show());
      expect(await withCassette(name, { directory }, () => show())).toBe(8_000);
    }
  });

  it('sends nothing to the service, also with a key', async () => {
    const keyed = new Tracer({ apiKey: 'key', serviceUrl: 'http://127.0.0.1:9', delivery: { spool: false } });
    const call = createDesk(keyed, outside);
    const scored = async (): Promise<void> => {
      await call(...QUESTION);
      keyed.score({ traceId: '01890000-0000-7000-8000-000000000000' }, { name: 'polite', value: true });
    };
    await withCassette('late', { directory, mode: 'record' }, scored);
    await withCassette('late', { directory }, scored);
    expect(keyed.stats().recorded).toBe(0);
    await call(...QUESTION);
    expect(keyed.stats().recorded).toBe(4);
    await keyed.shutdown(1);
  });

  it('refuses to run with a tracer that was created too early', async () => {
    await record();
    keyless.isRecorded = false;
    new Tracer({ apiKey: '' });
    await expect(replay(() => desk()(...QUESTION))).rejects.toThrow('before @dacapo/testing was loaded');
    Object.assign(keyless, { isRecorded: true, off: 0 });
  });

  it('stores large values beside the file and verifies them', async () => {
    const prompt = (): string => 'long '.repeat(10_000);
    await record({ prompt });
    const folder = join(directory, 'late.blobs');
    await replay(() => desk({ prompt })(...QUESTION));
    const [name = ''] = readdirSync(folder);
    writeFileSync(join(folder, name), '"changed"');
    await expect(replay(() => desk({ prompt })(...QUESTION))).rejects.toThrow('was changed');
    await replay(() => desk()(...QUESTION), { mode: 'renew' });
    expect(existsSync(folder)).toBe(false);
  });
});

describe("expect: 'fixed'", () => {
  const UNKNOWN = ['Where is my parcel?', 'unknown'] as const;
  const extra = { live: [{ key: 'model.ask' }, { key: 'mail.send' }] };

  it('fails while the recorded failure still occurs', async () => {
    await record({ isBroken: true }, UNKNOWN);
    const failed = replay(() => desk({ isBroken: true })(...UNKNOWN), { expect: 'fixed' });
    await expect(failed).rejects.toThrow('still occurs: TypeError: Cannot read the order');
  });

  it('fails when the test catches the failure', async () => {
    await record({ isBroken: true }, UNKNOWN);
    const failed = replay(() => desk({ isBroken: true })(...UNKNOWN).catch(() => 'caught'), {
      expect: 'fixed',
    });
    await expect(failed).rejects.toThrow('still occurs');
  });

  it('passes when the call no longer fails', async () => {
    await record({ isBroken: true }, UNKNOWN);
    await replay(() => desk()(...UNKNOWN), { expect: 'fixed', ...extra });
  });

  it('fails when an assertion of the test fails', async () => {
    await record({ isBroken: true }, UNKNOWN);
    const failed = replay(
      async () => {
        expect(await desk()(...UNKNOWN)).toEqual({ text: 'another' });
      },
      { expect: 'fixed', ...extra },
    );
    await expect(failed).rejects.toThrow('another');
  });

  it('fails when the failing call was not made, or never failed', async () => {
    await record({ isBroken: true }, UNKNOWN);
    await expect(replay(() => Promise.resolve(), { expect: 'fixed' })).rejects.toThrow(
      'did not make the call',
    );
    directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
    await record();
    await expect(replay(() => desk()(...QUESTION), { expect: 'fixed' })).rejects.toThrow('no failed call');
  });

  it('fails when the test stops the stream that failed', async () => {
    const numbers = tracer.withSpan('numbers', function* (count: number) {
      for (let n = 0; n < count; n++) yield n;
      if (count > 1) throw new Error('too many');
    });
    await withCassette('late', { directory, mode: 'record' }, () => {
      expect(() => [...numbers(2)]).toThrow('too many');
    });
    const stopped = withCassette('late', { directory, expect: 'fixed' }, () => {
      for (const n of numbers(2)) return n;
      return undefined;
    });
    await expect(stopped).rejects.toThrow('or stopped it');
  });

  it('is never renewed', async () => {
    await record({ isBroken: true }, UNKNOWN);
    await expect(replay(() => desk()(...UNKNOWN), { expect: 'fixed', mode: 'renew' })).rejects.toThrow(
      'would lose it',
    );
  });
});

describe('toMatchRecording', () => {
  it('fails for another outcome, and shows where it differs', async () => {
    await record();
    const failed = replay(async () => {
      const { text } = await desk()(...QUESTION);
      await expect({ text: `${text}!` }).toMatchRecording();
    });
    await expect(failed).rejects.toThrow('$.text');
  });

  it('fails when a recorded call is not made', async () => {
    await record();
    const shorter = tracer.withSpan('desk.answer', (question: string, orderId: string) =>
      Promise.resolve({ text: question + orderId === '' ? '' : 'It is late. (late: true)' }),
    );
    const failed = replay(async () => {
      await expect(shorter(...QUESTION)).toMatchRecording();
    });
    await expect(failed).rejects.toThrow('not made: desk.answer > orders.find');
  });

  it('compares every call with the tape', async () => {
    await record();
    await withCassette('late', { directory }, async (tape) => {
      await desk()(...QUESTION);
      await expect(tape).toMatchRecording();
    });
    const failed = withCassette('late', { directory }, (tape) => expect(tape).toMatchRecording());
    await expect(failed).rejects.toThrow('the recorded call was not made');
  });

  it('does not pass on a masked output', async () => {
    const login = tracer.withSpan('login', () =>
      Promise.resolve({ token: 'sk-proj-Zx81mQ2tLr7Vb3Nc9Kd4Hf6Jg5Ws0Ye' }),
    );
    await withCassette('login', { directory, mode: 'record' }, () => login());
    const failed = withCassette('login', { directory }, () => expect(login()).toMatchRecording());
    await expect(failed).rejects.toThrow('nothing shows whether');
    await withCassette('login', { directory, ignore: ['$.token'] }, () => expect(login()).toMatchRecording());
  });

  it('fails outside of a cassette', async () => {
    await expect(expect(1).toMatchRecording()).rejects.toThrow('inside withCassette');
  });
});
