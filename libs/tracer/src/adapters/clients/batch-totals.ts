import type { UsageRecord } from '@dacapo/protocol';
import type { AnswerFacts } from './model-method.js';
import { isCountedFirst, NOTHING_USED } from './counted-usage.js';

/** What the results of a batch add up to. */
export interface BatchTotals {
  /** How many requests ended in which way. */
  readonly results: Readonly<Record<string, number>>;
  /** The answering model. Absent: none, or several, which have no common price. */
  readonly model?: unknown;
  readonly usage: UsageRecord;
}

/** Adds up the results of a batch. */
export class BatchCounter {
  private readonly results: Record<string, number> = {};
  private readonly models = new Set<unknown>();
  private readonly usage: Record<string, number> = {};

  /** @param usage absent: the request failed, or used nothing */
  add(kind: string, model?: unknown, usage?: UsageRecord): void {
    this.results[kind] = (this.results[kind] ?? 0) + 1;
    if (usage === undefined) return;
    this.models.add(model);
    for (const [name, amount] of Object.entries(usage))
      if (typeof amount === 'number') this.usage[name] = (this.usage[name] ?? 0) + amount;
  }

  totals(): BatchTotals {
    const { results, models, usage } = this;
    const [model] = models.size === 1 ? models : [];
    return { results, model, usage };
  }
}

/** The usage of a batch counts once in a process. `id`: what names the batch whenever its results are read. */
export function batchFacts({ results, model, usage }: BatchTotals, id: unknown): AnswerFacts {
  const isCounted = Object.keys(usage).length > 0 && isCountedFirst(id);
  return {
    usage: isCounted ? { ...usage, service_tier: 'batch' } : NOTHING_USED,
    facts: { responseModel: model, requestCounts: Object.keys(results).length > 0 ? results : undefined },
  };
}
