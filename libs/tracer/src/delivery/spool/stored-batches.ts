import { Batch } from '../batching/batch.js';
import { splitLines, readRecordId } from '../batching/line-buffer.js';
import type { DropLog } from '../drop-log.js';
import { hasCode } from '../errors.js';
import type { Orphans } from './orphans.js';
import type { Quarantine } from './quarantine.js';
import type { ParsedFile } from './spool-format.js';
import type { Spool } from './spool.js';

/** Number of files taken over at once; they are read to be counted. */
const FILES_AT_ONCE = 32;
const MAX_READS = 5;

/** The result of a takeover. */
export interface Adoption {
  readonly batches: readonly Batch[];
  /** Damaged records between them, each with the readable part of its id. */
  readonly damaged: readonly (string | undefined)[];
  /** Known ids, and number, of records that waited longer than files are kept. */
  readonly expired: { readonly records: number; readonly ids: readonly string[] };
  /** Whether there may be more to take over. */
  readonly isMore: boolean;
}

/** Batches in files: reads them, and finds those of ended processes. */
export class StoredBatches {
  constructor(
    private readonly spool: Spool,
    private readonly orphans: Orphans,
    private readonly quarantine: Quarantine,
    private readonly drops: DropLog,
    private readonly maxAgeMs: number,
    private readonly nowMs: () => number,
  ) {}

  /**
   * Reads the records of a batch. Damaged records are dropped and stored in quarantine.
   *
   * @returns `undefined` if no record can be read; the caller then removes the batch
   * @throws errors of the file system that another attempt may fix
   */
  async load(batch: Batch): Promise<Buffer | undefined> {
    const { file } = batch;
    if (file === undefined) return undefined;
    let parsed: ParsedFile;
    try {
      parsed = await this.spool.read(file);
    } catch (error) {
      const isMissing = hasCode(error, 'ENOENT');
      if (!isMissing && ++batch.attempts < MAX_READS) throw error;
      if (!isMissing) await this.quarantine.moveIn(file.path);
      this.drops.drop('spool_damaged', batch.records, [], `${file.path} cannot be read`);
      batch.shrinkTo(0);
      return undefined;
    }
    const lost = batch.records - parsed.records;
    batch.shrinkTo(parsed.records);
    if (lost > 0) {
      this.drops.drop('spool_damaged', lost, readRecordIds(parsed.damaged));
      await this.quarantine.keep(batch.id, parsed.damaged);
    }
    return parsed.records === 0 ? undefined : parsed.body;
  }

  /** Takes over some files of ended processes. Unreadable files stay for the next process. Never rejects. */
  async adopt(): Promise<Adoption> {
    const files = await this.orphans.adopt(FILES_AT_ONCE);
    const batches: Batch[] = [];
    const damaged: (string | undefined)[] = [];
    const expired = { records: 0, ids: [] as string[] };
    for (const { batchId, path, bytes, ageMs } of files) {
      const file = this.spool.takeIn(path, bytes);
      const parsed = await this.spool.read(file).catch(() => undefined);
      if (parsed === undefined) {
        this.spool.forget(file);
        continue;
      }
      if (ageMs > this.maxAgeMs) {
        expired.records += parsed.records + parsed.damaged.length;
        for (const line of splitLines(parsed.body)) expired.ids.push(...readRecordIds([line]));
        this.spool.remove(Batch.stored(batchId, file, parsed.records));
        continue;
      }
      if (parsed.damaged.length > 0) await this.quarantine.keep(batchId, parsed.damaged);
      damaged.push(...parsed.damaged.map(readRecordId));
      const batch = Batch.stored(batchId, file, parsed.records);
      batch.begunAtMs = this.nowMs() - ageMs;
      if (batch.records === 0) this.spool.remove(batch);
      else batches.push(batch);
    }
    const isMore = files.length >= FILES_AT_ONCE;
    return { batches, damaged, expired, isMore };
  }
}

function readRecordIds(pieces: readonly Buffer[]): string[] {
  return pieces.map(readRecordId).filter((id) => id !== undefined);
}
