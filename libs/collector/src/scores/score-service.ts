import {
  type AddScoresAnswer,
  type Author,
  formatTimestamp,
  isJsonObject,
  LIMITS,
  type Page,
  parseScoreRecord,
  ProtocolError,
  type RefusedEntry,
  type ScoreRecord,
} from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { encodeCursor, type PageRequest, readPosition, takePage } from '../cursor.js';
import { SpanForwarder } from '../forwarding/span-forwarder.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { ScoreQuery } from '../storage/ports/score.js';

/** Stores and lists scores of traces, spans, sessions and items of test runs. */
@Injectable()
export class ScoreService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
    private readonly forwarder: SpanForwarder,
  ) {}

  /**
   * Checks the scores one by one, and rejects only the invalid ones. Adds a missing id and time.
   *
   * @param author replaces the authors in the scores
   */
  async add(accountId: string, entries: readonly unknown[], author?: Author): Promise<AddScoresAnswer> {
    const now = formatTimestamp(this.clock.nowUs());
    const rejected: RefusedEntry[] = [];
    const scores = entries.flatMap((entry, index): ScoreRecord[] => {
      if (index >= LIMITS.scores) {
        rejected.push({
          index,
          detail: `scores may be ${LIMITS.scores} in one request`,
        });
        return [];
      }
      try {
        const score = isJsonObject(entry)
          ? { id: randomUUID(), created_at: now, ...entry, ...(author && { author: { ...author } }) }
          : entry;
        return [parseScoreRecord(score)];
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        rejected.push({ index, detail: error.message });
        return [];
      }
    });
    const refs = this.forwarder.refs([], scores, new Set());
    await this.meta.scores.add(accountId, scores);
    if (refs !== undefined) await this.forwarder.queue(accountId, refs);
    return { accepted: scores.length, rejected };
  }

  /** Newest first. A page may end early, like a page of traces. @throws InvalidCursorError */
  async list(accountId: string, query: ScoreQuery, page: PageRequest): Promise<Page<ScoreRecord>> {
    const range = { limit: page.limit + 1, ...readPosition(page, 'time', 'text') };
    const { scores, lookedUntil } = await this.meta.scores.list(accountId, query, range);
    const { kept: items, ...full } = takePage(scores, page.limit, ({ created_at, id }) => [created_at, id]);
    const next = lookedUntil && !full.next_cursor ? { next_cursor: encodeCursor(lookedUntil) } : full;
    return { items, ...next };
  }
}
