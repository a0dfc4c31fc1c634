import { promises } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '@dacapo/protocol';
import { orphanedFiles, ownersIn, removeFolder } from './orphans.js';
import { ABOUT } from './spool-folder.js';
import { ageOfBatch, batchIdOf, parseFrames } from './spool-format.js';

/** What waits in the files of one service and key. */
export interface SpoolFolderSummary {
  /** Its name. */
  readonly id: string;
  /** Absent when nothing in the folder says so. */
  readonly serviceUrl: string | undefined;
  /** Enough of the key to know it by, as `dacapo keys list` shows it; absent for short keys. */
  readonly keyHint: string | undefined;
  readonly files: number;
  readonly bytes: number;
  /** When the oldest file was begun; absent when there is none. */
  readonly oldestAt: string | undefined;
  /** Of the files: those whose process has ended. The others are being sent, or will be. */
  readonly left: number;
}

/** Records taken away. */
export interface Purged {
  readonly files: number;
  readonly records: number;
}

/** The folders of all services and keys below `root`. Reads no record. Never rejects. */
export async function listSpoolFolders(root: string): Promise<SpoolFolderSummary[]> {
  const names = await promises.readdir(root).catch(() => []);
  const summaries = await Promise.all(
    names.filter(isFolderName).map((name) => summaryOf(join(root, name), name)),
  );
  return summaries.filter(({ files }) => files > 0);
}

/** Removes files whose process has ended, begun at least `olderThanMs` ago. Never rejects. */
export async function purgeSpoolFolder(root: string, id: string, olderThanMs = 0): Promise<Purged> {
  const owners = new Set<string>();
  let files = 0;
  let records = 0;
  for await (const { path, owner, batchId } of orphanedFiles(join(root, id))) {
    if (olderThanMs > 0 && ageOfBatch(batchId, Date.now()) < olderThanMs) continue;
    try {
      const parsed = parseFrames(await promises.readFile(path));
      await promises.unlink(path);
      owners.add(owner);
      files++;
      records += parsed.records + parsed.damaged.length;
    } catch {
      // Another process was faster, or it cannot be read: then it stays where it is.
    }
  }
  for (const owner of owners) await removeFolder(owner);
  return { files, records };
}

/** Whether it is the name of a folder for one service and key. */
export function isFolderName(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name);
}

async function summaryOf(path: string, id: string): Promise<SpoolFolderSummary> {
  const about = await promises.readFile(join(path, ABOUT), 'utf8').catch(() => '{}');
  const { serviceUrl, keyHint } = parseAbout(about);
  let files = 0;
  let bytes = 0;
  let oldestAtMs = Infinity;
  for (const owner of await ownersIn(path)) {
    for (const name of await promises.readdir(owner).catch(() => [])) {
      const batchId = batchIdOf(name);
      const stats = batchId && (await promises.stat(join(owner, name)).catch(() => undefined));
      if (!batchId || !stats) continue;
      files++;
      bytes += stats.size;
      oldestAtMs = Math.min(oldestAtMs, Date.now() - ageOfBatch(batchId, Date.now()));
    }
  }
  const orphaned = orphanedFiles(path);
  let left = 0;
  while ((await orphaned.next()).done !== true) left++;
  const oldestAt = files === 0 ? undefined : new Date(oldestAtMs).toISOString();
  return { id, serviceUrl, keyHint, files, bytes, oldestAt, left };
}

function parseAbout(text: string): Pick<SpoolFolderSummary, 'serviceUrl' | 'keyHint'> {
  let about: unknown;
  try {
    about = JSON.parse(text);
  } catch {
    about = undefined;
  }
  const textAt = (name: string): string | undefined => {
    const value = isJsonObject(about) ? about[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return { serviceUrl: textAt('service_url'), keyHint: textAt('key_hint') };
}
