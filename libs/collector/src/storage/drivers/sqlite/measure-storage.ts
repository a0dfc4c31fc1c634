import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StorageFigures } from '../../storage-figures.js';
import type { Connection } from './connection.js';
import type { ReaderPool } from './reader-pool.js';

/** Each by an index, or of few rows. */
const COUNTS = `SELECT
  (SELECT coalesce(max(change_no) - min(change_no) + 1, 0) FROM changed_traces) AS batches,
  (SELECT max(0, coalesce((SELECT max(span_no) FROM spans), 0) - upto - deleted_behind) FROM text_index) AS texts,
  (SELECT count(*) FROM deletions WHERE rank > 0) AS deletions,
  (SELECT count(*) FROM browser_sessions WHERE expires_us > ?) AS sessions`;

/** @throws StorageError when it cannot be read */
export async function measureStorage(
  databasePath: string,
  writer: Connection,
  readers: readonly ReaderPool[],
  nowUs: number,
): Promise<StorageFigures> {
  const waiting = {
    writesWaiting: writer.pending,
    readers: sum(readers, ({ size }) => size),
    readersBusy: sum(readers, ({ busy }) => busy),
    readsWaiting: sum(readers, ({ queued }) => queued),
  };
  const [databaseBytes, walBytes, disk, counts] = await Promise.all([
    sizeOf(databasePath),
    sizeOf(`${databasePath}-wal`),
    statfs(dirname(databasePath)),
    readers[0]?.all<{ batches: number; texts: number; deletions: number; sessions: number }>(COUNTS, [nowUs]),
  ]);
  return {
    ...waiting,
    databaseBytes,
    walBytes,
    freeDiskBytes: disk.bavail * disk.bsize,
    rollupBatchesWaiting: counts?.[0]?.batches ?? 0,
    textSpansWaiting: counts?.[0]?.texts ?? 0,
    deletionsOpen: counts?.[0]?.deletions ?? 0,
    browserSessions: counts?.[0]?.sessions ?? 0,
  };
}

function sum(readers: readonly ReaderPool[], of: (reader: ReaderPool) => number): number {
  return readers.reduce((total, reader) => total + of(reader), 0);
}

/** 0 of a file that is not there. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
