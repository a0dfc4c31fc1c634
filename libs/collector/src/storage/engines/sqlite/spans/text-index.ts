import { formatTimestamp, LIMITS } from '@dacapo/protocol';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../../../errors.js';
import { SEARCHED_FIELDS } from '../../../rules/searched-words.js';
import type { Connection, Reader, Step, StepResult } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';
import { WorkBehind } from '../work-behind.js';
import type { CompletedTerm } from './complete-beginnings.js';
import { accountPrefix } from '../../../spans/account-prefix.js';
import { partHeads } from './payload-parts.js';
import { CUT_FIELDS, type SpanWords, type WordBounds } from './text-words.js';

/** Maximum of spans and of payload bytes that one turn indexes. A turn indexes at least one span. */
const TURN_SPANS = 256;
const TURN_BYTES = 512 * 1024;
const BOUNDS: WordBounds = { inField: LIMITS.searchedCharacters };
/** Characters of a field that are read. More than are indexed, because files in base64 do not count. */
const READ_CHARACTERS = 1024 * 1024;

/** Delay between an ingest and indexing, so that one turn indexes several batches. */
const PAUSE_MS = 500;

/** Changed spans that are read to find the oldest one. */
const LOOKED_AT = 1000;

/** Pages that one turn of a merge may write. */
const MERGED_PAGES = 16;

/** The pause after a turn, in multiples of its duration. It grows while several batches are being stored. */
const REST = 0.5;
const REST_WHILE_BUSY = 20;
const LONGEST_REST_MS = 2_000;

const TEXTS = [
  ...SEARCHED_FIELDS.map((field) => `substr(p.${field}, 1, ${READ_CHARACTERS}) AS ${field}`),
  ...CUT_FIELDS.map((field) => `${partHeads(field, READ_CHARACTERS)} AS ${field}_parts`),
];

/** The next account with waiting spans, in rotation. */
const NEXT_ACCOUNT = `SELECT account_id FROM (
    SELECT * FROM (SELECT account_id FROM text_queue WHERE account_id > ?1 ORDER BY account_id LIMIT 1)
    UNION ALL SELECT * FROM (SELECT account_id FROM text_changes WHERE account_id > ?1 ORDER BY account_id LIMIT 1)
    UNION ALL SELECT * FROM (SELECT account_id FROM text_queue ORDER BY account_id LIMIT 1)
    UNION ALL SELECT * FROM (SELECT account_id FROM text_changes ORDER BY account_id LIMIT 1))
  ORDER BY account_id <= ?1, account_id LIMIT 1`;

/** Counts waiting spans, up to a little more than one turn indexes. */
const COUNT_WAITING = `SELECT coalesce(sum(last_span - first_span + 1), 0)
    + (SELECT count(*) FROM (SELECT 1 FROM text_changes WHERE account_id = ?1 LIMIT ${TURN_SPANS + 1})) AS spans
  FROM (SELECT first_span, last_span FROM text_queue WHERE account_id = ?1 LIMIT ${TURN_SPANS + 1})`;

/** Changed spans outside waiting ranges, because those are indexed with their range. */
const CHANGED = `SELECT span_no, payload_bytes FROM (
    SELECT span_no FROM text_changes WHERE account_id = ?1
      AND span_no < coalesce((SELECT min(first_span) FROM text_queue WHERE account_id = ?1), 9223372036854775807)
    ORDER BY span_no LIMIT ${TURN_SPANS}) c
  CROSS JOIN spans s USING (span_no)`;

const RANGES = `SELECT first_span, last_span FROM text_queue WHERE account_id = ? ORDER BY first_span LIMIT ${TURN_SPANS}`;

const NEW = `SELECT span_no, payload_bytes FROM json_each(?) r
  CROSS JOIN spans s ON s.span_no BETWEEN (r.value ->> 0) AND (r.value ->> 1) ORDER BY span_no`;

const SOURCES = `SELECT s.span_no, s.account_id, s.name, c.changes, ${TEXTS.join(', ')}
  FROM (SELECT value AS span_no FROM json_each(?)) n CROSS JOIN spans s USING (span_no)
  LEFT JOIN span_payloads p USING (span_no)
  LEFT JOIN text_changes c ON c.account_id = s.account_id AND c.span_no = s.span_no`;

/** When the oldest waiting span was received, over all accounts or one. */
const since = (queue: string, changes: string): string => `SELECT min(received_us) AS since FROM (
  SELECT received_us FROM text_queue ${queue}
  UNION ALL
  SELECT * FROM (SELECT s.received_us FROM text_changes c CROSS JOIN spans s USING (span_no) ${changes} LIMIT ${LOOKED_AT}))`;
const SINCE = since('', '');
const ACCOUNT_SINCE = since('WHERE account_id = ?1', 'WHERE c.account_id = ?1');

const LEAVE_QUEUE = 'DELETE FROM text_queue WHERE account_id = ?1 AND first_span <= ?2 AND last_span <= ?2';
const ADVANCE = 'UPDATE text_queue SET first_span = ?2 + 1 WHERE account_id = ?1 AND first_span <= ?2';
const DROP = 'DELETE FROM span_text WHERE rowid = ?';
const PUT =
  'INSERT INTO span_text(rowid, words) SELECT span_no, CAST(? AS TEXT) FROM spans WHERE span_no = ?';
const NOTE_CUT = `INSERT INTO cut_texts(account_id, span_no) SELECT account_id, span_no FROM spans
  WHERE account_id = ? AND span_no = ? ON CONFLICT DO NOTHING`;
const COUNT_CUT = 'SELECT count(*) AS n FROM cut_texts WHERE account_id = ?';
const DONE = 'DELETE FROM text_changes WHERE account_id = ? AND span_no = ? AND changes = ?';
const MERGE = "INSERT INTO span_text(span_text, rank) VALUES ('merge', ?)";
const COUNT_CHANGES = 'SELECT total_changes() AS n';
const CLEARING = 'SELECT deleted, cleared FROM text_index';
const CLEARED = 'UPDATE text_index SET cleared = ?';

/** Quotes all words, so that none is parsed as FTS5 syntax. */
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
 * Indexes the words of spans after they are stored. Accounts take turns, so a backlog of one account delays no other. A turn is one
 * write, together with its progress, so a process that dies continues where it was.
 */
export class TextIndex {
  /** The module that the reader's threads load. They split texts into words, which this thread passes on to the writer. */
  static readonly MAPPER = join(__dirname, `text-words${extname(__filename)}`);
  private readonly behind = new WorkBehind(() => this.takeAll(), PAUSE_MS);
  private storing = 0;
  private lastAccountId = '';

  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
  ) {}

  /** Pauses longer while a batch is stored, and schedules a turn afterwards. */
  async during<T>(store: Promise<T>): Promise<T> {
    this.storing++;
    try {
      return await store;
    } finally {
      this.storing--;
      this.wake();
    }
  }

  /** Schedules a turn. */
  wake(): void {
    this.behind.wake();
  }

  /**
   * Indexes the account's waiting spans if one turn is enough and no batch is being stored. A search does not wait longer.
   *
   * @param reader the account's reader, because the index's own reader waits for its turn
   * @returns when the oldest span was received that a search may miss; `undefined` if it misses none
   */
  async catchUp(accountId: string, reader: Reader): Promise<string | undefined> {
    const [count] = await reader.all<{ spans: number }>(COUNT_WAITING, [accountId]);
    const waiting = count?.spans ?? 0;
    if (waiting === 0) return undefined;
    if (waiting <= TURN_SPANS && this.storing === 0 && !this.behind.isStopped) {
      // The store's health reports the error.
      await this.behind.next(() => this.takeIn(accountId)).catch(() => undefined);
    }
    return formatSince(await reader.all<Since>(ACCOUNT_SINCE, [accountId]));
  }

  /** The number of an account's spans with words beyond the indexed length. */
  async countCut(reader: Reader, accountId: string): Promise<number> {
    const [row] = await reader.all<{ n: number }>(COUNT_CUT, [accountId]);
    return row?.n ?? 0;
  }

  /** When the oldest span of all accounts was received that is not indexed or changed since. */
  async waitingSince(): Promise<string | undefined> {
    return formatSince(await this.reader.all<Since>(SINCE));
  }

  /**
   * Removes words of deleted spans, which stay in the index until its parts are merged. Ends early if it is aborted or the store closes;
   * the next call continues.
   *
   * @returns whether none is left
   */
  async clear(signal?: AbortSignal): Promise<boolean> {
    const [state] = await this.reader.all<{ deleted: number; cleared: number }>(CLEARING);
    if (state === undefined) throw new StorageError('the index of texts has lost its place');
    const { deleted, cleared } = state;
    if (deleted === cleared) return true;
    // A negative number merges all current parts.
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

  /** Repeats turns until no span waits. */
  private async takeAll(): Promise<void> {
    for (let isMore = true; isMore && !this.behind.isStopped;) {
      const begun = performance.now();
      isMore = await this.behind.next(() => this.takeNext());
      await this.rest(performance.now() - begun);
    }
  }

  private async rest(tookMs: number, signal?: AbortSignal): Promise<void> {
    const ms = Math.min(tookMs * (this.storing > 1 ? REST_WHILE_BUSY : REST), LONGEST_REST_MS);
    await sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined);
  }

  /** @returns whether an account had waiting spans */
  private async takeNext(): Promise<boolean> {
    const [next] = await this.reader.all<{ account_id: string }>(NEXT_ACCOUNT, [this.lastAccountId]);
    if (next === undefined) return false;
    this.lastAccountId = next.account_id;
    await this.takeIn(next.account_id);
    return true;
  }

  private async takeIn(accountId: string): Promise<void> {
    const changed = await this.reader.all<WaitingSpan>(CHANGED, [accountId]);
    const ranges = firstRanges(await this.reader.all<Range>(RANGES, [accountId]), changed.length);
    const fresh = await this.reader.all<WaitingSpan>(NEW, [JSON.stringify(ranges)]);
    const turn = takeFirst([...changed, ...fresh]);
    const isAll = turn.length === changed.length + fresh.length;
    const reached = isAll ? ranges.at(-1)?.[1] : fresh[turn.length - changed.length - 1]?.span_no;
    const progress = reached === undefined ? [] : [[accountId, reached]];
    const numbers = JSON.stringify(turn.map(({ span_no }) => span_no));
    const { spans, bytes } = await this.reader.map<SpanWords>(SOURCES, [numbers], BOUNDS);
    const again = spans.filter(({ changes }) => changes !== null);
    const cut = spans.filter(({ isCut }) => isCut);
    const steps = [
      { sql: LEAVE_QUEUE, rows: progress },
      { sql: ADVANCE, rows: progress },
      { sql: DROP, rows: again.map(({ number }) => [number]) },
      { sql: NOTE_CUT, rows: cut.map(({ number }) => [accountId, number]) },
      { sql: PUT, rows: spans.map(({ number, begin, end }) => [bytes.subarray(begin, end), number]) },
      { sql: DONE, rows: again.map(({ number, changes }) => [accountId, number, changes]) },
    ];
    await this.writer.write(steps, undefined, [bytes.buffer]);
  }
}

interface WaitingSpan {
  span_no: number;
  payload_bytes: number;
}

interface Range {
  first_span: number;
  last_span: number;
}

interface Since {
  since: number | null;
}

/** The first waiting ranges, with as many spans as one turn indexes besides the changed ones. */
function firstRanges(waiting: readonly Range[], changed: number): [first: number, last: number][] {
  const ranges: [first: number, last: number][] = [];
  let room = TURN_SPANS - changed;
  for (const { first_span: first, last_span: last } of waiting) {
    if (room <= 0) break;
    ranges.push([first, Math.min(last, first + room - 1)]);
    room -= last - first + 1;
  }
  return ranges;
}

/** The spans of one turn, but at least one. */
function takeFirst(spans: readonly WaitingSpan[]): WaitingSpan[] {
  let bytes = 0;
  return spans.filter(({ payload_bytes: more }, index) => {
    bytes += more;
    return index === 0 || bytes <= TURN_BYTES;
  });
}

function formatSince([row]: readonly Since[]): string | undefined {
  return row?.since == null ? undefined : formatTimestamp(row.since);
}

function mergeSteps(pages: number): Step[] {
  const count = { sql: COUNT_CHANGES, rows: [[]] };
  return [count, { sql: MERGE, rows: [[pages]] }, count];
}

function changesIn([before, , after]: readonly StepResult[]): number {
  const of = (result: StepResult | undefined): number => Number(result?.rows[0]?.['n'] ?? 0);
  return of(after) - of(before);
}
