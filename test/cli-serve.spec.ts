import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { removeFolder } from './support/remove-folder.js';

const DACAPO = join(__dirname, '../libs/cli/bin/dacapo.cjs');

interface Serving {
  readonly process: ChildProcess;
  readonly ready: { url: string; apiKey: string; dashboardUrl: string };
}

describe('A running `dacapo serve`', () => {
  let folder: string;
  let serving: Serving;

  async function serve(): Promise<Serving> {
    const child = spawn(
      process.execPath,
      [DACAPO, 'serve', '--json', '--port', '0', '--data-dir', join(folder, 'data')],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = await once(createInterface(child.stdout), 'line');
    return { process: child, ready: JSON.parse(line) };
  }

  async function stop(signal: NodeJS.Signals): Promise<unknown> {
    const exited = once(serving.process, 'exit');
    serving.process.kill(signal);
    return exited;
  }

  async function dacapo(...argv: string[]) {
    const env = {
      ...process.env,
      TRACER_SERVICE_URL: serving.ready.url,
      TRACER_API_KEY: serving.ready.apiKey,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [DACAPO, ...argv, '--json'], { env });
    return JSON.parse(stdout);
  }

  async function listIndexes(headers: Record<string, string>) {
    const response = await fetch(`${serving.ready.url}/api/v1/developer/list-indexes`, { headers });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  const refused = (status: number, detail: string) => ({ status, body: { detail, status_code: status } });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-cli-serve-'));
    serving = await serve();
    await writeFile(join(folder, 'refunds.md'), '# Refunds\n\nA refund takes five working days.\n');
  });
  afterAll(async () => {
    if (serving.process.exitCode === null) await stop('SIGKILL');
    await removeFolder(folder);
  });

  it('SPEC 4.1 rule 1: lists every indexed service with its name, index_id and type', async () => {
    const help = await dacapo(
      'indexes',
      'add',
      join(folder, 'refunds.md'),
      '--name',
      'Help',
      '--type',
      'API',
    );
    const more = await dacapo(
      'indexes',
      'add',
      join(folder, 'refunds.md'),
      '--name',
      'More',
      '--type',
      'SDK',
    );
    const { status, body } = await listIndexes({ 'API-Key': serving.ready.apiKey });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      error: null,
      data: {
        indexes: expect.arrayContaining([
          { name: 'Help', index_id: help.index_id, type: 'API' },
          { name: 'More', index_id: more.index_id, type: 'SDK' },
        ]),
      },
    });
    expect(body.data.indexes).toHaveLength(2);
  });

  it('SPEC 4.1 rule 2: accepts the listed index_id in get-context', async () => {
    const { body } = await listIndexes({ 'API-Key': serving.ready.apiKey });
    const response = await fetch(`${serving.ready.url}/api/v1/developer/get-context`, {
      method: 'POST',
      headers: { 'API-Key': serving.ready.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ index_id: body.data.indexes[0].index_id, query: 'refund', limit: 1 }),
    });
    expect(await response.json()).toMatchObject({
      ok: true,
      error: null,
      data: { results: [{ title: 'Refunds' }] },
    });
  });

  it('SPEC 7: answers 401 "API key missing" without the header', async () => {
    expect(await listIndexes({})).toEqual(refused(401, 'API key missing'));
  });

  it('SPEC 7: answers 401 "Invalid API key" for an unknown key', async () => {
    expect(await listIndexes({ 'API-Key': 'wrong' })).toEqual(refused(401, 'Invalid API key'));
  });

  it('is checked by `dacapo doctor` with a span', async () => {
    expect(await dacapo('doctor')).toMatchObject({ ok: true });
  });

  it('keeps all data after a restart, and does not print the key again', async () => {
    const { apiKey } = serving.ready;
    expect(await stop('SIGTERM')).toEqual([0, null]);
    serving = await serve();
    expect(serving.ready).toEqual({ url: expect.any(String), dashboardUrl: expect.any(String) });
    expect((await listIndexes({ 'API-Key': apiKey })).body.data.indexes).toHaveLength(2);
    serving.ready.apiKey = apiKey;
  });

  it('SPEC 7: answers 404 "User account not found" for the key of a deleted account', async () => {
    const headers = { 'API-Key': serving.ready.apiKey };
    const account = `${serving.ready.url}/api/v1/account`;
    const { id } = (await (await fetch(account, { headers })).json()) as { id: string };
    expect((await fetch(account, { method: 'DELETE', headers })).status).toBe(204);
    expect(await listIndexes(headers)).toEqual(
      refused(404, `User account not found for user_account_id ${id}`),
    );
  });

  it('exits with 0 on Ctrl+C', async () => {
    expect(await stop('SIGINT')).toEqual([0, null]);
  });
});
