import {
  type AddScoresAnswer,
  type Author,
  formatTimestamp,
  isJsonObject,
  type JsonValue,
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
import { encodeCursor, type PageRequest, positionOf, takePage } from '../cursor.js';
import type { ScoreQuery } from '../storage/score-log.js';
import { SpanStore } from '../storage/span-store.js';

/** What people, programs and evaluators say of traces, spans, sessions and items of test runs. */
@Injectable()
export class ScoreService {
  constructor(
    private readonly store: SpanStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes scores one by one: a refused one never harms its neighbours. One without id or time gets them here.
   *
   * @param author who gives them, whatever they say; what they say when absent
   */
  async add(accountId: string, entries: JsonValue[], author?: Author): Promise<AddScoresAnswer> {
    const now = formatTimestamp(this.clock.nowUs());
    const rejected: RefusedEntry[] = [];
    const scores = entries.flatMap((entry, index): ScoreRecord[] => {
      if (index >= LIMITS.scores) {
        rejected.push({
          index,
          detail: `scores may be ${LIMITS.scores} in one request, and this is one more`,
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
    await this.store.ingest(accountId, { spans: [], traces: [], scores, receivedAt: now });
    return { accepted: scores.length, rejected };
  }

  /** The newest first. A page may end early, as that of a list of traces. @throws InvalidCursorError */
  async list(accountId: string, query: ScoreQuery, page: PageRequest): Promise<Page<ScoreRecord>> {
    const range = { limit: page.limit + 1, ...positionOf(page, 'time', 'text') };
    const { scores, lookedUntil } = await this.store.listScores(accountId, query, range);
    const { kept: items, ...full } = takePage(scores, page.limit, ({ created_at, id }) => [created_at, id]);
    const next = lookedUntil && !full.next_cursor ? { next_cursor: encodeCursor(lookedUntil) } : full;
    return { items, ...next };
  }
}
