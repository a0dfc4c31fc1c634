import type { ExecutionContext } from '@nestjs/common';
import { getCurrentTrace } from '@dacapo/tracer';
import { answeredAtOnce, type DeferredSpan } from '@dacapo/tracer/internal';
import type { RequestOptions } from '../request-options.js';

/** Calls `enrich` as soon as something in a request or message is traced, and adds its result to the trace. */
export function noteEnrichment(
  span: DeferredSpan,
  context: ExecutionContext,
  { enrich }: RequestOptions,
): void {
  if (enrich === undefined) return;
  span.whenOpened(() => {
    const { sessionId, userId, tags, metadata } = answeredAtOnce('enrich', enrich(context));
    const trace = getCurrentTrace();
    if (sessionId !== undefined) trace.setSessionId(sessionId);
    if (userId !== undefined) trace.setUserId(userId);
    if (tags !== undefined) trace.setTags(tags);
    if (metadata !== undefined) trace.setMetadata(metadata);
  });
}
