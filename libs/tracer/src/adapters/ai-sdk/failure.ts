import { errorFromText } from '../../recording/external-attributes.js';

const BROKEN_OFF = 'The model broke off with an error, which the AI SDK tells to onError of the call alone';

/** Why an answer is no success, though its call came to an end: a stream breaks off without a throw. */
export function failureOf({ error, finishReason }: Readonly<Record<string, unknown>>): { error?: unknown } {
  if (error !== undefined) return { error };
  return finishReason === 'error' ? { error: errorFromText('AiSdkError', BROKEN_OFF) } : {};
}
