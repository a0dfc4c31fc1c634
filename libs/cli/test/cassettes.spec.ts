import { newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { assertMatchesRecording, withCassette } from '@dacapo/testing';
import { Tracer } from '@dacapo/tracer';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordedSpan } from './recorded-span.js';
import { type Account, openAccount } from './running-service.js';

const SECRET = 'sk-proj-Zx81mQ2tLr7Vb3Nc9Kd4Hf6Jg5Ws0Ye';

function mustNotRun(...args: unknown[]): Promise<{ isLate: boolean }> {
  throw new Error(`must not run with ${JSON.stringify(args)}`);
}

describe('dacapo cassettes', () => {
  let account: Account;
  let directory: string;
  beforeEach(async () => {
    account = await openAccount();
    directory = await mkdtemp(join(tmpdir(), 'dacapo-cassettes-'));
    delete process.env['CI'];
  });

  const post = async (path: string, type: string, body: string): Promise<void> => {
    const headers = { 'api-key': account.apiKey, 'content-type': type };
    const answer = await fetch(`${account.url}${path}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  };

  const ingest = (...spans: object[]): Promise<void> =>
    post(
      API.ingest.send.path,
      'application/x-ndjson',
      spans.map((span) => JSON.stringify({ span })).join('\n'),
    );

  /** Stores a call of `desk.answer` inside a request, with the call of `orders.find` inside. */
  const storeDesk = async (facts: object): Promise<string> => {
    const id = newTraceId();
    const request = recordedSpan(id, 'POST /answer', { started_at: '2026-01-31T12:30:00.000100Z' });
    const desk = recordedSpan(id, 'desk.answer', {
      parent_id: request.id,
      started_at: '2026-01-31T12:30:00.010100Z',
      duration_ms: 50,
      ...facts,
    });
    const find = recordedSpan(id, 'orders.find', {
      parent_id: desk.id,
      started_at: '2026-01-31T12:30:00.020100Z',
      duration_ms: 10,
      span_data: { input: ['o-1', `Bearer ${SECRET}`], output: { isLate: true } },
    });
    await ingest(request, desk, find);
    return id;
  };

  const file = (): string => join(directory, 'late.ndjson');
  const pull = (id: string, ...words: string[]) =>
    account.run('cassettes', 'pull', 'desk.answer', '--trace', id, '--out', file(), ...words);

  const tracer = new Tracer({ apiKey: '' });
  const find = tracer.withSpan('orders.find', mustNotRun);
  const desk = tracer.withSpan('desk.answer', async (id: string) =>
    (await find(id, `Bearer ${SECRET}`)).isLate ? 'It is late.' : 'It is here.',
  );

  it('writes a recorded call with its inner calls, which a test replays', async () => {
    const id = await storeDesk({ span_data: { input: ['o-1'], output: 'It is late.' } });
    const { exitCode, out, err } = await pull(id.slice(0, 13));
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('1 call of desk.answer, 1 inner call.');
    await withCassette('late', { directory }, () => assertMatchesRecording(desk('o-1')));
  });

  it('masks secrets again that the service has stored', async () => {
    await pull(await storeDesk({ span_data: { input: ['o-1'], output: 'It is late.' } }));
    expect(await readFile(file(), 'utf8')).not.toContain(SECRET);
  });

  it('turns a failed call into a test that fails until it is fixed', async () => {
    const error = { name: 'TypeError', message: 'No order 12' };
    const id = await storeDesk({ status: 'error', span_data: { input: ['o-1'], error } });
    expect((await pull(id)).out).toContain(
      "It failed with TypeError: No order 12\nTest the fix with expect: 'fixed'.",
    );
    const broken = tracer.withSpan('desk.answer', async (orderId: string) => {
      await find(orderId, `Bearer ${SECRET}`);
      throw new TypeError('No order 13');
    });
    const options = { directory, expect: 'fixed' } as const;
    await expect(withCassette('late', options, () => broken('o-1'))).rejects.toThrow('still occurs');
    await withCassette('late', options, () => desk('o-1'));
  });

  it('changes no byte when the trace is pulled again, and replaces no other file', async () => {
    const id = await storeDesk({ span_data: { input: ['o-1'], output: 'It is late.' } });
    await pull(id);
    const text = await readFile(file(), 'utf8');
    expect((await pull(id)).out).toContain('Unchanged');
    const other = await storeDesk({ span_data: { input: ['o-2'], output: 'It is late.' } });
    const refused = await pull(other);
    expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('--force')]);
    expect(await readFile(file(), 'utf8')).toBe(text);
    expect((await pull(other, '--force')).exitCode).toBe(0);
    expect(await readFile(file(), 'utf8')).not.toBe(text);
  });

  it('reports a trace without the call', async () => {
    const id = await storeDesk({});
    const { exitCode, err } = await account.run(
      'cassettes',
      'pull',
      'desk.ask',
      '--trace',
      id,
      '--out',
      file(),
    );
    expect(exitCode).toBe(4);
    expect(err).toContain('no finished call with the key "desk.ask"');
  });

  it('answers calls from tool spans of another tracer (OTLP)', async () => {
    const [traceId, rootId, toolId] = [
      '0af7651916cd43dd8448eb211c80319c',
      'b7ad6b7169203331',
      'c7ad6b7169203332',
    ];
    const attribute = (key: string, value: string): object => ({ key, value: { stringValue: value } });
    const span = (spanId: string, name: string, attributes: object[], parentSpanId?: string): object => ({
      traceId,
      spanId,
      parentSpanId,
      name,
      kind: 1,
      attributes,
      startTimeUnixNano: '1769862600000000000',
      endTimeUnixNano: '1769862600100000000',
    });
    const spans = [
      span(rootId, 'invoke_agent desk', [
        attribute('gen_ai.operation.name', 'invoke_agent'),
        attribute('gen_ai.agent.name', 'desk'),
      ]),
      span(
        toolId,
        'execute_tool orders.find',
        [
          attribute('gen_ai.operation.name', 'execute_tool'),
          attribute('gen_ai.tool.name', 'orders.find'),
          attribute('gen_ai.tool.call.arguments', JSON.stringify({ id: 'o-1' })),
          attribute('gen_ai.tool.call.result', JSON.stringify({ isLate: true })),
        ],
        rootId,
      ),
    ];
    await post(
      '/v1/traces',
      'application/json',
      JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    );
    const { items } = await account.json('traces', 'list');
    const trace = await account.json('traces', 'show', items[0].id);
    const keys = trace.spans.map(({ trace_function_key: key }: { trace_function_key: string }) => key);
    const pulled = await account.run('cassettes', 'pull', keys[0], '--trace', items[0].id, '--out', file());
    expect(pulled.err).toBe('');
    const tool = tracer.withSpan(keys[1], mustNotRun);
    const agent = tracer.withSpan(keys[0], async () => (await tool({ id: 'o-1' })).isLate);
    expect(await withCassette('late', { directory }, () => agent())).toBe(true);
  });

  describe('check', () => {
    const check = (...words: string[]) =>
      account.run('cassettes', 'check', directory, '--tests', directory, ...words);

    beforeEach(async () => {
      await pull(await storeDesk({ span_data: { input: ['o-1'], output: 'It is late.' } }));
      await writeFile(join(directory, 'late.test.ts'), "withCassette('late', test)");
    });

    it('passes cassettes that tests use', async () => {
      const { exitCode, out } = await check();
      expect(exitCode).toBe(0);
      expect(out).toMatch(/^STATUS +CALLS +SIZE +CASSETTE\nok +2 +0\.\d kB +late\n1 cassette/);
    });

    it.each([
      ['unused', async () => rm(join(directory, 'late.test.ts')), 'no test names it'],
      [
        'damaged',
        async () => writeFile(file(), '{"cassette":1,"keys":[]}\n{"path":3}\n'),
        'path in line 2 is invalid',
      ],
      [
        'secrets',
        async () => {
          const text = await readFile(file(), 'utf8');
          await writeFile(file(), text.replace('It is late.', `Use ${SECRET}`));
        },
        'it holds secrets in desk.answer',
      ],
      ['left values', async () => mkdir(join(directory, 'gone.blobs')), 'its cassette does not exist'],
    ])('fails with exit code 1: %s', async (_, spoil, problem) => {
      await spoil();
      const { exitCode, out, err } = await check();
      expect(exitCode).toBe(1);
      expect(out).toContain(problem);
      expect(err).toContain('CLI_CASSETTES_FAILED');
    });

    it('limits the size', async () => {
      await writeFile(file(), (await readFile(file(), 'utf8')).replace('It is late.', 'late '.repeat(400)));
      const { exitCode, out } = await check('--max-kb', '1');
      expect([exitCode, out]).toEqual([1, expect.stringContaining('larger than 1 kB')]);
    });
  });
});
