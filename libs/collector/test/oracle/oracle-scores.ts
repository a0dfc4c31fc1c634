import { formatTimestamp, parseTimestamp, type ScoreRecord } from '@dacapo/protocol';
import {
  fulfils,
  type ScoreFilter,
  type ScoreKey,
  scoreKeyOf,
  type ScoreQuery,
} from '../../src/storage/score-log.js';
import type { Range } from '../../src/storage/span-store.js';
import { newestFirst } from './newest-first.js';

/** The scores of one account, in the order in which they came. */
export class OracleScores {
  private readonly byId = new Map<string, { score: ScoreRecord; arrivedUs: number }>();

  add(scores: readonly ScoreRecord[], arrivedUs: number): void {
    for (const score of scores) {
      const created_at = formatTimestamp(parseTimestamp(score.created_at) ?? 0);
      if (!this.byId.has(score.id)) this.byId.set(score.id, { score: { ...score, created_at }, arrivedUs });
    }
  }

  /** The newest first. @param untilUs what arrived later is not seen yet */
  list(query: ScoreQuery, range: Range, untilUs: number): ScoreRecord[] {
    const scores = (query.history ? this.seen(untilUs) : this.latest(untilUs)).filter((score) =>
      isMeant(score, query),
    );
    return newestFirst(scores, range, ({ created_at, id }) => [created_at, id]);
  }

  /** What has a score that counts and fulfils the filter. */
  scored(target: ScoreKey['target'], filter: ScoreFilter, untilUs: number): ScoreKey[] {
    return this.latest(untilUs)
      .filter((score) => fulfils(score, filter))
      .map(scoreKeyOf)
      .filter((key) => key.target === target);
  }

  /** Of the scores that count; `null` is none. */
  namesOf(target: ScoreKey['target'], untilUs: number): string[] {
    const latest = this.latest(untilUs).filter(
      (score) => score.value !== null && scoreKeyOf(score).target === target,
    );
    return latest.map(({ name }) => name);
  }

  /** @returns how many */
  delete(isMeant: (score: ScoreRecord) => boolean): number {
    const meant = [...this.byId.values()].filter(({ score }) => isMeant(score));
    for (const { score } of meant) this.byId.delete(score.id);
    return meant.length;
  }

  private seen(untilUs: number): ScoreRecord[] {
    return [...this.byId.values()].filter(({ arrivedUs }) => arrivedUs <= untilUs).map(({ score }) => score);
  }

  private latest(untilUs: number): ScoreRecord[] {
    const latest = new Map<string, ScoreRecord>();
    for (const score of this.seen(untilUs)) {
      const { name, author, created_at, id } = score;
      const identity = JSON.stringify([scoreKeyOf(score), name, author.kind, author.name]);
      const known = latest.get(identity);
      const isLater =
        known === undefined ||
        created_at > known.created_at ||
        (created_at === known.created_at && id > known.id);
      if (isLater) latest.set(identity, score);
    }
    return [...latest.values()];
  }
}

function isMeant(score: ScoreRecord, query: ScoreQuery): boolean {
  const { traceId, spanId, sessionId, testRunId, itemNo, name, author } = query;
  return (
    (traceId === undefined || score.trace_id === traceId) &&
    (spanId === undefined || score.span_id === spanId) &&
    (sessionId === undefined || score.session_id === sessionId) &&
    (testRunId === undefined || score.test_run_id === testRunId) &&
    (itemNo === undefined || score.item_no === itemNo) &&
    (name === undefined || score.name === name) &&
    (author === undefined || score.author.name === author)
  );
}
