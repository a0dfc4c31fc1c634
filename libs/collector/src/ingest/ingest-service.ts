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
import { SpanForwarder } from '../forwarding/span-forwarder.js';
import { LiveChanges } from '../live/live-changes.js';
import { type MediaLine, MediaService, type ReceivedLines } from '../media/media-service.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { PriceList, type SpanCost } from '../prices/price-list.js';
import { CONTAINER_BYTES, type Reservation } from '../memory/memory-budget.js';
import { JsonBoundError, parseInTurns } from '../memory/parse-in-turns.js';
import { Turns } from '../memory/turns.js';

const NO_MEDIA: ReceivedLines = { accepted: 0, dropped: 0, rejected: [] };

@Injectable()
export class IngestService {
  private latestUs = 0;

  constructor(
    private readonly spanStore: SpanStore,
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly turns: Turns,
    private readonly prices: PriceList,
    private readonly media: MediaService,
    private readonly forwarder: SpanForwarder,
    private readonly live: LiveChanges,
  ) {}

  /**
   * Stores the valid lines of an NDJSON body. Resolves after the commit.
   *
   * @param author replaces the authors in the body's scores
   * @throws PayloadTooLargeException when the body has more than `LIMITS.bodyLines` lines or `LIMITS.bodyAttributes` attributes
   * @throws BusyException when the memory budget is used up
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

  /** Stores spans and scores that were not sent as lines. Resolves after the commit. */
  store(
    accountId: string,
    { spans, scores, forwarded }: Pick<ReadBatch, 'spans' | 'scores' | 'forwarded'>,
    author?: Author,
  ): Promise<IngestAnswer> {
    const nothingElse = { traces: [], media: [], rejected: [], texts: new Map() };
    return this.put(accountId, { spans, scores, forwarded, ...nothingElse }, undefined, author);
  }

  /** Not `async`: while the store works, nothing here may hold the batch (see `SqliteSpanStore`). */
  private put(
    accountId: string,
    { spans, traces, scores, media, rejected, texts, forwarded }: ReadBatch,
    batchId: string | undefined,
    author: Author | undefined,
  ): Promise<IngestAnswer> {
    const accepted = spans.length + traces.length + scores.length;
    const refs = this.forwarder.refs(spans, scores, forwarded);
    const stored = this.spanStore.ingest(accountId, {
      ...(batchId !== undefined && { batchId }),
      spans,
      traces: traces.map((patch) => ({ ...patch, at: patch.at ?? this.nextTimestamp() })),
      costs: this.findCosts(spans),
      texts,
      receivedAt: formatTimestamp(this.clock.nowUs()),
    });
    const scored = this.addScores(accountId, scores, author);
    const written = Promise.all([stored, scored]);
    // After the spans: they show which traces are deleted.
    const received = media.length === 0 ? NO_MEDIA : stored.then(() => this.media.receive(accountId, media));
    // After spans and scores, since the forwarder skips missing spans as deleted, and after the media, which it sends with them. Spans whose
    // media failed are queued, and repeated batches too: the process may have died between storing and queueing.
    const queued =
      refs === undefined
        ? undefined
        : Promise.all([written, Promise.allSettled([received])]).then(() =>
            this.forwarder.queue(accountId, refs),
          );
    const announced = written.then(() => {
      this.live.changed(accountId);
    });
    return Promise.all([written, received, queued, announced]).then(
      ([[{ duplicate, dropped }, droppedScores], ofMedia]) => {
        const allDropped = dropped + droppedScores + ofMedia.dropped;
        return {
          accepted: accepted + ofMedia.accepted,
          rejected: [...rejected, ...ofMedia.rejected],
          ...(duplicate && { duplicate }),
          ...(allDropped > 0 && { dropped: allDropped }),
        };
      },
    );
  }

  /** Those of a batch that is sent again are known by their ids. */
  private async addScores(accountId: string, scores: ScoreRecord[], author?: Author): Promise<number> {
    if (scores.length === 0) return 0;
    return this.meta.scores.add(accountId, author ? scores.map((score) => ({ ...score, author })) : scores);
  }

  private findCosts(spans: readonly SpanRecord[]): Map<SpanRecord, SpanCost> {
    const costs = new Map<SpanRecord, SpanCost>();
    for (const span of spans) {
      const { usage } = span.span_data;
      if (span.type !== 'llm' || usage === undefined) continue;
      const cost = this.prices.findCost(usage, parseTimestamp(span.started_at) ?? 0);
      if (cost !== undefined) costs.set(span, cost);
    }
    return costs;
  }

  /** Rejects invalid lines one by one. */
  private async read(
    body: Iterable<BodyLine>,
    memory: Reservation,
    turns: Pick<Turns, 'next'>,
  ): Promise<ReadBatch> {
    const batch: ReadBatch = {
      spans: [],
      traces: [],
      scores: [],
      media: [],
      rejected: [],
      texts: new Map(),
      forwarded: new Set(),
    };
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
          ? addLine(batch, number, await parseLineInTurns({ number, text }, memory, turns))
          : addLine(batch, number, parseAtOnce({ number, text }, memory), text);
      if (attributes > LIMITS.bodyAttributes) throw tooMany('attributes of traces', LIMITS.bodyAttributes);
    }
    return batch;
  }

  /** Patches of version 0.1 have no time: they count in the order of arrival. */
  private nextTimestamp(): string {
    this.latestUs = Math.max(this.clock.nowUs(), this.latestUs + 1);
    return formatTimestamp(this.latestUs);
  }
}

/** The empty text after the last line break is a line too. */
const LAST_LINE_END = 1;

const BYTES_IN_A_TURN = 256 * 1024;

interface ReadBatch {
  spans: SpanRecord[];
  traces: TraceRecord[];
  scores: ScoreRecord[];
  media: MediaLine[];
  rejected: Rejection[];
  texts: Map<SpanRecord, ReadonlyMap<string, string>>;
  /** Spans and scores that another collector forwarded. */
  forwarded: ReadonlySet<SpanRecord | ScoreRecord>;
}

function tooMany(what: string, most: number): PayloadTooLargeException {
  return new PayloadTooLargeException(`The body has more than ${most} ${what}. Send it in smaller batches.`);
}

function countNames(metadata: object = {}, contexts: object = {}): number {
  return Object.keys(metadata).length + Object.keys(contexts).length;
}

/** The path of the payload in a line. */
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
 * @param text the line, from which the JSON of the payload is cut; without it the payload is encoded again, in turns
 * @returns the number of trace attributes in the line
 */
function addLine(batch: ReadBatch, line: number, parsed: IngestLine, text?: string): number {
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
  else if ('media' in parsed) batch.media.push({ line, media: parsed.media });
  else batch.rejected.push(parsed.rejection);
  return 0;
}
