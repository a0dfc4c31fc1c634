import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tracer } from '@dacapo/tracer';
import { type Account, openAccount } from './running-service.js';

describe('dacapo spool', () => {
  let service: Account;
  let dir: string;

  beforeEach(async () => {
    service = await openAccount();
    dir = mkdtempSync(join(tmpdir(), 'dacapo-cli-spool-'));
  });
  afterEach(async () => {
    rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
  });

  /** Three records that a process left which had a key that the service does not know. */
  async function leaveRecords(): Promise<void> {
    const tracer = new Tracer({
      apiKey: 'dcp_a-key-that-was-revoked-0123456789',
      serviceUrl: service.url,
      delivery: { spoolDir: dir },
      logger: { warn: () => undefined },
    });
    const answer = tracer.withSpan('answer', (question: number) => question);
    for (let question = 0; question < 3; question++) answer(question);
    await tracer.shutdown();
    expect(tracer.stats()).toMatchObject({ waiting: 3, spooled: 3 });
    const { pid } = spawnSync(process.execPath, ['--version']);
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    const lease = join(
      dir,
      files.find((file) => file.endsWith('owner.json'))!,
    );
    writeFileSync(lease, JSON.stringify({ ...JSON.parse(readFileSync(lease, 'utf8')), pid }));
  }

  async function folders(): Promise<{ id: string; files: number; left: number; key_hint?: string }[]> {
    const { exitCode, out } = await service.run('spool', 'list', '--dir', dir, '--json');
    expect(exitCode).toBe(0);
    return (JSON.parse(out) as { items: never[] }).items;
  }

  it('lists waiting records by service and part of the key', async () => {
    expect((await service.run('spool', 'list', '--dir', dir)).out).toContain('No records wait');
    await leaveRecords();
    expect(await folders()).toMatchObject([
      { files: 1, left: 1, key_hint: 'dcp_a-k…6789', service_url: service.url, bytes: expect.any(Number) },
    ]);
    const { out } = await service.run('spool', 'list', '--dir', dir);
    expect(out).toContain('dcp_a-k…6789');
    expect(out).not.toContain('revoked');
  });

  it('sends them with the given key', async () => {
    await leaveRecords();
    const [folder] = await folders();
    const sent = await service.run('spool', 'send', folder!.id.slice(0, 8), '--dir', dir);
    expect(sent).toMatchObject({ exitCode: 0, out: expect.stringContaining('Sent 3 records.') });
    expect(await folders()).toEqual([]);
  });

  /** Three records that a gateway refused, while it let others pass. */
  async function leaveQuarantined(): Promise<string> {
    await leaveRecords();
    const [folder] = await folders();
    const shared = join(dir, folder!.id);
    const owner = readdirSync(shared).find((name) => /^[0-9a-f]{16}$/.test(name))!;
    const [file] = readdirSync(join(shared, owner)).filter((name) => name.endsWith('.1.spool'));
    mkdirSync(join(shared, 'quarantine'));
    renameSync(
      join(shared, owner, file!),
      join(shared, 'quarantine', file!.replace('.1.spool', '.403.1.refused')),
    );
    return folder!.id;
  }

  it('lists the quarantine with reasons, and resends it on request', async () => {
    const id = await leaveQuarantined();
    expect(await folders()).toMatchObject([
      { id, files: 0, quarantined: { files: 1, reasons: { 403: 1 }, oldest_at: expect.any(String) } },
    ]);
    const { out } = await service.run('spool', 'list', '--dir', dir);
    expect(out).toContain('1 refused with 403 Forbidden');
    expect((await service.run('spool', 'send', id, '--dir', dir)).out).toContain('Sent 0 records.');
    const sent = await service.run('spool', 'send', id, '--dir', dir, '--quarantined');
    expect(sent).toMatchObject({ exitCode: 0, out: expect.stringContaining('Sent 3 records.') });
    expect(await folders()).toEqual([]);
  });

  it('deletes the quarantine on request, and nothing else', async () => {
    const id = await leaveQuarantined();
    expect((await service.run('spool', 'purge', id, '--dir', dir)).out).toBe(
      'Removed 0 records in 0 files.\n',
    );
    const purged = await service.run('spool', 'purge', id, '--dir', dir, '--quarantined', '--json');
    expect(JSON.parse(purged.out)).toEqual({ files: 1, records: 3 });
    expect(await folders()).toEqual([]);
  });

  it('keeps what the service rejects, and exits with 1', async () => {
    await leaveRecords();
    const [folder] = await folders();
    const { exitCode, err } = await service.run(
      'spool',
      'send',
      folder!.id,
      '--dir',
      dir,
      '--api-key',
      'wrong',
    );
    expect([exitCode, err]).toEqual([1, expect.stringContaining('[CLI_SPOOL_NOT_SENT]')]);
    expect((await folders()).reduce((files, folder) => files + folder.files, 0)).toBe(1);
  });

  it('removes it for good', async () => {
    await leaveRecords();
    const [folder] = await folders();
    const young = await service.run(
      'spool',
      'purge',
      folder!.id,
      '--dir',
      dir,
      '--older-than',
      '1',
      '--json',
    );
    expect(JSON.parse(young.out)).toEqual({ files: 0, records: 0 });
    expect((await service.run('spool', 'purge', folder!.id, '--dir', dir)).out).toBe(
      'Removed 3 records in 1 files.\n',
    );
    expect(await folders()).toEqual([]);
  });

  it('reports a missing folder', async () => {
    const { exitCode, err } = await service.run('spool', 'purge', 'abc', '--dir', dir);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('[CLI_SPOOL_FOLDER_NOT_FOUND]')]);
  });
});
