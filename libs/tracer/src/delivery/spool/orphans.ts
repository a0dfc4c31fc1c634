import { promises } from 'node:fs';
import { join } from 'node:path';
import { realEpochMs } from '../../context/clock.js';
import { setTimeout } from '../timers.js';
import { findProcessState, parseIdentity } from './process-identity.js';
import { LEASE, type SpoolFolder } from './spool-folder.js';
import { fileAge, parseBatchId, SPOOL_SUFFIX } from './spool-format.js';

/** A file that was moved to the folder of this thread. */
export interface AdoptedFile {
  readonly batchId: string;
  readonly path: string;
  readonly bytes: number;
  /** How long ago its records were recorded. */
  readonly ageMs: number;
}

/** A spool file whose process has ended. */
export interface OrphanedFile {
  readonly batchId: string;
  readonly path: string;
  /** The folder of the process that wrote it. */
  readonly owner: string;
  /** Whether another file also has these records: the process ended while it halved a batch, which the next process halves again. */
  readonly isPart: boolean;
}

const OWNER = /^[0-9a-f]{16}$/;
/** If an owner's end cannot be detected: a folder that was not touched for this long. Owners touch theirs each minute. */
const STALE_MS = 5 * 60_000;
/** Number of files whose sizes are read at once; the process may end before the next round. */
const FILES_A_TURN = 100;
/** A folder without a lease is about to get one, or its owner released it. */
const NO_LEASE_MS = 30_000;

/** Finds spool files of ended owners. If several processes search at once, each file goes to one of them. */
export class Orphans {
  /** @param others folders of other keys whose files are sent too */
  constructor(
    private readonly folder: SpoolFolder,
    private readonly others: readonly string[] = [],
    private readonly epochMs: () => number = realEpochMs,
  ) {}

  /** Moves files of ended owners to its own folder, at most `max`. Never rejects. */
  async adopt(max: number): Promise<AdoptedFile[]> {
    const adopted: AdoptedFile[] = [];
    const emptied = new Set<string>();
    for (const shared of [this.folder.shared, ...this.others]) {
      for await (const file of orphanedFiles(shared, this.epochMs, this.folder.own)) {
        if (adopted.length >= max) break;
        emptied.add(file.owner);
        if (file.isPart) await promises.unlink(file.path).catch(() => undefined);
        else await this.moveIn(file, adopted);
      }
    }
    for (const owner of emptied) await removeFolder(owner);
    return adopted;
  }

  /** Size of the spool files of all other owners. Never rejects, and does not keep the process alive. */
  async othersBytes(): Promise<number> {
    let total = 0;
    let files = 0;
    for (const path of await ownersIn(this.folder.shared)) {
      if (path === this.folder.own) continue;
      for (const name of await namesIn(path)) {
        if (name === LEASE) continue;
        const stats = await promises.stat(join(path, name)).catch(() => undefined);
        total += stats?.size ?? 0;
        if (++files % FILES_A_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 1).unref());
      }
    }
    return total;
  }

  private async moveIn({ batchId, path: from }: OrphanedFile, adopted: AdoptedFile[]): Promise<void> {
    try {
      this.folder.ensure();
      const path = this.folder.toPath(batchId);
      await promises.rename(from, path);
      const { size, mtimeMs } = await promises.stat(path);
      adopted.push({ batchId, path, bytes: size, ageMs: fileAge(batchId, mtimeMs, this.epochMs()) });
    } catch {
      // Another process was faster, or this folder cannot be written: then the file stays where it is.
    }
  }
}

/** The folders of processes in the folder of one service and key. Never rejects. */
export async function ownersIn(shared: string): Promise<string[]> {
  return (await namesIn(shared)).filter((name) => OWNER.test(name)).map((name) => join(shared, name));
}

/** Files of ended owners, for each owner from the oldest. Never throws. */
export async function* orphanedFiles(
  shared: string,
  epochMs: () => number = realEpochMs,
  except?: string,
): AsyncGenerator<OrphanedFile> {
  for await (const { owner, names } of orphanedFolders(shared, epochMs, except)) {
    const ids = names.map(parseBatchId).filter((id) => id !== undefined);
    if (ids.length === 0) await removeFolder(owner);
    const all = new Set(ids);
    for (const batchId of ids) {
      const path = join(owner, `${batchId}${SPOOL_SUFFIX}`);
      yield { batchId, path, owner, isPart: isBatchPart(all, batchId) };
    }
  }
}

function isBatchPart(wholes: ReadonlySet<string>, batchId: string): boolean {
  for (let end = batchId.lastIndexOf('.'); end !== -1; end = batchId.lastIndexOf('.', end - 1))
    if (wholes.has(batchId.slice(0, end))) return true;
  return false;
}

/** Folders of ended owners with their sorted file names. Never throws. */
export async function* orphanedFolders(
  shared: string,
  epochMs: () => number = realEpochMs,
  except?: string,
): AsyncGenerator<{ readonly owner: string; readonly names: readonly string[] }> {
  for (const owner of await ownersIn(shared)) {
    if (owner === except || !(await isOrphaned(owner, epochMs()))) continue;
    yield { owner, names: (await namesIn(owner)).sort() };
  }
}

async function isOrphaned(owner: string, epochMs: number): Promise<boolean> {
  try {
    const idleMs = epochMs - (await promises.stat(owner)).mtimeMs;
    const lease = await promises.readFile(join(owner, LEASE), 'utf8').catch(() => '');
    const identity = parseIdentity(lease);
    if (identity === undefined) return idleMs > NO_LEASE_MS;
    const life = findProcessState(identity);
    return life === 'dead' || (life === 'unknown' && idleMs > STALE_MS);
  } catch {
    return false;
  }
}

/** Removes the folder of an owner if it has no files. Never rejects. */
export async function removeFolder(owner: string): Promise<void> {
  try {
    const rest = (await promises.readdir(owner)).filter((name) => name !== LEASE);
    if (rest.length > 0) return;
    await promises.unlink(join(owner, LEASE)).catch(() => undefined);
    await promises.rmdir(owner);
  } catch {
    // Another process is working on it.
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return promises.readdir(folder).catch(() => []);
}
