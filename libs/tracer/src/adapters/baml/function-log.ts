import { formatPrompt, type Members, toMembers } from '@dacapo/protocol';
import { findProvider } from '../find-provider.js';
import type { BamlBody, BamlCall, BamlCollector, BamlUsage } from './baml-types.js';
import { findFinishReason, findRequestModel, findResponseModel } from './http-bodies.js';
import { renderedMessages } from './rendered-messages.js';

/** One HTTP request of a call: a retry and a fallback make several. */
interface BamlAttempt {
  readonly client: string;
  readonly provider: string;
  readonly model: string | null;
  readonly status: number | null;
  readonly durationMs: number | null;
  readonly selected: boolean;
}

/** What is kept of a call's log, copied out of the native objects. Headers are never read. */
export interface BamlCallFacts {
  readonly prompt: string | undefined;
  readonly model: string | null;
  /** BAML's name for the kind of client. */
  readonly provider: string | null;
  /** Who answered: by the address, else by the kind of client; `undefined` for `openai-generic` at an unknown address. */
  readonly apiProvider: string | undefined;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly durationMs: number | null;
  readonly responseModel: string | undefined;
  readonly finishReason: string | undefined;
  /** In the order they were made in. */
  readonly attempts: readonly BamlAttempt[];
}

/** Reads the log of the one call that the collector was made for; `undefined` when nothing was sent. */
export function readFunctionLog(collector: BamlCollector): BamlCallFacts | undefined {
  const log = collector.last;
  if (log === null) return undefined;
  const calls = [...log.calls].sort(byStart);
  const decisive = calls.find(({ selected }) => selected) ?? calls.at(-1);
  if (decisive === undefined) return undefined;
  const request = readJson(decisive.httpRequest?.body);
  const response = readJson(decisive.httpResponse?.body);
  const usage: Partial<BamlUsage> = decisive.usage ?? log.usage;
  return {
    prompt: formatPrompt(renderedMessages(request)),
    model: findModel(decisive),
    provider: decisive.provider,
    apiProvider: apiProvider(decisive),
    inputTokens: usage.inputTokens ?? null,
    outputTokens: streamedOutputTokens(decisive) ?? usage.outputTokens ?? null,
    cachedInputTokens: usage.cachedInputTokens ?? null,
    durationMs: log.timing.durationMs,
    responseModel: findResponseModel(response) ?? streamed(decisive, findResponseModel),
    finishReason: findFinishReason(response) ?? streamed(decisive, findFinishReason),
    attempts: calls.map(toAttempt),
  };
}

/** Within one millisecond, what was selected came last. */
function byStart(a: BamlCall, b: BamlCall): number {
  return a.timing.startTimeUtcMs - b.timing.startTimeUtcMs || Number(a.selected) - Number(b.selected);
}

function toAttempt(call: BamlCall): BamlAttempt {
  return {
    client: call.clientName,
    provider: call.provider,
    model: findModel(call),
    status: call.httpResponse?.status ?? null,
    durationMs: call.timing.durationMs,
    selected: call.selected,
  };
}

function findModel(call: BamlCall): string | null {
  return findRequestModel(call.httpRequest?.url, readJson(call.httpRequest?.body)) ?? null;
}

function apiProvider({ httpRequest, provider }: BamlCall): string | undefined {
  return findProvider(httpRequest?.url) ?? (provider === 'openai-generic' ? undefined : provider);
}

function readJson(body: BamlBody | undefined): unknown {
  try {
    return body?.json();
  } catch {
    return undefined;
  }
}

/**
 * The output tokens of an Anthropic stream, from its last `message_delta`: the runtime reports what `message_start`
 * said, before there was any output.
 */
function streamedOutputTokens(call: BamlCall): number | undefined {
  return fromLatestEvent(call, (event) => {
    const tokens = toMembers(event['usage'])['output_tokens'];
    return event['type'] === 'message_delta' && typeof tokens === 'number' ? tokens : undefined;
  });
}

/** Facts of stream events: from the event itself, or from the provider's part of it. */
function streamed(call: BamlCall, read: (body: unknown) => string | undefined): string | undefined {
  return fromLatestEvent(call, (event) =>
    [event, event['delta'], event['response'], event['message']]
      .map(read)
      .find((value) => value !== undefined),
  );
}

function fromLatestEvent<T>(call: BamlCall, read: (event: Members) => T | undefined): T | undefined {
  for (const event of (call.sseResponses?.() ?? []).reverse()) {
    const found = read(toMembers(readJson(event)));
    if (found !== undefined) return found;
  }
  return undefined;
}
