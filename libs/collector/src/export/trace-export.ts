import type { ScoreRecord } from '@dacapo/protocol';
import { ServiceUnavailableException } from '@nestjs/common';
import { encodeCursor } from '../cursor.js';
import type { Turns } from '../memory/turns.js';
import type { ScoreQuery } from '../storage/score-log.js';
import type { ListedTrace, SpanStore, TracePosition } from '../storage/span-store.js';
import type { TraceFilter } from '../storage/trace-filter.js';
import { batchesOf, scoreLine, spanLine, traceLines, type TracePart } from './trace-lines.js';

/** Which traces, and behind which. */
export interface ExportPlace {
  /** The filter as a query string: cursors hold it. */
  query: string;
  filter: TraceFilter;
  after?: TracePosition;
}

const TRACES_AT_ONCE = 50;
/** Spans of traces that are looked up together, without payloads. */
const NODES_AT_ONCE = 2_000;
/** Scores may have long explanations. */
const SCORES_AT_ONCE = 50;

/**
 * Traces of one account as texts of whole lines, some at a time: the spans of each, its scores, and what is known of it. With the
 * last trace of a session come the scores of the session.
 */
export class TraceExport {
  constructor(
    private readonly store: SpanStore,
    private readonly turns: Turns,
    private readonly accountId: string,
    private readonly place: ExportPlace,
  ) {}

  async *texts(): AsyncGenerator<string> {
    let { after } = this.place;
    do {
      await this.turns.next();
      const range = { limit: TRACES_AT_ONCE, ...(after && { after }) };
      const { traces, lookedUntil } = await this.store.listTraces(this.accountId, this.place.filter, range);
      for (const some of groupsOf(traces)) yield* this.textsOf(some);
      after = traces.length === TRACES_AT_ONCE ? traces.at(-1)?.position : lookedUntil;
    } while (after !== undefined);
  }

  private async *textsOf(traces: readonly ListedTrace[]): AsyncGenerator<string> {
    const ids = traces.map(({ trace }) => trace.id);
    const nodes = await this.store.listNodes(this.accountId, ids);
    for (const batch of batchesOf(traces, nodes)) {
      await this.turns.next();
      yield* this.textsOfBatch(batch);
    }
  }

  private async *textsOfBatch(parts: readonly TracePart[]): AsyncGenerator<string> {
    const refs = parts.flatMap(({ nodes }) => nodes);
    const spans = await this.store.readSpans(this.accountId, refs);
    // Later than the spans: what a span says of its trace is known when the span can be read.
    const known = await this.store.readFacts(
      this.accountId,
      parts.map(({ listed }) => listed.trace.id),
    );
    const lines = new Map(spans.map((span) => [`${span.trace_id}/${span.id}`, spanLine(span)]));
    let text = '';
    for (const { listed, nodes, isEnd } of parts) {
      const trace = known.find(({ id }) => id === listed.trace.id);
      // It was deleted meanwhile.
      if (trace === undefined) continue;
      for (const { trace_id, span_id } of nodes) {
        const line = lines.get(`${trace_id}/${span_id}`);
        if (line === undefined && !this.store.capabilities.atomicBatches) {
          throw new ServiceUnavailableException(
            `Span ${span_id} of trace ${trace_id} cannot be read yet. Go on with the export later`,
          );
        }
        text += line ?? '';
      }
      if (!isEnd) continue;
      for await (const score of this.scoresOf({ traceId: listed.trace.id })) text += scoreLine(score);
      const session = trace.facts.find(({ kind }) => kind === 'session_id');
      if (session !== undefined) {
        for await (const score of this.scoresOfSession(session.text, listed.position))
          text += scoreLine(score);
      }
      text += traceLines(trace, encodeCursor([...listed.position, this.place.query]));
      if (text.length < LEAST_TEXT) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }

  private async *scoresOf(query: ScoreQuery): AsyncGenerator<ScoreRecord> {
    let after: readonly [string, string] | undefined;
    do {
      const range = { limit: SCORES_AT_ONCE, ...(after && { after }) };
      const { scores } = await this.store.listScores(this.accountId, { ...query, history: true }, range);
      yield* scores;
      const last = scores.length === SCORES_AT_ONCE ? scores.at(-1) : undefined;
      after = last && [last.created_at, last.id];
    } while (after !== undefined);
  }

  /** Once for each session, whoever goes on with the export: with the trace that comes last of it. */
  private async *scoresOfSession(sessionId: string, position: TracePosition): AsyncGenerator<ScoreRecord> {
    const query = { sessionId, history: true } as const;
    const { scores } = await this.store.listScores(this.accountId, query, { limit: 1 });
    if (scores.length === 0 || (await this.hasMoreOf(sessionId, position))) return;
    yield* this.scoresOf({ sessionId });
  }

  private async hasMoreOf(sessionId: string, position: TracePosition): Promise<boolean> {
    const filter = { ...this.place.filter, sessionId };
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

/** What is sent in one go. */
const LEAST_TEXT = 64 * 1024;

/** Traces with few spans come together. */
function* groupsOf(traces: readonly ListedTrace[]): Generator<readonly ListedTrace[]> {
  let group: ListedTrace[] = [];
  let nodes = 0;
  for (const listed of traces) {
    nodes += listed.trace.span_count;
    if (group.length > 0 && nodes > NODES_AT_ONCE) {
      yield group;
      group = [];
      nodes = listed.trace.span_count;
    }
    group.push(listed);
  }
  if (group.length > 0) yield group;
}
