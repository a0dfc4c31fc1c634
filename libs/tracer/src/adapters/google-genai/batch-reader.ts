import { errorFromText } from '../../recording/external-attributes.js';
import { BatchCounter, batchFacts } from '../clients/batch-totals.js';
import type { AnswerFacts, AnswerVerdict, ModelReader } from '../clients/model-method.js';
import { count, toFields } from '../readers.js';
import { READERS } from './content-reader.js';

/** `batches.create`, `createEmbeddings`, `get` and `cancel`. The usage counts once, in the first answer that has the results. */
export const BATCH: ModelReader = { prompt: () => undefined, answer: readBatch, verdict: readVerdict };

function readBatch(answer: unknown): AnswerFacts {
  const { name, state, dest } = toFields(answer);
  const { inlinedResponses, inlinedEmbedContentResponses: embedded } = toFields(dest);
  const counter = new BatchCounter();
  for (const { response, error } of toEntries(inlinedResponses)) {
    const { usage, facts } = READERS.generateContent.answer(response);
    if (error === undefined) counter.add('succeeded', facts?.['responseModel'], usage);
    else counter.add('failed');
  }
  for (const { response, error } of toEntries(embedded))
    counter.add(
      error === undefined ? 'succeeded' : 'failed',
      undefined,
      count('input_tokens', toNumber(toFields(response)['tokenCount'])),
    );
  const { usage, facts } = batchFacts(counter.totals(), name);
  return { usage, facts: { ...facts, finishReason: state, responseId: name } };
}

function toEntries(list: unknown): { response?: unknown; error?: unknown }[] {
  return Array.isArray(list) ? list.map(toFields) : [];
}

/** Counts of 64 bits are texts in JSON. */
function toNumber(value: unknown): unknown {
  return typeof value === 'string' ? Number(value) : value;
}

function readVerdict(answer: unknown): AnswerVerdict | undefined {
  const { state, error } = toFields(answer);
  if (state === 'JOB_STATE_CANCELLED') return { status: 'cancelled' };
  if (state === 'JOB_STATE_PARTIALLY_SUCCEEDED') return { level: 'warn' };
  if (state !== 'JOB_STATE_FAILED' && state !== 'JOB_STATE_EXPIRED') return undefined;
  const { message } = toFields(error);
  const text = typeof message === 'string' ? message : 'The batch failed';
  return state === 'JOB_STATE_FAILED'
    ? { status: 'error', error: errorFromText('BatchFailed', text) }
    : { status: 'error', error: errorFromText('BatchExpired', 'The batch expired') };
}
