import { promises } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from '../timers.js';
import { lifeOf, parseIdentity } from './process-identity.js';
import { LEASE, type SpoolFolder } from './spool-folder.js';
import { batchIdOf } from './spool-format.js';

/** A file that was moved into the folder of this thread. */
export interface AdoptedFile {
  readonly batchId: string;
  readonly path: string;
  readonly bytes: number;
}

const OWNER = /^[0-9a-f]{16}$/;
/** Where an owner's end cannot be told: a folder that was not touched for this long. Owners touch theirs each minute. */
const STALE_MS = 5 * 60_000;
/** The size of so many files is found in one go; the process may end before the next. */
const FILES_A_TURN = 100;
/** A folder without a lease is about to get one, or its owner gave it up. */
const NO_LEASE_MS = 30_000;

/** Finds spool files whose owner has ended. Of several processes that look at once, each file goes to one. */
export class Orphans {
  constructor(
    private readonly folder: SpoolFolder,
    private readonly epochMs: () => number = Date.now,
  ) {}

  /** Moves files of dead owners to the own folder, at most `max`. Never rejects. */
  async adopt(max: number): Promise<AdoptedFile[]> {
    const adopted: AdoptedFile[] = [];
    for (const name of await namesIn(this.folder.shared)) {
      const path = join(this.folder.shared, name);
      if (adopted.length >= max) break;
      if (!OWNER.test(name) || path === this.folder.own || !(await this.isOrphaned(path))) continue;
      await this.moveFiles(path, max, adopted);
    }
    return adopted;
  }

  /** Size of the spool files of all others. Never rejects; where they are many, no process is kept alive for it. */
  async othersBytes(): Promise<number> {
    let total = 0;
    let files = 0;
    for (const owner of await namesIn(this.folder.shared)) {
      const path = join(this.folder.shared, owner);
      if (!OWNER.test(owner) || path === this.folder.own) continue;
      for (const name of await namesIn(path)) {
        if (name === LEASE) continue;
        total += await sizeOf(join(path, name));
        if (++files % FILES_A_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 1).unref());
      }
    }
    return total;
  }

  private async isOrphaned(path: string): Promise<boolean> {
    try {
      const idleMs = this.epochMs() - (await promises.stat(path)).mtimeMs;
      const lease = await promises.readFile(join(path, LEASE), 'utf8').catch(() => '');
      const identity = parseIdentity(lease);
      if (identity === undefined) return idleMs > NO_LEASE_MS;
      const life = lifeOf(identity);
      return life === 'dead' || (life === 'unknown' && idleMs > STALE_MS);
    } catch {
      return false;
    }
  }

  private async moveFiles(from: string, max: number, adopted: AdoptedFile[]): Promise<void> {
    for (const name of (await namesIn(from)).sort()) {
      const batchId = batchIdOf(name);
      if (adopted.length >= max) return;
      if (batchId === undefined) continue;
      const path = join(this.folder.own, name);
      try {
        this.folder.ensure();
        await promises.rename(join(from, name), path);
        adopted.push({ batchId, path, bytes: await sizeOf(path) });
      } catch {
        // Another process was faster, or this folder cannot be written: then the file stays where it is.
      }
    }
    await removeFolder(from);
  }
}

async function removeFolder(path: string): Promise<void> {
  try {
    const rest = (await promises.readdir(path)).filter((name) => name !== LEASE);
    if (rest.length > 0) return;
    await promises.unlink(join(path, LEASE)).catch(() => undefined);
    await promises.rmdir(path);
  } catch {
    // Someone else is at it.
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return promises.readdir(folder).catch(() => []);
}

async function sizeOf(path: string): Promise<number> {
  return promises.stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
