import { toMembers } from '@dacapo/protocol';
import { BatchCounter, batchFacts, type BatchTotals } from '../clients/batch-totals.js';
import { NOTHING_USED } from '../clients/counted-usage.js';
import type { AnswerGatherer, ModelReader } from '../clients/model-method.js';
import { readUsage } from './usage.js';

/** `messages.batches.create`, `retrieve` and `cancel`: the results have the usage. */
export const BATCH: ModelReader = {
  prompt: () => undefined,
  answer: (answer) => {
    const { id, processing_status: status, request_counts: counts } = toMembers(answer);
    return { usage: NOTHING_USED, facts: { finishReason: status, responseId: id, requestCounts: counts } };
  },
};

interface GatheredResults extends BatchTotals {
  readonly firstId: unknown;
}

/** `messages.batches.results`. The usage of a batch counts once, even if it is read twice. */
export const BATCH_RESULTS: ModelReader = {
  prompt: () => undefined,
  answer: (answer) => {
    const totals = answer as GatheredResults;
    return batchFacts(totals, totals.firstId);
  },
  gather: () => new ResultGatherer(),
};

/** Counts the results and adds up their usage: the chunks have the messages. */
class ResultGatherer implements AnswerGatherer {
  private readonly counter = new BatchCounter();
  private firstId: unknown;

  add(entry: unknown): boolean {
    const { type, message } = toMembers(toMembers(entry)['result']);
    const { id, model, usage } = toMembers(message);
    this.firstId ??= id;
    this.counter.add(String(type), model, message === undefined ? undefined : readUsage(usage));
    return true;
  }

  answer(): GatheredResults {
    return { ...this.counter.totals(), firstId: this.firstId };
  }
}
