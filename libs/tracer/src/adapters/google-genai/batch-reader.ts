import { type Members, toList, toMembers } from '@dacapo/protocol';
import { errorFromText } from '../../recording/external-attributes.js';
import { BatchCounter, batchFacts } from '../clients/batch-totals.js';
import type { AnswerFacts, AnswerVerdict, ModelReader } from '../clients/model-method.js';
import { count } from '../readers.js';
import { resultFile } from '../clients/result-file.js';
import { READERS } from './content-reader.js';

/** `batches.create`, `createEmbeddings`, `get` and `cancel`. The usage counts once, in the first answer that has the results. */
export const BATCH: ModelReader = { prompt: () => undefined, answer: readBatch, verdict: readVerdict };

function readBatch(answer: unknown): AnswerFacts {
  const { name, state, dest } = toMembers(answer);
  const { inlinedResponses, inlinedEmbedContentResponses: embedded } = toMembers(dest);
  const counter = new BatchCounter();
  for (const entry of [...toList(inlinedResponses), ...toList(embedded)])
    addResult(counter, toMembers(entry));
  const { usage, facts } = batchFacts(counter.totals(), name);
  return { usage, facts: { ...facts, finishReason: state, responseId: name } };
}

/** `files.download`. */
export const RESULT_FILE: ModelReader = resultFile(
  (request) => {
    const { file } = toMembers(request);
    return toMembers(file)['name'] ?? file;
  },
  (counter, line) => {
    if ('response' in line || 'error' in line) addResult(counter, line);
  },
);

function addResult(counter: BatchCounter, { response, error }: Members): void {
  const { tokenCount } = toMembers(response);
  const { usage, facts } = READERS.generateContent.answer(response);
  if (error !== undefined) counter.add('failed');
  else if (tokenCount === undefined) counter.add('succeeded', facts?.['responseModel'], usage);
  else counter.add('succeeded', undefined, count('input_tokens', toNumber(tokenCount)));
}

/** Converts 64-bit counts, which are strings in JSON. */
function toNumber(value: unknown): unknown {
  return typeof value === 'string' ? Number(value) : value;
}

function readVerdict(answer: unknown): AnswerVerdict | undefined {
  const { state, error } = toMembers(answer);
  if (state === 'JOB_STATE_CANCELLED') return { status: 'cancelled' };
  if (state === 'JOB_STATE_PARTIALLY_SUCCEEDED') return { level: 'warn' };
  if (state !== 'JOB_STATE_FAILED' && state !== 'JOB_STATE_EXPIRED') return undefined;
  const { message } = toMembers(error);
  const text = typeof message === 'string' ? message : 'The batch failed';
  return state === 'JOB_STATE_FAILED'
    ? { status: 'error', error: errorFromText('BatchFailed', text) }
    : { status: 'error', error: errorFromText('BatchExpired', 'The batch expired') };
}
