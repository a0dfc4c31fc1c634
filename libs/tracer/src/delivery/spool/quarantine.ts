import { mkdirSync, promises } from 'node:fs';
import { basename, join } from 'node:path';
import { newSpanId } from '@dacapo/protocol';
import { realEpochMs } from '../../context/clock.js';
import { removeFolder } from './orphans.js';
import { QUARANTINE } from './spool-folder.js';
import { fileAge, parseFrames, SPOOL_SUFFIX } from './spool-format.js';

const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes that may arrive before the folder is measured again. */
const MEASURE_EVERY_BYTES = MAX_BYTES / 16;
const REFUSED_FILE = /^([\w.-]{16,120})\.(\d{3})\.1\.refused$/;

/** A file in the quarantine folder of a service and key. */
export interface QuarantinedFile {
  readonly path: string;
  readonly bytes: number;
  /** When its oldest record was recorded. */
  readonly recordedAtMs: number;
  /** A batch that the service refuses; absent for what was damaged in the spool. */
  readonly refused?: { readonly batchId: string; readonly status: number };
}

/** Quarantined records that were deleted to keep the folder's bounds. */
export interface RemovedFromQuarantine {
  readonly records: number;
  readonly reason: 'quarantine_full' | 'spool_expired';
  /** Whether this thread put them there. */
  readonly isOwn: boolean;
}

export interface QuarantineParts {
  /** The folder of a service and key. */
  readonly shared: string;
  readonly maxAgeMs: number;
  readonly onRemoved: (removed: RemovedFromQuarantine) => void;
}

/**
 * Stores refused records and unreadable parts of spool files, for a person to decide on.
 *
 * A refused batch is a spool file with another name, which contains its id and the status of the answer: `<batch id>.403.1.refused`.
 */
export class Quarantine {
  private readonly folder: string;
  private readonly own = new Set<string>();
  private unmeasuredBytes = MEASURE_EVERY_BYTES;
  private keepingBounds: Promise<void> | undefined;

  constructor(private readonly parts: QuarantineParts) {
    this.folder = join(parts.shared, QUARANTINE);
  }

  /** Returns the path for a refused batch, and creates the folder. @throws errors of the file system */
  preparePath(batchId: string, status: number): string {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    return join(this.folder, `${batchId}.${status}.1.refused`);
  }

  /** Counts a file that was moved in. */
  onAdded(path: string, bytes: number): void {
    this.own.add(basename(path));
    this.unmeasuredBytes += bytes;
    if (this.unmeasuredBytes >= MEASURE_EVERY_BYTES) void this.keepBounds();
  }

  /** Stores the unreadable parts of a batch. Never rejects. */
  async keep(batchId: string, pieces: readonly Buffer[]): Promise<void> {
    await this.quietly(async () => {
      await promises.mkdir(this.folder, { recursive: true, mode: 0o700 });
      const path = join(this.folder, `${batchId}.damaged`);
      await promises.writeFile(path, Buffer.concat(pieces), { mode: 0o600 });
      await this.keepBounds();
    });
  }

  /** Moves an unreadable file out of the spool. Never rejects. */
  async moveIn(path: string): Promise<void> {
    await this.quietly(async () => {
      await promises.mkdir(this.folder, { recursive: true, mode: 0o700 });
      await promises.rename(path, join(this.folder, basename(path)));
    });
  }

  /** Deletes files that are too old, then the oldest ones beyond the limit. Never rejects. */
  keepBounds(): Promise<void> {
    this.unmeasuredBytes = 0;
    this.keepingBounds ??= this.quietly(async () => {
      const files = await quarantinedFiles(this.parts.shared);
      let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const file of files) {
        const isOld = realEpochMs() - file.recordedAtMs > this.parts.maxAgeMs;
        if (total <= MAX_BYTES && !isOld) continue;
        const records = await removeQuarantined(file);
        total -= file.bytes;
        const isOwn = this.own.delete(basename(file.path));
        if (records > 0)
          this.parts.onRemoved({ records, reason: isOld ? 'spool_expired' : 'quarantine_full', isOwn });
      }
    }).finally(() => (this.keepingBounds = undefined));
    return this.keepingBounds;
  }

  private async quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch {
      // The caller counts and reports missing records; a file that keeps them is optional.
    }
  }
}

/** Quarantined files, oldest first. Never rejects. */
export async function quarantinedFiles(shared: string): Promise<QuarantinedFile[]> {
  const folder = join(shared, QUARANTINE);
  const files: QuarantinedFile[] = [];
  for (const name of await promises.readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const stats = await promises.stat(path).catch(() => undefined);
    if (stats?.isFile() !== true) continue;
    const [, batchId, status] = REFUSED_FILE.exec(name) ?? [];
    const epochMs = realEpochMs();
    files.push({
      path,
      bytes: stats.size,
      recordedAtMs: epochMs - fileAge(name, stats.mtimeMs, epochMs),
      ...(batchId !== undefined && { refused: { batchId, status: Number(status) } }),
    });
  }
  return files.sort((a, b) => a.recordedAtMs - b.recordedAtMs);
}

/**
 * Deletes a file. Never rejects.
 *
 * @returns how many refused records it had; 0 for damaged ones, which were counted when they were found, and if another
 * process was faster
 */
export async function removeQuarantined({ path, refused }: QuarantinedFile): Promise<number> {
  try {
    const { records, damaged } = parseFrames(await promises.readFile(path));
    await promises.unlink(path);
    return refused === undefined ? 0 : records + damaged.length;
  } catch {
    return 0;
  }
}

/** Moves refused batches back to the spool, for the next process that sends files of ended ones. Never rejects. @returns how many */
export async function requeueQuarantined(shared: string): Promise<number> {
  const owner = join(shared, newSpanId());
  let requeued = 0;
  for (const { path, refused } of await quarantinedFiles(shared)) {
    if (refused === undefined) continue;
    try {
      await promises.mkdir(owner, { recursive: true, mode: 0o700 });
      await promises.rename(path, join(owner, `${refused.batchId}${SPOOL_SUFFIX}`));
      requeued++;
    } catch {
      // Another process was faster, or the folder cannot be written: then the file stays where it is.
    }
  }
  // Without a sign of life, the folder belongs to an ended process.
  await promises.utimes(owner, 0, 0).catch(() => undefined);
  await removeFolder(owner);
  return requeued;
}
