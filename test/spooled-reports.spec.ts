import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestRunRecord } from '@dacapo/protocol';
import { type DacapoServe, startDacapoServe } from './processes/dacapo-serve.js';
import { ROOT, runProgram } from './processes/program.js';
import { removeFolder } from './support/remove-folder.js';

const PROGRAM = 'test/spooled-reports/replay-away.mjs';

interface Played {
  readonly testRunId: string;
  readonly status: string;
  readonly totals: { readonly missing: number; readonly unstored: number };
  readonly played: number;
}

interface Folder {
  readonly id: string;
  readonly test_run_ids: string[];
}

describe('reports that a replay could not send', () => {
  let service: DacapoServe;
  let way: Server;
  let isAway: boolean;
  let spoolDir: string;
  let run: Played;

  /** Runs the command with --json. */
  const dacapo = async <T>(...args: string[]): Promise<T> => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(ROOT, 'libs/cli/bin/dacapo.cjs'), ...args, '--json'],
      { env: { ...process.env, ...service.env } },
    );
    return JSON.parse(stdout) as T;
  };
  const folders = async (): Promise<Folder[]> =>
    (await dacapo<{ items: Folder[] }>('spool', 'list', '--dir', spoolDir)).items;
  const play = (env: Record<string, string> = {}): Promise<Played> => {
    const { port } = way.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    return runProgram(PROGRAM, {
      ...service.env,
      TRACER_SERVICE_URL: url,
      SPOOL_DIR: spoolDir,
      ...env,
    }) as Promise<Played>;
  };
  const countItems = async ({ testRunId }: Played): Promise<number> =>
    (await service.get<TestRunRecord>(`/test-runs/${testRunId}`)).totals.items;

  beforeAll(async () => {
    service = await startDacapoServe();
    // Only the reports of items fail.
    way = createServer((incoming, answer) => {
      const { method, url = '', headers } = incoming;
      if (isAway && method === 'POST' && /\/(items|finish)$/.test(url)) {
        incoming.socket.destroy();
        return;
      }
      const onward = request(`${service.url}${url}`, { ...(method && { method }), headers }, (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(answer);
      });
      incoming.pipe(onward);
    }).listen(0, '127.0.0.1');
  });

  afterAll(async () => {
    way.closeAllConnections();
    way.close();
    await service.close();
  });

  beforeEach(async () => {
    spoolDir = await mkdtemp(join(tmpdir(), 'dacapo-reports-'));
    isAway = true;
    run = await play();
    isAway = false;
  });

  afterEach(() => removeFolder(spoolDir));

  it('wait in a file that names the service, a part of the key, and the run', async () => {
    expect(run).toMatchObject({ status: 'interrupted', played: 20, totals: { missing: 0, unstored: 20 } });
    const { apiKey } = service;
    expect(await folders()).toMatchObject([
      {
        files: 1,
        left: 1,
        test_run_ids: [run.testRunId],
        key_hint: `${apiKey.slice(0, 7)}…${apiKey.slice(-4)}`,
        service_url: expect.stringContaining('http://127.0.0.1:'),
      },
    ]);
    for (const entry of await readdir(spoolDir, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        expect(await readFile(join(entry.parentPath, entry.name), 'utf8')).not.toContain(apiKey);
  });

  it('are sent by `dacapo spool send`, and the resumed run replays none of them again', async () => {
    const [folder] = await folders();
    expect(await dacapo('spool', 'send', folder!.id, '--dir', spoolDir)).toMatchObject({
      reports: { test_runs: 1, delivered: 20, refused: [] },
    });
    expect(await countItems(run)).toBe(20);
    expect(await folders()).toEqual([]);
    expect(await play({ RESUME: run.testRunId })).toMatchObject({ status: 'finished', played: 0 });
  });

  it('are sent by the run that resumes theirs, but with another key only by hand', async () => {
    const create = ['keys', 'create', '--name', 'another', '--scope', 'replay'];
    const { api_key: key } = await dacapo<{ api_key: string }>(...create);
    expect(await play({ TRACER_API_KEY: key })).toMatchObject({ status: 'finished' });
    expect(await countItems(run)).toBe(0);
    expect(await folders()).toMatchObject([{ test_run_ids: [run.testRunId] }]);
    expect(await play({ RESUME: run.testRunId })).toMatchObject({ status: 'finished', played: 0 });
    expect(await countItems(run)).toBe(20);
    expect(await folders()).toEqual([]);
  });

  it('stay stored under the given key when the service refuses it', async () => {
    const [folder] = await folders();
    const sent = dacapo(
      'spool',
      'send',
      folder!.id,
      '--dir',
      spoolDir,
      '--api-key',
      'dcp_no-key-of-the-service-0123',
    );
    await expect(sent).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CLI_SPOOL_NOT_SENT'),
    });
    expect(await folders()).toMatchObject([{ test_run_ids: [run.testRunId], key_hint: 'dcp_no-…0123' }]);
  });

  it('are removed by `dacapo spool purge`, or only the old ones', async () => {
    const [folder] = await folders();
    const purge = ['spool', 'purge', folder!.id, '--dir', spoolDir];
    expect(await dacapo(...purge, '--older-than', '1')).toEqual({ files: 0, records: 0 });
    expect(await dacapo(...purge)).toEqual({ files: 1, records: 20 });
    expect(await folders()).toEqual([]);
    expect(await play({ RESUME: run.testRunId })).toMatchObject({ status: 'finished', played: 20 });
  });
});
