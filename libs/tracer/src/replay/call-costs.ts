import { type ModelCalls, type Usage, readUsage } from '@dacapo/evaluation';
import { LIMITS, type UsageRecord } from '@dacapo/protocol';
import type { ReplayItem } from '../replay-types.js';
import type { RunSource } from './source/run-source.js';

/** The model calls of one side of an item. */
export interface ModelUse {
  /** The usage of those that reported it. */
  readonly reported: readonly UsageRecord[];
  /** How many reported no usage. */
  readonly withoutUsage: number;
}

/** The model calls of an item's candidate and recording; absent if unknown. */
export interface CountedCalls {
  readonly now?: ModelUse | undefined;
  readonly original?: ModelUse | undefined;
}

/** The fields that a price depends on; nothing else is sent. */
const PRICED_BY = [
  'model',
  'response_model',
  'provider',
  'service_tier',
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
  'input_audio_tokens',
  'output_audio_tokens',
] as const;

interface Question {
  readonly usages: readonly UsageRecord[];
  readonly settle: (costs: readonly (number | null)[]) => void;
}

/**
 * Computes the costs of items with the source's current prices for both sides, so that a difference in cost is one of usage. Items that
 * are replayed at the same time share a request.
 */
export class CallCosts {
  /** Why costs are unknown, if the source did not answer. */
  problem: string | undefined;

  private waiting: Question[] = [];
  private isAsking = false;

  constructor(private readonly source: Pick<RunSource, 'costs'>) {}

  /**
   * Writes the costs of both sides into `item`. Both come from the same origin: the recorded costs if every call of both sides has one,
   * otherwise costs that the source computes. A side with a call without a price has no cost. Also writes how many calls reported usage.
   * Never rejects.
   */
  async addTo(item: ReplayItem, { now, original }: CountedCalls): Promise<void> {
    const sides = [now?.reported ?? [], original?.reported ?? []];
    const reported = sides.map((calls) => sumCosts(calls.map((usage) => readUsage(usage).costUsd)));
    const isWhole = sides.every((calls, side) => calls.length === 0 || reported[side] !== undefined);
    const computed = isWhole ? reported : await this.compute(sides);
    const source = computed[0] === undefined && reported[0] !== undefined ? reported : computed;
    const [usage, originalUsage] = [withCost(item.usage, source[0]), withCost(item.originalUsage, source[1])];
    if (usage === undefined) delete item.usage;
    else item.usage = usage;
    if (originalUsage === undefined) delete item.originalUsage;
    else item.originalUsage = originalUsage;
    const [calls, originalCalls] = [toModelCalls(now, usage), toModelCalls(original, originalUsage)];
    if ((calls?.made ?? 0) + (originalCalls?.made ?? 0) === 0) return;
    if (calls !== undefined) item.modelCalls = calls;
    if (originalCalls !== undefined) item.originalModelCalls = originalCalls;
  }

  private async compute(sides: readonly (readonly UsageRecord[])[]): Promise<(number | undefined)[]> {
    const usages = sides.flat().map(pricedFacts);
    if (usages.length > LIMITS.pricedUsages || !usages.some(({ model }) => model !== undefined)) return [];
    const costs = await new Promise<readonly (number | null)[]>((settle) => {
      this.waiting.push({ usages, settle });
      void this.askAll();
    });
    let from = 0;
    return sides.map(({ length }) =>
      sumCosts(costs.slice(from, (from += length)).map((cost) => cost ?? undefined)),
    );
  }

  private async askAll(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    for (let some = this.takeWaiting(); some.length > 0; some = this.takeWaiting()) {
      const costs = await this.ask(some.flatMap(({ usages }) => usages));
      let from = 0;
      for (const { usages, settle } of some) settle(costs.slice(from, (from += usages.length)));
    }
    this.isAsking = false;
  }

  private takeWaiting(): Question[] {
    let usages = 0;
    const isOver = (question: Question): boolean => (usages += question.usages.length) > LIMITS.pricedUsages;
    const end = this.waiting.findIndex(isOver);
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }

  private async ask(usages: readonly UsageRecord[]): Promise<readonly (number | null)[]> {
    const none = usages.map(() => null);
    if (this.problem !== undefined) return none;
    try {
      return await this.source.costs(usages);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      return none;
    }
  }
}

function toModelCalls(use: ModelUse | undefined, sum: Usage | undefined): ModelCalls | undefined {
  if (use === undefined) return undefined;
  const { reported, withoutUsage } = use;
  const countReporting = (measure: keyof Usage): number =>
    reported.filter((usage) => readUsage(usage)[measure] !== undefined).length;
  return {
    made: reported.length + withoutUsage,
    inputTokens: countReporting('inputTokens'),
    outputTokens: countReporting('outputTokens'),
    costUsd: sum?.costUsd === undefined ? 0 : reported.length,
  };
}

/** A sum without all of its parts would be too low. */
function sumCosts(costs: readonly (number | undefined)[]): number | undefined {
  if (costs.length === 0) return undefined;
  return costs.reduce<number | undefined>(
    (sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost),
    0,
  );
}

function pricedFacts(usage: UsageRecord): UsageRecord {
  return Object.fromEntries(
    PRICED_BY.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]]])),
  );
}

function withCost(baseUsage: Usage | undefined, costUsd: number | undefined): Usage | undefined {
  const usage = { ...baseUsage };
  delete usage.costUsd;
  if (costUsd !== undefined) usage.costUsd = costUsd;
  return Object.keys(usage).length === 0 ? undefined : usage;
}
