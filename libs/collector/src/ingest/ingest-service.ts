import {
  type Author,
  countOpenings,
  formatTimestamp,
  type IngestAnswer,
  type IngestLine,
  type Line,
  LIMITS,
  memberTexts,
  parseIngestLine,
  parseTimestamp,
  readIngestLine,
  type Rejection,
  rejectLine,
  type ScoreRecord,
  type SpanRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import { Injectable, PayloadTooLargeException } from '@nestjs/common';
import { Clock } from '../clock.js';
import type { BodyLine } from './body-lines.js';
import { SpanStore } from '../storage/span-store.js';
import { PriceList, type SpanCost } from '../prices/price-list.js';
import { CONTAINER_BYTES, type Reservation } from '../memory/memory-budget.js';
import { JsonBoundError, parseInTurns } from '../memory/parse-in-turns.js';
import { Turns } from '../memory/turns.js';

@Injectable()
export class IngestService {
  private latestUs = 0;

  constructor(
    private readonly store: SpanStore,
    private readonly clock: Clock,
    private readonly turns: Turns,
    private readonly prices: PriceList,
  ) {}

  /**
   * Stores the good lines of an NDJSON body; resolves after they are committed.
   *
   * @param author who gives its scores, whatever they say; what they say when absent
   * @throws PayloadTooLargeException when it has more than `LIMITS.bodyLines` lines or `LIMITS.bodyAttributes` attributes
   * @throws BusyException when its values take more memory than is free
   */
  async ingest(
    accountId: string,
    body: Iterable<BodyLine>,
    batchId: string | undefined,
    memory: Reservation,
    author?: Author,
  ): Promise<IngestAnswer> {
    return this.put(accountId, await this.read(body, memory, this.turns.of(accountId)), batchId, author);
  }

  /** Holds nothing of the batch while it waits for the store: see `SqliteSpanStore`. */
  private put(
    accountId: string,
    { spans, traces, scores, rejected, texts }: ReadBatch,
    batchId: string | undefined,
    author: Author | undefined,
  ): Promise<IngestAnswer> {
    const accepted = spans.length + traces.length + scores.length;
    const stored = this.store.ingest(accountId, {
      ...(batchId !== undefined && { batchId }),
      spans,
      traces: traces.map((patch) => ({ ...patch, at: patch.at ?? this.nextMoment() })),
      scores: author ? scores.map((score) => ({ ...score, author })) : scores,
      costs: this.costsOf(spans),
      texts,
      receivedAt: formatTimestamp(this.clock.nowUs()),
    });
    return stored.then(({ duplicate, dropped }) => ({
      accepted,
      rejected,
      ...(duplicate && { duplicate }),
      ...(dropped > 0 && { dropped }),
    }));
  }

  private costsOf(spans: readonly SpanRecord[]): Map<SpanRecord, SpanCost> {
    const costs = new Map<SpanRecord, SpanCost>();
    for (const span of spans) {
      const { usage } = span.span_data;
      if (span.type !== 'llm' || usage === undefined) continue;
      const cost = this.prices.costOf(usage, parseTimestamp(span.started_at) ?? 0);
      if (cost !== undefined) costs.set(span, cost);
    }
    return costs;
  }

  /** A bad line is rejected alone. */
  private async read(
    body: Iterable<BodyLine>,
    memory: Reservation,
    turns: Pick<Turns, 'next'>,
  ): Promise<ReadBatch> {
    const batch: ReadBatch = { spans: [], traces: [], scores: [], rejected: [], texts: new Map() };
    let bytes = BYTES_IN_A_TURN;
    let lines = 0;
    let attributes = 0;
    for (const line of body) {
      const { number, byteLength } = line;
      // Blank lines count: a small compressed body may have millions of them.
      if (++lines > LIMITS.bodyLines + LAST_LINE_END) throw tooMany('lines', LIMITS.bodyLines);
      bytes += byteLength + 1;
      if (bytes > BYTES_IN_A_TURN) {
        bytes = byteLength + 1;
        await turns.next();
      }
      if (byteLength > LIMITS.lineBytes) {
        batch.rejected.push({
          line: number,
          detail: `line ${number}: has more than ${LIMITS.lineBytes} bytes`,
        });
        continue;
      }
      const text = line.text();
      if (text === '') continue;
      attributes +=
        text.length > BYTES_IN_A_TURN
          ? addLine(batch, await parseLineInTurns({ number, text }, memory, turns))
          : addLine(batch, parseAtOnce({ number, text }, memory), text);
      if (attributes > LIMITS.bodyAttributes) throw tooMany('attributes of traces', LIMITS.bodyAttributes);
    }
    return batch;
  }

  /** Patches of version 0.1 do not tell when they were made: they count in the order in which they come. */
  private nextMoment(): string {
    this.latestUs = Math.max(this.clock.nowUs(), this.latestUs + 1);
    return formatTimestamp(this.latestUs);
  }
}

/** What follows the last line end is a line, too. */
const LAST_LINE_END = 1;

/** Bytes parsed in one go; other requests have their turn in between. */
const BYTES_IN_A_TURN = 256 * 1024;

interface ReadBatch {
  spans: SpanRecord[];
  traces: TraceRecord[];
  scores: ScoreRecord[];
  rejected: Rejection[];
  texts: Map<SpanRecord, ReadonlyMap<string, string>>;
}

function tooMany(what: string, most: number): PayloadTooLargeException {
  return new PayloadTooLargeException(`The body has more than ${most} ${what}. Send it in smaller batches.`);
}

function countNames(metadata: object = {}, contexts: object = {}): number {
  return Object.keys(metadata).length + Object.keys(contexts).length;
}

/** Where the payload is in a line. */
const PAYLOAD = ['span', 'span_data'];

async function parseLineInTurns(
  { number, text }: Line,
  memory: Reservation,
  turns: Pick<Turns, 'next'>,
): Promise<IngestLine> {
  await turns.next();
  try {
    const value = await parseInTurns(text, { members: LIMITS.lineMembers, memory }, turns);
    await turns.next();
    return readIngestLine(number, value);
  } catch (error) {
    if (error instanceof JsonBoundError) return rejectLine(number, error.bound);
    if (error instanceof SyntaxError) return rejectLine(number, 'json');
    throw error;
  }
}

function parseAtOnce(line: Line, memory: Reservation): IngestLine {
  memory.grow(CONTAINER_BYTES * countOpenings(line.text));
  return parseIngestLine(line);
}

/**
 * @param text of the line, in which the texts of its payload are found; without it they are encoded again, in turns
 * @returns how many attributes of its trace it tells
 */
function addLine(batch: ReadBatch, parsed: IngestLine, text?: string): number {
  if ('span' in parsed) {
    batch.spans.push(parsed.span);
    const texts = text === undefined ? undefined : memberTexts(text, PAYLOAD);
    if (texts !== undefined) batch.texts.set(parsed.span, texts);
    const { tags = [], trace_metadata, trace_contexts } = parsed.span;
    return tags.length + countNames(trace_metadata, trace_contexts);
  }
  if ('trace' in parsed) {
    batch.traces.push(parsed.trace);
    const { tags = [], metadata, contexts } = parsed.trace;
    return tags.length + countNames(metadata, contexts);
  }
  if ('score' in parsed) batch.scores.push(parsed.score);
  else batch.rejected.push(parsed.rejection);
  return 0;
}
