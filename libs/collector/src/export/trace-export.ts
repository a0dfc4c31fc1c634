import type { ScoreRecord } from '@dacapo/protocol';
import { ServiceUnavailableException } from '@nestjs/common';
import { encodeCursor } from '../cursor.js';
import type { Turns } from '../memory/turns.js';
import type { MetaStore } from '../storage/meta/meta-store.js';
import type { ScoreQuery } from '../storage/ports/score.js';
import type { SpanStore, TracePosition } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';
import { listTraceGroups } from './list-trace-groups.js';
import { mediaLine, splitBatches, scoreLine, spanLine, traceLines, type TracePart } from './trace-lines.js';

export interface ExportPlace {
  /** The filter as a query string, for cursors. */
  query: string;
  filter: TraceFilter;
  after?: TracePosition;
}

/** Scores may have long explanations. */
const SCORES_AT_ONCE = 50;

/**
 * Writes traces of one account as chunks of whole lines: for each trace its media, its spans, its scores and its facts. The scores of a session
 * come with its last trace.
 */
export class TraceExport {
  constructor(
    private readonly store: SpanStore,
    private readonly meta: Pick<MetaStore, 'media' | 'scores'>,
    private readonly turns: Turns,
    private readonly accountId: string,
    private readonly place: ExportPlace,
  ) {}

  async *texts(): AsyncGenerator<string> {
    for await (const { traces, nodes } of listTraceGroups(
      this.store,
      this.accountId,
      this.place,
      this.turns,
    )) {
      yield* this.readMedia(traces.map(({ trace }) => trace.id));
      for (const batch of splitBatches(traces, nodes)) {
        await this.turns.next();
        yield* this.readBatch(batch);
      }
    }
  }

  /** One at a time: each may have several MiB. */
  private async *readMedia(traceIds: readonly string[]): AsyncGenerator<string> {
    for (const { id, traceId } of await this.meta.media.list(this.accountId, traceIds)) {
      await this.turns.next();
      const found = await this.meta.media.find(this.accountId, id);
      if (found?.bytes !== undefined) yield* mediaLine({ ...found, trace_id: traceId }, found.bytes);
    }
  }

  private async *readBatch(parts: readonly TracePart[]): AsyncGenerator<string> {
    const refs = parts.flatMap(({ nodes }) => nodes);
    const spans = await this.store.readSpans(this.accountId, refs);
    // Read after the spans: the facts that a span carries are readable when the span is.
    const traces = await this.store.readFacts(
      this.accountId,
      parts.map(({ listed }) => listed.trace.id),
    );
    const lines = new Map(spans.map((span) => [`${span.trace_id}/${span.id}`, spanLine(span)]));
    let text = '';
    for (const { listed, nodes, isEnd } of parts) {
      const trace = traces.find(({ id }) => id === listed.trace.id);
      // The trace was deleted meanwhile.
      if (trace === undefined) continue;
      for (const { trace_id, span_id } of nodes) {
        const line = lines.get(`${trace_id}/${span_id}`);
        if (line === undefined && !this.store.capabilities.atomicBatches) {
          throw new ServiceUnavailableException(
            `Span ${span_id} of trace ${trace_id} cannot be read yet. Continue the export later`,
          );
        }
        text += line ?? '';
      }
      if (!isEnd) continue;
      for await (const score of this.readScores({ traceId: listed.trace.id })) text += scoreLine(score);
      const session = trace.facts.find(({ kind }) => kind === 'session_id');
      if (session !== undefined) {
        const scores = this.readSessionScores(session.text, listed.position);
        for await (const score of scores) text += scoreLine(score);
      }
      text += traceLines(trace, encodeCursor([...listed.position, this.place.query]));
      if (text.length < MIN_CHUNK_LENGTH) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }

  private async *readScores(query: ScoreQuery): AsyncGenerator<ScoreRecord> {
    let after: readonly [string, string] | undefined;
    do {
      const range = { limit: SCORES_AT_ONCE, ...(after && { after }) };
      const { scores } = await this.meta.scores.list(this.accountId, { ...query, history: true }, range);
      yield* scores;
      const last = scores.length === SCORES_AT_ONCE ? scores.at(-1) : undefined;
      after = last && [last.created_at, last.id];
    } while (after !== undefined);
  }

  /** Only with the last trace of the session, so that an export that is continued has them once. */
  private async *readSessionScores(sessionId: string, position: TracePosition): AsyncGenerator<ScoreRecord> {
    const query = { sessionId, history: true } as const;
    const { scores } = await this.meta.scores.list(this.accountId, query, { limit: 1 });
    if (scores.length === 0 || (await this.hasMoreTraces(sessionId, position))) return;
    yield* this.readScores({ sessionId });
  }

  private async hasMoreTraces(sessionId: string, position: TracePosition): Promise<boolean> {
    const filter = { ...this.place.filter, session_id: sessionId };
    let after: TracePosition | undefined = position;
    do {
      const { traces, lookedUntil } = await this.store.listTraces(this.accountId, filter, {
        limit: 1,
        after,
      });
      if (traces.length > 0) return true;
      after = lookedUntil;
    } while (after !== undefined);
    return false;
  }
}

const MIN_CHUNK_LENGTH = 64 * 1024;
