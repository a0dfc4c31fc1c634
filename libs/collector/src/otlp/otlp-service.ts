import { type Author, formatTimestamp, ProtocolError, type SpanRecord } from '@dacapo/protocol';
import type { OtlpPlace } from '@dacapo/protocol/otlp';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { IngestService } from '../ingest/ingest-service.js';
import type { Reservation } from '../memory/memory-budget.js';
import { TimedTurns } from '../memory/timed-turns.js';
import { Turns } from '../memory/turns.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { shareResources, type SpanOfResource } from './share-resources.js';
import { FrameError, type SpanFrame, type SplitBody } from './span-frame.js';
import { type AccountLineage, SpanLineage, type StoredLineage } from './span-lineage.js';
import type { ReadSpan } from './read-span.js';
import { SpanReader } from './span-reader.js';

/** What the service did with the spans of a request. */
export interface OtlpOutcome {
  /** Spans that are stored now or were stored before. */
  readonly accepted: number;
  /** For each span that could not be stored, the reason. */
  readonly rejected: readonly string[];
  /** Spans without AI content, which are not stored. */
  readonly skipped: number;
  /** Accepted spans and scores of deleted traces. */
  readonly dropped: number;
}

/** Stores OpenTelemetry spans. Each is decoded, converted and masked on its own. */
@Injectable()
export class OtlpService {
  private readonly lineage = new SpanLineage();

  constructor(
    private readonly ingestion: IngestService,
    private readonly reader: SpanReader,
    private readonly spanStore: SpanStore,
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly turns: Turns,
  ) {}

  /**
   * Stores the spans of a body. Resolves after the commit.
   *
   * @param author replaces the authors of scores
   * @throws BusyException, PayloadTooLargeException from the reservation
   */
  async ingest(
    accountId: string,
    { frames, problems }: SplitBody,
    memory: Reservation,
    author?: Author,
  ): Promise<OtlpOutcome> {
    const turns = new TimedTurns(this.turns.of(accountId));
    // Before any span is read, so that a request that needs too much is refused at once.
    memory.grow(frames.reduce((weight, frame) => weight + frame.sourceWeight, 0));
    const { spans: read, rejected, skipped } = await this.read(accountId, frames, memory, turns);
    const known = await this.readLineage(accountId, read, skipped);
    const lineage = this.lineage.of(accountId, known);
    // One step without waiting, so that simultaneous requests know each other's skipped spans.
    const needed: SpanFrame[] = [];
    const newlySkipped: OtlpPlace[] = [];
    for (const { frame, place } of skipped) {
      if (lineage.isParent(place)) needed.push(frame);
      else if (lineage.skip(place)) newlySkipped.push(place);
    }
    const connecting = await this.read(accountId, needed, memory, turns, true);
    read.push(...connecting.spans);
    for (const { span } of read) attach(span, lineage);
    shareResources(read);
    const spans = read.map(({ span }) => span);
    const scores = read.flatMap((one) => one.scores);
    const forwarded = new Set(
      read.filter((one) => one.isForwarded).flatMap((one) => [one.span, ...one.scores]),
    );
    const [{ accepted, dropped = 0 }] = await Promise.all([
      this.ingestion.store(accountId, { spans, scores, forwarded }, author),
      newlySkipped.length === 0
        ? undefined
        : this.meta.skippedSpans.add(accountId, newlySkipped, formatTimestamp(this.clock.nowUs())),
    ]);
    return {
      accepted: accepted - scores.length,
      rejected: [...problems, ...rejected],
      skipped: skipped.length - needed.length,
      dropped,
    };
  }

  /** @param keepsAll also converts spans without AI content */
  private async read(
    accountId: string,
    frames: readonly SpanFrame[],
    memory: Reservation,
    turns: TimedTurns,
    keepsAll = false,
  ): Promise<ReadSpans> {
    const read: ReadSpans = { spans: [], skipped: [], rejected: [] };
    for (const frame of frames) {
      try {
        const { place, span, ...rest } = await this.reader.read(accountId, frame, memory, turns, keepsAll);
        if (span === undefined) read.skipped.push({ frame, place });
        else read.spans.push({ span, resource: frame.resource, ...rest });
      } catch (error) {
        if (!(error instanceof FrameError || error instanceof ProtocolError)) throw error;
        read.rejected.push(`A span ${error.message}`);
      }
    }
    return read;
  }

  /** What the stores know of the traces whose spans need a decision: whether to skip them, or what to attach them to. */
  private async readLineage(
    accountId: string,
    spans: readonly SpanOfResource[],
    skippedSpans: ReadSpans['skipped'],
  ): Promise<StoredLineage> {
    const stored = new Set(spans.map(({ span }) => `${span.trace_id}/${span.id}`));
    const withSkipped = new Set(skippedSpans.map(({ place }) => place.traceId));
    const undecided = new Set(withSkipped);
    for (const {
      span: { trace_id, parent_id },
    } of spans)
      if (parent_id !== undefined && !stored.has(`${trace_id}/${parent_id}`)) undecided.add(trace_id);
    const [nodes, skipped] = await Promise.all([
      withSkipped.size === 0 ? [] : this.spanStore.listNodes(accountId, [...withSkipped]),
      undecided.size === 0 ? [] : this.meta.skippedSpans.list(accountId, [...undecided]),
    ]);
    return { nodes, skipped };
  }
}

interface ReadSpans {
  readonly spans: (SpanOfResource & Omit<ReadSpan, 'place'>)[];
  readonly skipped: { readonly frame: SpanFrame; readonly place: OtlpPlace }[];
  readonly rejected: string[];
}

/** Attaches a span to its nearest stored ancestor. */
function attach(span: SpanRecord, lineage: AccountLineage): void {
  if (span.parent_id === undefined) return;
  const parentId = lineage.findStored(span.trace_id, span.parent_id);
  if (parentId === undefined) delete span.parent_id;
  else {
    span.parent_id = parentId;
    lineage.markParent(span.trace_id, parentId);
  }
}
