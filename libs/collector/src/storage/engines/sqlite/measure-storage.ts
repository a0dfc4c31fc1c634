import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StorageFigures } from '../../ports/storage-figures.js';
import type { Connection } from './connection.js';
import type { ReaderPool } from './reader-pool.js';

/** Each count uses an index or has few rows. */
const COUNTS = `SELECT
  (SELECT coalesce(max(change_no) - min(change_no) + 1, 0) FROM changed_traces) AS batches,
  (SELECT coalesce(sum(last_span - first_span + 1), 0) FROM text_queue) AS texts,
  (SELECT coalesce(sum(size), 0) FROM media WHERE bytes IS NOT NULL) AS media,
  (SELECT count(*) FROM deletions WHERE rank > 0) AS deletions,
  (SELECT count(*) FROM browser_sessions WHERE expires_us > ?) AS sessions`;

/** @throws StorageError if it cannot be read */
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
    readFileSize(databasePath),
    readFileSize(`${databasePath}-wal`),
    statfs(dirname(databasePath)),
    readers[0]?.all<Record<'batches' | 'texts' | 'media' | 'deletions' | 'sessions', number>>(COUNTS, [
      nowUs,
    ]),
  ]);
  return {
    ...waiting,
    databaseBytes,
    walBytes,
    mediaBytes: counts?.[0]?.media ?? 0,
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

/** 0 for a missing file. */
async function readFileSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
