import { formatTimestamp, LIMITS } from '@dacapo/protocol';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../../../errors.js';
import { SEARCHED_FIELDS } from '../../../searched-words.js';
import type { Connection, Reader, Step, StepOutcome } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';
import { WorkBehind } from '../work-behind.js';
import type { CompletedTerm } from './complete-beginnings.js';
import { partHeads } from './payload-parts.js';
import { accountPrefix, CUT_FIELDS, type SpanWords, type WordBounds } from './text-words.js';

/** What one turn takes in at most: spans, and bytes of their payloads, unless the first span alone has more. */
const TURN_SPANS = 256;
const TURN_BYTES = 1024 * 1024;
const BOUNDS: WordBounds = { inField: LIMITS.searchedCharacters };
/** Characters of a field that are read: files in base64, which do not count, may come first. */
const READ_CHARACTERS = 1024 * 1024;

/** What an ingest leaves to take in waits so long for more. */
const PAUSE_MS = 500;

/** Changed spans that are looked at for when the oldest of them came. */
const LOOKED_AT = 1000;

/** Pages that one turn of a merge writes. */
const MERGED_PAGES = 16;

/** Between turns it rests so many times as long as the turn took: longer while several batches wait to be stored. */
const REST = 0.5;
const REST_WHILE_BUSY = 20;
const LONGEST_REST_MS = 2_000;

interface State {
  upto: number;
  deleted_behind: number;
  deleted: number;
  cleared: number;
  newest: number;
  is_changed: 0 | 1;
}

const STATE = `SELECT upto, deleted_behind, deleted, cleared, coalesce((SELECT max(span_no) FROM spans), 0) AS newest,
  EXISTS (SELECT 1 FROM text_changes WHERE span_no <= upto) AS is_changed FROM text_index`;

const TEXTS = [
  ...SEARCHED_FIELDS.map((field) => `substr(p.${field}, 1, ${READ_CHARACTERS}) AS ${field}`),
  ...CUT_FIELDS.map((field) => `${partHeads(field, READ_CHARACTERS)} AS ${field}_parts`),
];

/** Those that changed, then those that are new. */
const NEXT = `SELECT span_no, payload_bytes FROM (
    SELECT * FROM (SELECT span_no FROM text_changes WHERE span_no <= ?1 ORDER BY span_no LIMIT ${TURN_SPANS})
    UNION ALL
    SELECT * FROM (SELECT span_no FROM spans WHERE span_no > ?1 ORDER BY span_no LIMIT ${TURN_SPANS})) n
  CROSS JOIN spans s USING (span_no) LIMIT ${TURN_SPANS}`;

const SOURCES = `SELECT s.span_no, s.account_id, s.name, c.changes, ${TEXTS.join(', ')}
  FROM (SELECT value AS span_no FROM json_each(?)) n CROSS JOIN spans s USING (span_no)
  LEFT JOIN span_payloads p USING (span_no) LEFT JOIN text_changes c USING (span_no)`;

const SINCE = `SELECT min(received_us) AS since FROM (
  SELECT * FROM (SELECT received_us FROM spans WHERE span_no > ?1 ORDER BY span_no LIMIT 1)
  UNION ALL
  SELECT * FROM (SELECT s.received_us FROM text_changes c CROSS JOIN spans s USING (span_no)
    WHERE c.span_no <= ?1 LIMIT ${LOOKED_AT}))`;

/** Nothing more where numbers may be those of other spans by now. */
const REACH = 'UPDATE text_index SET upto = ? WHERE upto = ? AND deleted_behind = ?';
const DROP = 'DELETE FROM span_text WHERE rowid = ?';
const PUT =
  'INSERT INTO span_text(rowid, words) SELECT span_no, CAST(? AS TEXT) FROM spans WHERE span_no = ?';
const NOTE_CUT = `INSERT INTO cut_texts(account_id, span_no) SELECT account_id, span_no FROM spans
  WHERE account_id = ? AND span_no = ? ON CONFLICT DO NOTHING`;
const COUNT_CUT = 'SELECT count(*) AS n FROM cut_texts WHERE account_id = ?';
const DONE = 'DELETE FROM text_changes WHERE span_no = ? AND changes = ?';
const MERGE = "INSERT INTO span_text(span_text, rank) VALUES ('merge', ?)";
const COUNT_CHANGES = 'SELECT total_changes() AS n';
const CLEARED = 'UPDATE text_index SET cleared = ?';

/** Nothing of a query is read as syntax: all words are in quotation marks. */
export function toMatch(accountId: string, query: readonly CompletedTerm[]): string {
  const prefix = accountPrefix(accountId);
  const phrase = (words: readonly string[]): string => `"${words.map((word) => prefix + word).join(' ')}"`;
  return query
    .map(({ words, isPrefix, lastWords }) => {
      if (lastWords === undefined) return `${phrase(words)}${isPrefix ? ' *' : ''}`;
      return `(${lastWords.map((last) => phrase([...words, last])).join(' OR ')})`;
    })
    .join(' AND ');
}

/**
 * Takes the words of spans into an index behind ingest, a few spans in a turn. A turn is one write, with how far it came, so that a
 * process that dies goes on where it was; a database from before the index is indexed likewise.
 */
export class TextIndex {
  /** What its reader's threads are to load: words are made there, and this thread passes them on to the one that writes. */
  static readonly MAPPER = join(__dirname, `text-words${extname(__filename)}`);
  private readonly behind = new WorkBehind(() => this.takeAll(), PAUSE_MS);
  private storing = 0;

  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
  ) {}

  /** Rests longer while this is stored; afterwards there is something to take in. */
  async during<T>(store: Promise<T>): Promise<T> {
    this.storing++;
    try {
      return await store;
    } finally {
      this.storing--;
      this.wake();
    }
  }

  /** There may be something to take in: it is begun soon. */
  wake(): void {
    this.behind.wake();
  }

  /**
   * Takes in what came last where that is one turn, for which the writer is free: whoever searches does not wait for more.
   *
   * @param reader for whoever waits: what is read behind ingest waits for its turn
   * @returns since when what was received may be missing
   */
  async catchUp(reader: Reader): Promise<string | undefined> {
    const { newest, upto, is_changed: isChanged } = await stateOf(reader);
    if (newest <= upto && isChanged === 0) return undefined;
    if (newest - upto <= TURN_SPANS && this.storing === 0 && !this.behind.isStopped) {
      // The store's health reports what hinders it.
      await this.behind.next(() => this.takeIn()).catch(() => undefined);
    }
    return this.waitingSince(reader);
  }

  /** Spans of an account with words that a search does not find, because they come late in a long text. */
  async countCut(reader: Reader, accountId: string): Promise<number> {
    const [row] = await reader.all<{ n: number }>(COUNT_CUT, [accountId]);
    return row?.n ?? 0;
  }

  /** When the oldest was received of what is not taken in, or has changed since it was. */
  async waitingSince(reader: Reader): Promise<string | undefined> {
    const { upto } = await stateOf(reader);
    const [row] = await reader.all<{ since: number | null }>(SINCE, [upto]);
    return row?.since == null ? undefined : formatTimestamp(row.since);
  }

  /**
   * Removes words that only deleted spans had: they are left in the index until its parts are merged. Ends early when it is aborted,
   * or the store closes; what is left waits for the next time.
   *
   * @returns whether none is left
   */
  async clear(signal?: AbortSignal): Promise<boolean> {
    const { deleted, cleared } = await stateOf(this.reader);
    if (deleted === cleared) return true;
    // A negative number has all parts merged that there are now.
    for (
      let pages = -MERGED_PAGES;
      !this.behind.isStopped && signal?.aborted !== true;
      pages = MERGED_PAGES
    ) {
      const begun = performance.now();
      const outcomes = await this.behind.next(() => this.writer.write(mergeSteps(pages)));
      if (changesIn(outcomes) < 2) {
        await this.writer.write([{ sql: CLEARED, rows: [[deleted]] }]);
        return true;
      }
      await this.rest(performance.now() - begun, signal);
    }
    return false;
  }

  stop(): Promise<void> {
    return this.behind.stop();
  }

  /** Until nothing is left. */
  private async takeAll(): Promise<void> {
    for (let isMore = true; isMore && !this.behind.isStopped;) {
      const begun = performance.now();
      isMore = await this.behind.next(() => this.takeIn());
      await this.rest(performance.now() - begun);
    }
  }

  private async rest(tookMs: number, signal?: AbortSignal): Promise<void> {
    const ms = Math.min(tookMs * (this.storing > 1 ? REST_WHILE_BUSY : REST), LONGEST_REST_MS);
    await sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined);
  }

  /** @returns whether there was something to take in */
  private async takeIn(): Promise<boolean> {
    const { upto, deleted_behind: deletedBehind, newest, is_changed: isChanged } = await stateOf(this.reader);
    if (newest <= upto && isChanged === 0) return false;
    const next = await this.reader.all<{ span_no: number; payload_bytes: number }>(NEXT, [upto]);
    const numbers = JSON.stringify(firstOf(next).map(({ span_no }) => span_no));
    const { spans, bytes } = await this.reader.map<SpanWords>(SOURCES, [numbers], BOUNDS);
    const reached = spans.reduce((last, { number }) => Math.max(last, number), upto);
    const steps = [
      { sql: REACH, rows: [[reached, upto, deletedBehind]], mustChange: true as const },
      { sql: DROP, rows: spans.flatMap(({ number }) => (number <= upto ? [[number]] : [])) },
      {
        sql: NOTE_CUT,
        rows: spans.flatMap(({ isCut, accountId, number }) => (isCut ? [[accountId, number]] : [])),
      },
      { sql: PUT, rows: spans.map(({ number, begin, end }) => [bytes.subarray(begin, end), number]) },
      {
        sql: DONE,
        rows: spans.flatMap(({ number, changes }) => (changes === null ? [] : [[number, changes]])),
      },
    ];
    await this.writer.write(steps, undefined, [bytes.buffer]);
    return true;
  }
}

/** As many as one turn takes. */
function firstOf<T extends { payload_bytes: number }>(spans: readonly T[]): T[] {
  let bytes = 0;
  return spans.filter(({ payload_bytes }, index) => {
    bytes += payload_bytes;
    return index === 0 || bytes <= TURN_BYTES;
  });
}

async function stateOf(reader: Reader): Promise<State> {
  const [state] = await reader.all<State>(STATE);
  if (state === undefined) throw new StorageError('the index of texts has lost its place');
  return state;
}

function mergeSteps(pages: number): Step[] {
  const count = { sql: COUNT_CHANGES, rows: [[]] };
  return [count, { sql: MERGE, rows: [[pages]] }, count];
}

function changesIn([before, , after]: readonly StepOutcome[]): number {
  const of = (outcome: StepOutcome | undefined): number => Number(outcome?.rows[0]?.['n'] ?? 0);
  return of(after) - of(before);
}
