import { type UsageRecord, type Members, toMembers } from '@dacapo/protocol';
import { errorFromText } from '../../recording/external-attributes.js';

const BROKEN_OFF = 'The model failed with an error that the AI SDK passes only to onError of the call';

/** Why an answer failed although its call ended: a stream can break off without a throw. */
export function findFailure({ error, finishReason }: Members, streamError?: unknown): { error?: unknown } {
  if (error !== undefined) return { error };
  return finishReason === 'error' ? { error: streamError ?? errorFromText('AiSdkError', BROKEN_OFF) } : {};
}

/** What OpenRouter's provider (a number) and Vercel's gateway (a text) report that a request cost, in US dollars. */
export function readReportedCost(providerMetadata: unknown): UsageRecord {
  const { openrouter, gateway } = toMembers(providerMetadata);
  const { usage } = toMembers(openrouter);
  const reported = toMembers(usage)['cost'] ?? toMembers(gateway)['cost'];
  const cost = typeof reported === 'string' && reported.trim() !== '' ? Number(reported) : reported;
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { cost_usd: cost } : {};
}

/** Replaces embeddings by their number and length, because readers cannot use thousands of numbers. */
export function summarizeVectors(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  const vectors: unknown[] = Array.isArray(value[0]) ? value : [value];
  const [first] = vectors;
  return { vectors: vectors.length, dimensions: Array.isArray(first) ? first.length : undefined };
}

/**
 * Observes the stream of a model call for `error` parts, which the SDK does not report to its telemetry. Only the SDK reads the stream.
 */
export function hearStreamErrors<T>(answer: T, heard: (error: unknown) => void): T {
  const { stream } = Object(answer) as { stream?: unknown };
  if (!(stream instanceof ReadableStream)) return answer;
  const followed = stream.pipeThrough(
    new TransformStream<unknown, unknown>({
      transform(part, controller) {
        const { type, error } = Object(part) as { type?: unknown; error?: unknown };
        if (type === 'error') heard(error);
        controller.enqueue(part);
      },
    }),
  );
  return { ...answer, stream: followed };
}
