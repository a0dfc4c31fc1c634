import {
  type CurrentExternalSpan,
  ExternalSpans,
  type ExternalSpanStart,
} from '../../recording/external-spans.js';
import type { Recorder } from '../../recording/recorder.js';
import type { AgentsSpan, AgentsTrace } from './agents-types.js';
import { AgentRuns } from './agent-runs.js';
import { defineAgentsSpan } from './span-definition.js';
import { readAgentsSpan } from './span-facts.js';

/** Records agent runs. Nothing it does throws into them, because an event that fails fails the user's run. */
export class RecordingProcessor {
  private readonly spans: ExternalSpans;
  private readonly runs = new AgentRuns();

  constructor(private readonly recorder: Recorder) {
    this.spans = new ExternalSpans(recorder, currentAgentsSpan);
  }

  onTraceStart(agentsTrace: AgentsTrace): void {
    this.guard('starting an agents trace', () => {
      const { traceId, groupId, metadata } = agentsTrace;
      const trace = this.spans.openTrace(traceId);
      if (typeof groupId === 'string') trace.setSessionId(groupId);
      if (metadata !== undefined && Object.keys(metadata).length > 0) trace.setMetadata(metadata);
    });
  }

  onTraceEnd(agentsTrace: AgentsTrace): void {
    this.guard('ending an agents trace', () => {
      this.spans.closeTrace(agentsTrace.traceId);
    });
  }

  onSpanStart(span: AgentsSpan): void {
    this.guard('starting an agents span', () => {
      if (span.endedAt !== null) return;
      this.runs.started(span);
      this.spans.start(toSpanStart(span));
    });
  }

  onSpanEnd(span: AgentsSpan): void {
    this.guard('ending an agents span', () => {
      const run = this.runs.ended(span);
      this.spans.end(toSpanStart(span), epochMs(span.endedAt), () => ({ ...readAgentsSpan(span), ...run }));
      // The package does not report the end of a failed run's trace.
      if (span.parentId === null && span.error !== null) this.spans.closeTrace(span.traceId);
    });
  }

  private guard(doing: string, work: () => void): void {
    this.recorder.guard(doing, work);
  }
}

function toSpanStart(span: AgentsSpan): ExternalSpanStart {
  return {
    traceId: span.traceId,
    id: span.spanId,
    parentId: span.parentId ?? undefined,
    definition: defineAgentsSpan(span.spanData),
    startedAtMs: epochMs(span.startedAt),
  };
}

function epochMs(iso: string | null): number | undefined {
  const ms = iso === null ? NaN : Date.parse(iso);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Where every copy of the package keeps its current span. */
const STORAGE = Symbol.for('openai.agents.core.asyncLocalStorage');

interface AgentsContext {
  readonly active?: boolean;
  readonly trace?: { readonly traceId: string };
  readonly span?: { readonly traceId: string; readonly spanId: string };
}

const globals = globalThis as unknown as Record<
  symbol,
  { getStore(): AgentsContext | undefined } | undefined
>;

/** The Agents span that is open right now, read without the package. */
const currentAgentsSpan: CurrentExternalSpan = () => {
  const context = globals[STORAGE]?.getStore();
  if (context?.active !== true) return undefined;
  const { span, trace } = context;
  if (span !== undefined) return { traceId: span.traceId, id: span.spanId };
  return trace && { traceId: trace.traceId, id: undefined };
};
