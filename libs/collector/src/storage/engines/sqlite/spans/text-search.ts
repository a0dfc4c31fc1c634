import type { TextQuery } from '../../../rules/text-query.js';
import type { TraceFilter } from '../../../ports/trace-filter.js';
import type { Reader } from '../connection.js';
import { completeBeginnings, type CompletedTerm } from './complete-beginnings.js';
import { toMatch } from './text-index.js';
import { accountPrefix } from '../../../spans/account-prefix.js';
import { spanColumns } from './trace-conditions.js';
import { joinConditions, type Condition } from './trace-walk.js';

/** Spans whose numbers are this close are looked up together, because skipping a number costs 1/200 of a lookup. */
const NEAR = 200;

/** The maximum of lookups for spans that are further apart. */
const MOST_LOOKUPS = 1_000;

/** The cost of a lookup with a beginning, in lookups of words, because FTS5 reads its entries over the whole index each time. */
const LOOKUPS_OF_A_BEGINNING = 200;

/** Opening the index at this many words costs as much as one lookup. */
const WORDS_OF_A_LOOKUP = 8;

/** The maximum of words in a query, longest first, that are tested for being rare. */
const COUNTED_WORDS = 8;

/** Whether a span of the account waits for indexing, for the first time or again. */
const isWaiting = (number: string, account: string): string => `(
  ${number} <= (SELECT last_span FROM text_queue q WHERE q.account_id = ${account} AND q.first_span <= ${number}
    ORDER BY q.first_span DESC LIMIT 1)
  OR EXISTS (SELECT 1 FROM text_changes c WHERE c.account_id = ${account} AND c.span_no = ${number}))`;

/** Numbers of the account's spans that wait for indexing. */
const WAITING = `SELECT s.span_no FROM text_queue q
    CROSS JOIN spans s ON s.span_no BETWEEN q.first_span AND q.last_span WHERE q.account_id = ?
  UNION ALL SELECT span_no FROM text_changes WHERE account_id = ?`;

const FIRST_HIT = `(SELECT w.rowid FROM span_text w WHERE span_text MATCH ?2 AND w.rowid >= n.first ORDER BY w.rowid LIMIT 1)`;

/** Walks from a range to the next hit, and from there to the first range that ends after it. */
const WITH_HITS = `WITH RECURSIVE
  ranges(number, first, last) AS MATERIALIZED (SELECT key, value ->> 0, value ->> 1 FROM json_each(?1)),
  looked(number, last, hit) AS (
    SELECT n.number, n.last, ${FIRST_HIT} FROM ranges n WHERE n.number = 0
    UNION ALL
    SELECT n.number, n.last, ${FIRST_HIT} FROM looked l CROSS JOIN ranges n
      WHERE l.hit IS NOT NULL
        AND n.number = (SELECT min(o.number) FROM ranges o WHERE o.number > l.number AND o.last >= l.hit))
  SELECT number FROM looked WHERE hit <= last ORDER BY number`;

/** Looks up in the text index which traces have a span with a text. */
export class TextSearch {
  /** The number of lookups so far. */
  lookups = 0;
  readonly isBeginning: boolean;
  private readonly isOneWord: boolean;
  private readonly lookupsPerRange: number;
  private readonly match: string;
  private readonly isSpan: Condition;
  /** Whether spans that are not indexed yet count as matches. */
  private readonly isWhole: boolean;

  private constructor(
    private readonly database: Reader,
    private readonly accountId: string,
    private readonly query: readonly CompletedTerm[],
    { traceFunctionKey, span, withUnindexed }: TraceFilter,
  ) {
    this.match = toMatch(accountId, query);
    this.isBeginning = query.some(({ isPrefix }) => isPrefix);
    const lastWords = query.flatMap((term) => term.lastWords ?? []).length;
    this.isOneWord =
      query.length === 1 && query[0]?.words.length === 1 && lastWords === 0 && !this.isBeginning;
    this.lookupsPerRange = 1 + lastWords / WORDS_OF_A_LOOKUP;
    this.isSpan = joinConditions([['s.account_id = ?', accountId], ...spanColumns(traceFunctionKey, span)]);
    this.isWhole = withUnindexed === true;
  }

  static async of(
    database: Reader,
    accountId: string,
    query: TextQuery,
    filter: TraceFilter,
  ): Promise<TextSearch> {
    const completed = await completeBeginnings(database, query, accountPrefix(accountId));
    return new TextSearch(database, accountId, completed, filter);
  }

  /** Finds all matching traces, if a word is rare, so that at most `most` spans can match. */
  async rare(most: number): Promise<Condition | undefined> {
    const words = plainWords(this.query);
    let spans = await this.fewest(
      words.map((word) => toMatch(this.accountId, [word])),
      most,
    );
    // Common words that are rarely in one span: one pass through the index finds all matches.
    if (spans > most && !this.isOneWord) spans = await this.fewest([this.match], most);
    if (spans > most || (this.isWhole && (await this.countWaiting(most)) > most)) return undefined;
    const [isSpan, ...parameters] = this.isSpan;
    const [waiting, ...ofWaiting]: Condition = this.isWhole
      ? [
          ` UNION ALL SELECT s.trace_id FROM (${WAITING}) w CROSS JOIN spans s USING (span_no) WHERE ${isSpan}`,
          this.accountId,
          this.accountId,
          ...parameters,
        ]
      : [''];
    return [
      `SELECT s.trace_id FROM span_text w CROSS JOIN spans s ON s.span_no = w.rowid
        WHERE span_text MATCH ? AND ${isSpan}${waiting}`,
      this.match,
      ...parameters,
      ...ofWaiting,
    ];
  }

  /** The matching ones among these traces. */
  async among(traceIds: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.hits<{ trace_id: string }>(traceIds, 'DISTINCT s.trace_id');
    return new Set(found.map(({ trace_id: id }) => id));
  }

  /** Numbers of the matching spans in these traces. */
  async numbersAmong(traceIds: readonly string[]): Promise<number[]> {
    const found = await this.hits<{ span_no: number }>(traceIds, 's.span_no');
    return found.map(({ span_no: number }) => number);
  }

  private async hits<Row extends object>(traceIds: readonly string[], columns: string): Promise<Row[]> {
    const [row] = await this.database.all<{ numbers: string }>(
      `SELECT json_group_array(s.span_no) AS numbers FROM json_each(?) t
        CROSS JOIN spans s ON s.account_id = ? AND s.trace_id = t.value`,
      [JSON.stringify(traceIds), this.accountId],
    );
    const numbers = (JSON.parse(row?.numbers ?? '[]') as number[]).sort((left, right) => left - right);
    const ranges = this.isBeginning ? toRanges(numbers, Infinity) : toNearRanges(numbers);
    this.lookups += this.isBeginning ? LOOKUPS_OF_A_BEGINNING : ranges.length * this.lookupsPerRange;
    const all = JSON.stringify(numbers);
    // Read before the index, because a waiting span may be indexed by the time of the last statement.
    const waiting = JSON.stringify(this.isWhole ? await this.waitingAmong(all) : []);
    const looked = JSON.stringify(await this.withHits(ranges));
    const [isSpan, ...parameters] = this.isSpan;
    return await this.database.all<Row>(
      `SELECT ${columns} FROM json_each(?1) n CROSS JOIN spans s ON s.span_no = n.value
        WHERE (n.value IN (SELECT w.rowid FROM json_each(?2) r CROSS JOIN span_text w
            WHERE span_text MATCH ?3 AND w.rowid BETWEEN (r.value ->> 0) AND (r.value ->> 1)
              AND +w.rowid IN (SELECT value FROM json_each(?1)))
          OR n.value IN (SELECT value FROM json_each(?4))) AND ${isSpan}`,
      [all, looked, this.match, waiting, ...parameters],
    );
  }

  private async waitingAmong(numbers: string): Promise<number[]> {
    const rows = await this.database.all<{ value: number }>(
      `SELECT value FROM json_each(?1) WHERE ${isWaiting('value', '?2')}`,
      [numbers, this.accountId],
    );
    return rows.map(({ value }) => value);
  }

  /**
   * The ranges with hits. A lookup does not stop at the end of a range but at the next hit. It skips the ranges before the hit, so that all
   * ranges together take at most one pass through the index.
   */
  private async withHits(ranges: readonly SpanRange[]): Promise<SpanRange[]> {
    if (ranges.length < 2) return [...ranges];
    const rows = await this.database.all<{ number: number }>(WITH_HITS, [JSON.stringify(ranges), this.match]);
    return rows.flatMap(({ number }) => ranges.slice(number, number + 1));
  }

  /** @returns the number of spans with the rarest of these; more than `most` if none is that rare */
  private async fewest(matches: readonly string[], most: number): Promise<number> {
    const counts = matches.map(
      () =>
        `SELECT count(*) AS n FROM (SELECT rowid FROM span_text WHERE span_text MATCH ? LIMIT ${most + 1})`,
    );
    if (counts.length === 0) return most + 1;
    const [row] = await this.database.all<{ n: number }>(
      `SELECT min(n) AS n FROM (${counts.join(' UNION ALL ')})`,
      [...matches],
    );
    return row?.n ?? 0;
  }

  private async countWaiting(most: number): Promise<number> {
    const [row] = await this.database.all<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM (${WAITING}) LIMIT ${most + 1})`,
      [this.accountId, this.accountId],
    );
    return row?.n ?? 0;
  }
}

/** The words of all terms. A phrase has at most as many spans as each of its words. */
function plainWords(query: readonly CompletedTerm[]): CompletedTerm[] {
  const words = query.flatMap(({ words: all, isPrefix }) => (isPrefix ? all.slice(0, -1) : all));
  return [...new Set(words)]
    .sort((left, right) => right.length - left.length)
    .slice(0, COUNTED_WORDS)
    .map((word) => ({ words: [word], isPrefix: false }));
}

type SpanRange = [first: number, last: number];

function toNearRanges(numbers: readonly number[]): SpanRange[] {
  let near = NEAR;
  let ranges = toRanges(numbers, near);
  while (ranges.length > MOST_LOOKUPS) ranges = toRanges(numbers, (near *= 4));
  return ranges;
}

function toRanges(numbers: readonly number[], near: number): SpanRange[] {
  const ranges: SpanRange[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number - range[1] <= near) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
