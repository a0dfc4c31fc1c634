import { type Checkpointer, READS_THE_LOG } from './checkpointer.js';
import type { Reader } from './connection.js';
import type { PacedDeletes } from './paced-deletes.js';

/** Pages that one read examines. */
const PAGES_AT_ONCE = 256;
/** With more pages, the first byte of an overflow page may look like that of a page of a table. */
const MOST_PAGES = 2 ** 25 - 1;
const TOO_LARGE = 'a database of less than 2^25 pages (128 GiB): unused space in its pages is not cleared';

const BYTES = `X'${Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('hex')}'`;
const byteAt = (offset: string): string => `(instr(${BYTES}, substr(data, ${offset} + 1, 1)) - 1)`;
const numberAt = (offset: string): string => `(${byteAt(offset)} * 256 + ${byteAt(`${offset} + 1`)})`;

/** Selects the unused space between the cell pointers and the cells of a page; see "B-tree Pages" in the SQLite file format. */
const selectGaps = (pages: string): string => `(
  SELECT pgno, data, head + iif(type < 8, 12, 8) + 2 * cells AS first, iif(cell = 0, 65536, cell) AS cell FROM (
    SELECT pgno, data, head, ${byteAt('head')} AS type, ${numberAt('head + 3')} AS cells, ${numberAt('head + 5')} AS cell
    FROM (SELECT pgno, data, iif(pgno = 1, 100, 0) AS head FROM ${pages}))
  WHERE type IN (2, 5, 10, 13))`;

const IS_USED = 'first < cell AND substr(data, first + 1, cell - first) <> zeroblob(cell - first)';

const FIND = `SELECT pgno FROM ${selectGaps('generate_series(?1, ?2) n CROSS JOIN sqlite_dbpage p ON p.pgno = n.value')}
  WHERE ${IS_USED}`;

const CLEAR = `UPDATE sqlite_dbpage SET data = coalesce((
    SELECT CAST(substr(data, 1, first) || zeroblob(cell - first) || substr(data, cell + 1) AS BLOB)
    FROM ${selectGaps('sqlite_dbpage WHERE pgno = ?1')} WHERE ${IS_USED}), data)
  WHERE pgno = ?1`;

/**
 * Removes the remains of deleted rows from the files. `secure_delete` overwrites a deleted row, but not copies in unused space of a page,
 * which SQLite leaves when it moves rows to other pages.
 */
export class FileScrubber {
  constructor(
    private readonly checkpointer: Checkpointer,
    private readonly deletes: Pick<PacedDeletes, 'next'>,
    private readonly reader: Reader,
  ) {}

  /** @returns what blocks it; `undefined` when neither the database nor its log contains a deleted row */
  async scrub(signal?: AbortSignal): Promise<string | undefined> {
    // A reader may hold the log for a long time, so no page is examined until it ends.
    if (!(await this.checkpointer.empty())) return READS_THE_LOG;
    const [count] = await this.reader.all<{ page_count: number }>('PRAGMA page_count');
    const pages = count?.page_count ?? 0;
    if (pages > MOST_PAGES) return TOO_LARGE;
    for (let first = 1; first <= pages; first += PAGES_AT_ONCE) {
      if (signal?.aborted === true) return 'the next start';
      const last = Math.min(pages, first + PAGES_AT_ONCE - 1);
      const found = await this.reader.all<{ pgno: number }>(FIND, [first, last]);
      await this.clear(found.map(({ pgno }) => pgno));
    }
    return (await this.checkpointer.empty()) ? undefined : READS_THE_LOG;
  }

  private async clear(pages: readonly number[]): Promise<void> {
    for (let done = 0; done < pages.length;) {
      const { rows } = await this.deletes.next((most) => [
        { sql: CLEAR, rows: pages.slice(done, done + most).map((page) => [page]) },
      ]);
      done += rows;
    }
  }
}
