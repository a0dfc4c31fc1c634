import { toMembers, hasMembers, toList } from '@dacapo/protocol';
import { errorFromText } from '../../recording/external-attributes.js';
import { isCountedFirst, NOTHING_USED } from '../clients/counted-usage.js';
import type { AnswerFacts, AnswerVerdict, ModelReader } from '../clients/model-method.js';
import { readUsage } from './usage.js';

const ENDED = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** `batches.create`, `retrieve` and `cancel`. The usage counts once, in the first answer that has it: the ended batch, or its file of results. */
export const BATCH: ModelReader = { prompt: () => undefined, answer: readBatch, verdict: readVerdict };

function readBatch(answer: unknown): AnswerFacts {
  const { id, status, model, usage, request_counts: counts, output_file_id: file } = toMembers(answer);
  const facts = { finishReason: status, responseModel: model, responseId: id, requestCounts: counts };
  const isCounted = ENDED.has(String(status)) && hasMembers(usage) && isCountedFirst(file ?? id);
  return { usage: isCounted ? { ...readUsage(usage), service_tier: 'batch' } : NOTHING_USED, facts };
}

function readVerdict(answer: unknown): AnswerVerdict | undefined {
  const { status, errors } = toMembers(answer);
  if (status === 'cancelled') return { status };
  if (status === 'expired')
    return { status: 'error', error: errorFromText('BatchExpired', 'The batch expired') };
  if (status !== 'failed') return undefined;
  const { data } = toMembers(errors);
  const { code, message } = toMembers(toList(data)[0]);
  const text = typeof message === 'string' ? message : 'The batch failed';
  return { status: 'error', error: errorFromText(typeof code === 'string' ? code : 'BatchFailed', text) };
}
