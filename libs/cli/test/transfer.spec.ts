import { newSpanId, newTraceId } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { appendFile, mkdtemp, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as timer } from 'node:timers/promises';
import { removeFolder } from '../../../test/support/remove-folder.js';
import { run } from '../src/run.js';
import { CapturedIo } from './captured-io.js';
import { type RunningService, startService } from './running-service.js';

const TRACES = 8;

/** 0 before it is there. */
const readFileSize = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.size ?? 0;

describe('dacapo export and import', () => {
  let service: RunningService;
  let folder: string;
  let whole: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-transfer-'));
    service = await startService();
    const lines = Array.from({ length: TRACES }, (_, second) => makeRecord(second));
    const headers = { 'api-key': service.apiKey, 'content-type': 'application/x-ndjson' };
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const answer = await fetch(service.url + API.ingest.send.path, { method: 'POST', headers, body });
    expect(await answer.json()).toEqual({ accepted: TRACES, rejected: [] });
    whole = (await service.run('export')).out;
  });

  afterAll(async () => {
    await service.close();
    await removeFolder(folder);
  });

  const makeRecord = (second: number) => {
    const of = {
      id: newSpanId(),
      trace_id: newTraceId(),
      trace_function_key: `key ${second % 2}`,
      name: 'n',
    };
    // Lines of more than a block of the file, and of odd text.
    const span_data = { output: `"cursor":"x"}\u2028é`.repeat(second === 3 ? 20_000 : 1) };
    const started_at = `2026-01-31T12:00:0${second}.000000Z`;
    return {
      span: {
        ...of,
        type: 'llm',
        status: 'ok',
        started_at,
        span_data,
        session_id: 's',
        ...(second < 2 && {
          user_id: 'ann',
          tags: ['x', `t${second}`],
          environment: 'staging',
          release: `r${second}`,
        }),
        ...(second === 4 && { kind: 'tool', level: 'warn' }),
        trace_metadata: { second },
      },
    };
  };
  const path = (name: string): string => join(folder, name);

  it.each([
    [['--user', 'ann'], 2],
    [['--tag', 'x', '--tag', 't1'], 1],
    [['--environment', 'staging', '--release', 'r0'], 1],
    [['--kind', 'tool', '--level', 'warn'], 1],
    [['--kind', 'rerank'], 0],
    [['--session', 's', '--type', 'llm', '--user', 'bob'], 0],
  ])('take %j', async (flags, traces) => {
    const { out } = await service.run('export', ...flags);
    expect(out.split('\n').filter((line) => line.startsWith('{"span"'))).toHaveLength(traces);
    if (flags.includes('t1')) expect(out).toContain('"tags":["t1","x"]');
  });

  it('reject an unknown kind, and list the known ones', async () => {
    const io = new CapturedIo({ TRACER_SERVICE_URL: service.url, TRACER_API_KEY: service.apiKey });
    expect(await run(['export', '--kind', 'planner'], io)).toBe(2);
    expect(io.err).toContain('Allowed choices are tool, retrieval, embedding, rerank, evaluator');
  });

  it('write a file that only its owner reads, and store it in another service, once', async () => {
    const file = path('whole.ndjson');
    const { lines, bytes, resumed } = await service.json('export', '--output', file);
    expect([lines, bytes, resumed]).toEqual([2 * TRACES, Buffer.byteLength(whole), false]);
    expect(await readFile(file, 'utf8')).toBe(whole);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const other = await startService();
    for (let times = 0; times < 2; times++) {
      const done = await other.json('import', file);
      expect(done).toEqual({ accepted: 2 * TRACES, rejected: 0, dropped: 0, rejections: [] });
    }
    expect((await other.run('export')).out).toBe(whole);
    await other.close();
  });

  it('go on with a file that was cut anywhere, so that it has the same bytes', async () => {
    const bytes = Buffer.byteLength(whole);
    for (const cut of [0, 10, bytes / 4, bytes / 2, bytes - 100, bytes - 1, bytes].map(Math.floor)) {
      const file = path(`cut-${cut}.ndjson`);
      await writeFile(file, whole);
      await truncate(file, cut);
      await service.json('export', '--output', file, '--resume');
      expect((await readFile(file, 'utf8')) === whole).toBe(true);
    }
    const fresh = path('fresh.ndjson');
    expect(await service.json('export', '--output', fresh, '--resume')).toMatchObject({ resumed: false });
    expect(await readFile(fresh, 'utf8')).toBe(whole);
  });

  it('keep the filters of a continued file', async () => {
    const file = path('filtered.ndjson');
    const filters = ['--key', 'key 1', '--since', '2026-01-31T12:00:02Z', '--where', 'session:s'];
    await service.json('export', '--output', file, ...filters);
    const text = await readFile(file, 'utf8');
    expect(text.match(/"trace_function_key":"[^"]+"/g)).toEqual(
      Array.from({ length: 3 }, () => '"trace_function_key":"key 1"'),
    );
    await truncate(file, Buffer.byteLength(text.split('\n').slice(0, 3).join('\n')));
    await service.json('export', '--output', file, '--resume');
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await service.run('export', '--where', 'sesion:s')).err).toContain(
      '--where: Unknown condition "sesion". Did you mean "session"?',
    );
    expect((await service.run('export', '--key', 'a', '--where', 'key:b')).err).toContain('Write it once.');
  });

  it('overwrite a file only on request', async () => {
    const file = path('there.ndjson');
    await writeFile(file, 'mine');
    const refused = await service.run('export', '--output', file);
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain('exists. Continue it with --resume');
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect((await service.run('export', '--output', file, '--force')).exitCode).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(whole);
    expect((await service.run('export', '--resume')).exitCode).toBe(2);
    expect((await service.run('export', '--output', path('none/file'))).err).toContain('CLI_FILE_UNWRITABLE');
  });

  it('go on after the process was killed, so that the file has the same bytes', async () => {
    const large = await startService();
    const headers = { 'api-key': large.apiKey, 'content-type': 'application/x-ndjson' };
    for (let second = 0; second < 8; second++) {
      const { span } = makeRecord(second);
      const body = JSON.stringify({ span: { ...span, span_data: { output: 'x'.repeat(3_000_000) } } });
      expect((await fetch(large.url + API.ingest.send.path, { method: 'POST', headers, body })).status).toBe(
        200,
      );
    }
    const file = path('killed.ndjson');
    const env = { ...process.env, TRACER_SERVICE_URL: large.url, TRACER_API_KEY: large.apiKey };
    const words = [join(__dirname, 'cli-process.cjs'), 'export', '--output', file];
    const child = spawn(process.execPath, words, { env, stdio: 'inherit' });
    const ended = once(child, 'exit');
    while (child.exitCode === null && (await readFileSize(file)) < 4_000_000) await timer(2);
    child.kill('SIGKILL');
    await ended;
    const cut = await readFileSize(file);
    await large.json('export', '--output', file, '--resume');
    const bytes = await readFile(file, 'utf8');
    expect(bytes === (await large.run('export')).out).toBe(true);
    expect(cut).toBeLessThanOrEqual(bytes.length);
    await large.close();
  });

  it('report an interrupted export, and keep the part that arrived', async () => {
    const [first = ''] = whole.split('\n');
    const server = createServer((_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/x-ndjson' });
      answer.write(`${first}\n{"sp`, () => answer.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = path('broken.ndjson');
    const io = new CapturedIo({ TRACER_API_KEY: service.apiKey });
    expect(await run(['export', '--output', file, '--url', url], io)).toBe(1);
    expect(io.err).toMatch(/^The export broke off after 1 lines .+--output .+ --resume \[CLI_EXPORT_CUT\]/);
    expect(await readFile(file, 'utf8')).toBe(`${first}\n{"sp`);
    await service.json('export', '--output', file, '--resume');
    expect(await readFile(file, 'utf8')).toBe(whole);
    server.close();
  });

  it('skip lines that are not records, and report them', async () => {
    const file = path('bad.ndjson');
    await writeFile(file, `${whole.split('\n').slice(0, 2).join('\n')}\nnone\n\n`);
    await appendFile(file, whole.split('\n').slice(2, 4).join('\n').slice(0, -5));
    const { exitCode, out, err } = await service.run('import', file, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      accepted: 3,
      rejected: 2,
      rejections: [
        { line: 3, detail: 'line 3: is not JSON' },
        { line: 6, detail: 'line 6: is not JSON' },
      ],
    });
    expect(err).toContain('CLI_LINES_REJECTED');
    expect((await service.run('import', path('none'))).err).toContain('CLI_PATH_UNREADABLE');
  });

  it('count records deleted in the service as dropped', async () => {
    const other = await startService();
    const file = path('dropped.ndjson');
    await writeFile(file, whole);
    await other.json('import', file);
    await other.json('delete', '--session', 's', '--yes');
    const { dropped } = await other.json('import', file);
    expect(dropped).toBeGreaterThan(0);
    expect((await other.run('export')).out).toBe('');
    await other.close();
  });
});
