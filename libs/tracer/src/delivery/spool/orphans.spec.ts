import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Orphans } from './orphans.js';
import { ownIdentity } from './process-identity.js';
import { ABOUT, LEASE, SpoolFolder } from './spool-folder.js';

const BATCH = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('Orphaned spool files', () => {
  let root: string;
  let folder: SpoolFolder;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'dacapo-orphans-'));
    folder = SpoolFolder.of(root, 'http://service', 'key', () => undefined);
    folder.ensure();
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function leaveFile(lease: object | undefined, idleMinutes: number, name = `${BATCH}.1.spool`): void {
    const owner = join(folder.shared, 'aaaaaaaaaaaaaaaa');
    mkdirSync(owner, { recursive: true });
    writeFileSync(join(owner, name), 'text');
    if (lease !== undefined) writeFileSync(join(owner, LEASE), JSON.stringify(lease));
    const then = new Date(Date.now() - idleMinutes * 60_000);
    utimesSync(owner, then, then);
  }

  const adopted = async () => (await new Orphans(folder).adopt(10)).map(({ batchId }) => batchId);

  it('of a dead process are adopted, and its folder is removed', async () => {
    leaveFile({ ...ownIdentity(), startedAt: '1' }, 0);
    expect(await adopted()).toEqual([BATCH]);
    expect(readdirSync(folder.shared).sort()).toEqual([folder.own.slice(-16), ABOUT].sort());
    expect(readdirSync(folder.own).sort()).toEqual([`${BATCH}.1.spool`, LEASE]);
  });

  it('of a process on another machine are adopted after five minutes without a sign of life', async () => {
    leaveFile({ ...ownIdentity(), space: 'elsewhere' }, 4);
    expect(await adopted()).toEqual([]);
    leaveFile({ ...ownIdentity(), space: 'elsewhere' }, 6);
    expect(await adopted()).toEqual([BATCH]);
  });

  it('of a living process never are', async () => {
    leaveFile(ownIdentity(), 600);
    expect(await adopted()).toEqual([]);
  });

  it('without a lease are adopted after half a minute', async () => {
    leaveFile(undefined, 0);
    expect(await adopted()).toEqual([]);
    leaveFile(undefined, 1);
    expect(await adopted()).toEqual([BATCH]);
  });

  it('of another version of the format stay where they are', async () => {
    leaveFile({ ...ownIdentity(), startedAt: '1' }, 0, `${BATCH}.2.spool`);
    expect(await adopted()).toEqual([]);
    expect(readdirSync(join(folder.shared, 'aaaaaaaaaaaaaaaa'))).toContain(`${BATCH}.2.spool`);
  });

  it('go to one of two processes that look at the same time', async () => {
    leaveFile({ ...ownIdentity(), startedAt: '1' }, 0);
    const other = SpoolFolder.of(root, 'http://service', 'key', () => undefined);
    other.ensure();
    const found = await Promise.all([folder, other].map((one) => new Orphans(one).adopt(10)));
    expect(found.flat()).toHaveLength(1);
  });

  it('are adopted from a folder that was opened to a group, which becomes private again', async () => {
    leaveFile({ ...ownIdentity(), startedAt: '1' }, 0);
    chmodSync(folder.shared, 0o2770);
    const next = SpoolFolder.of(root, 'http://service', 'key', () => undefined);
    expect(await new Orphans(next).adopt(10)).toHaveLength(1);
    expect(statSync(folder.shared).mode & 0o777).toBe(0o700);
  });

  it('of others are measured, however many there are', async () => {
    for (let n = 0; n < 250; n++) leaveFile(ownIdentity(), 0, `${BATCH}.${n}.1.spool`);
    expect(await new Orphans(folder).othersBytes()).toBe(4 * 250);
  });

  it('of another service or key are out of sight', async () => {
    leaveFile({ ...ownIdentity(), startedAt: '1' }, 0);
    const other = SpoolFolder.of(root, 'http://service', 'other key', () => undefined);
    expect(await new Orphans(other).adopt(10)).toEqual([]);
  });
});
