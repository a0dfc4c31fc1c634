import { createReadStream, promises } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '@dacapo/protocol';
import { realEpochMs } from '../../context/clock.js';
import { orphanedFiles, ownersIn, removeFolder } from './orphans.js';
import { quarantinedFiles, removeQuarantined } from './quarantine.js';
import { orphanedReports, parseTestRunId } from './report-files.js';
import { ABOUT, QUARANTINE } from './spool-folder.js';
import { fileAge, parseBatchId, parseFrames } from './spool-format.js';

const NEWLINE = 0x0a;

/** The spool files of one service and key. */
export interface SpoolFolderSummary {
  /** Its name. */
  readonly id: string;
  /** Absent if unknown. */
  readonly serviceUrl: string | undefined;
  /** The hint of the key, as `dacapo keys list` shows it; absent for short keys. */
  readonly keyHint: string | undefined;
  readonly files: number;
  readonly bytes: number;
  /** Test runs with item reports in the files. */
  readonly testRunIds: readonly string[];
  /** Creation time of the oldest file (last change for reports); absent without files. */
  readonly oldestAt: string | undefined;
  /** Of the files: those whose process has ended. The others are being sent, or will be. */
  readonly left: number;
  readonly quarantined: QuarantineSummary;
}

/** The quarantine of one service and key, which no other figure of the folder includes. */
interface QuarantineSummary {
  readonly files: number;
  readonly bytes: number;
  /** When the oldest record was recorded; absent without records. */
  readonly oldestAt: string | undefined;
  /** Number of files by reason: the status of the service's answer, or `damaged`. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** Number of removed records, including item reports of test runs. */
export interface Purged {
  readonly files: number;
  readonly records: number;
}

/** Lists the folders of all services and keys below `root`, without reading records. Never rejects. */
export async function listSpoolFolders(root: string): Promise<SpoolFolderSummary[]> {
  const names = await promises.readdir(root).catch(() => []);
  const summaries = await Promise.all(
    names.filter(isFolderName).map((name) => summarizeFolder(join(root, name), name)),
  );
  return summaries.filter(({ files, quarantined }) => files + quarantined.files > 0);
}

/** Removes files of ended processes that are at least `olderThanMs` old. Never rejects. */
export async function purgeSpoolFolder(root: string, id: string, olderThanMs = 0): Promise<Purged> {
  let { files, records } = await purgeReports(root, id, olderThanMs);
  const owners = new Set<string>();
  for await (const { path, owner, batchId } of orphanedFiles(join(root, id))) {
    try {
      const { mtimeMs } = await promises.stat(path);
      if (olderThanMs > 0 && fileAge(batchId, mtimeMs, realEpochMs()) < olderThanMs) continue;
      const parsed = parseFrames(await promises.readFile(path));
      await promises.unlink(path);
      owners.add(owner);
      files++;
      records += parsed.records + parsed.damaged.length;
    } catch {
      // Another process was faster, or the file cannot be read: then it stays.
    }
  }
  for (const owner of owners) await removeFolder(owner);
  return { files, records };
}

/** Deletes quarantined records that are at least `olderThanMs` old. Never rejects. */
export async function purgeQuarantine(root: string, id: string, olderThanMs = 0): Promise<Purged> {
  const purged = { files: 0, records: 0 };
  for (const file of await quarantinedFiles(join(root, id))) {
    if (realEpochMs() - file.recordedAtMs < olderThanMs) continue;
    purged.files++;
    purged.records += await removeQuarantined(file);
  }
  await removeFolder(join(root, id, QUARANTINE));
  return purged;
}

/** The report files of test runs among these files, last changed at least `olderThanMs` ago. Never rejects. */
export async function purgeReports(root: string, id: string, olderThanMs = 0): Promise<Purged> {
  let files = 0;
  let records = 0;
  for await (const { path, owner } of orphanedReports(join(root, id))) {
    try {
      const { mtimeMs } = await promises.stat(path);
      if (olderThanMs > 0 && realEpochMs() - mtimeMs < olderThanMs) continue;
      const reports = await countLines(path);
      await promises.unlink(path);
      files++;
      records += reports;
      await removeFolder(owner);
    } catch {
      // As above.
    }
  }
  return { files, records };
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path))
    for (const byte of chunk as Buffer) if (byte === NEWLINE) lines++;
  return lines;
}

/** Whether it is the name of a folder for one service and key. */
export function isFolderName(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name);
}

async function summarizeFolder(path: string, id: string): Promise<SpoolFolderSummary> {
  const about = await promises.readFile(join(path, ABOUT), 'utf8').catch(() => '{}');
  const { serviceUrl, keyHint } = parseAbout(about);
  let files = 0;
  let bytes = 0;
  let oldestAtMs = Infinity;
  const testRunIds = new Set<string>();
  for (const owner of await ownersIn(path)) {
    for (const name of await promises.readdir(owner).catch(() => [])) {
      const batchId = parseBatchId(name);
      const testRunId = parseTestRunId(name);
      if (batchId === undefined && testRunId === undefined) continue;
      const stats = await promises.stat(join(owner, name)).catch(() => undefined);
      if (stats === undefined) continue;
      files++;
      bytes += stats.size;
      if (testRunId !== undefined) testRunIds.add(testRunId);
      const ageMs = fileAge(batchId ?? '', stats.mtimeMs, realEpochMs());
      oldestAtMs = Math.min(oldestAtMs, batchId === undefined ? stats.mtimeMs : realEpochMs() - ageMs);
    }
  }
  const left = (await countFiles(orphanedFiles(path))) + (await countFiles(orphanedReports(path)));
  const oldestAt = files === 0 ? undefined : new Date(oldestAtMs).toISOString();
  const quarantined = await quarantineSummary(path);
  return { id, serviceUrl, keyHint, files, bytes, testRunIds: [...testRunIds], oldestAt, left, quarantined };
}

async function quarantineSummary(path: string): Promise<QuarantineSummary> {
  const files = await quarantinedFiles(path);
  const reasons: Record<string, number> = {};
  for (const { refused } of files) {
    const reason = refused === undefined ? 'damaged' : `${refused.status}`;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return {
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    oldestAt: files[0] && new Date(files[0].recordedAtMs).toISOString(),
    reasons,
  };
}

async function countFiles(files: AsyncGenerator): Promise<number> {
  let count = 0;
  while ((await files.next()).done !== true) count++;
  return count;
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
