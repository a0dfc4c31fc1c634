import type { SpanKind, SpanType, Members } from '@dacapo/protocol';
import { type ContextFrame, enteredFrame } from '../../context/context-storage.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { ActiveTrace } from '../../recording/active-trace.js';
import type { ExternalAttributes, ExternalOutcome } from '../../recording/external-attributes.js';
import { ExternalSpans, type ExternalSpanStart } from '../../recording/external-spans.js';
import type { Recorder } from '../../recording/recorder.js';
import type { LangChainSerialized } from './langchain-types.js';
import { knownFacts } from '../readers.js';

export interface RunStart {
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly type: SpanType;
  /** `chain`, `tool`, `model`, `retriever`: part of the key. */
  readonly kind: string;
  readonly name: string;
  readonly tags: readonly string[] | undefined;
  readonly metadata: Members | undefined;
  /** Parameters of the model call. */
  readonly extra?: Members | undefined;
  /** The arguments of the model's constructor. */
  readonly settings?: Members | undefined;
  /** The last message that a model gets. */
  readonly question?: string | undefined;
  readonly attributes: ExternalAttributes;
}

/** A request of a vendor's client, before its span opens. */
export interface PendingRequest {
  readonly model: unknown;
  readonly prompt: () => string | undefined;
}

export interface OpenRun extends RunStart {
  readonly start: ExternalSpanStart;
  readonly span: ActiveSpan | undefined;
  readonly startedMs: number;
  /** The frame that started it, because a model's code cannot see its run in LangChain. */
  readonly entered: ContextFrame | undefined;
  /** Number of requests that were assigned to it. */
  requests: number;
  firstTokenAfterMs: number | undefined;
}

/** The kinds of runs that are kinds of spans. */
const KINDS: Readonly<Record<string, SpanKind>> = { tool: 'tool', retriever: 'retrieval' };

/** How many open runs are remembered; the oldest is forgotten first, and its end is then not recorded. */
const RUNS_KEPT = 10_000;
const NAME_LENGTH = 200;

/** LangChain's runs as external spans. Events name a run and its parent; the outermost run is the trace. */
export class LangChainRuns {
  private readonly spans: ExternalSpans;
  private readonly open = new Map<string, OpenRun>();

  constructor(private readonly recorder: Recorder) {
    this.spans = new ExternalSpans(recorder, () => {
      const id = currentRunId();
      const run = id === undefined ? undefined : this.open.get(id);
      return run && { traceId: run.start.traceId, id: run.runId };
    });
  }

  start(run: RunStart): void {
    const parent = run.parentRunId === undefined ? undefined : this.open.get(run.parentRunId);
    const traceId = parent?.start.traceId ?? run.parentRunId ?? run.runId;
    const start: ExternalSpanStart = {
      traceId,
      id: run.runId,
      parentId: parent === undefined ? undefined : run.parentRunId,
      definition: {
        key: `langchain.${run.kind}.${run.name}`,
        name: run.name,
        type: run.type,
        kind: KINDS[run.kind],
      },
      startedAtMs: undefined,
      attributes: { ...run.attributes, contexts: ownContexts(run, parent) },
    };
    noteSession(this.spans.openTrace(traceId), run.metadata);
    const span = this.spans.start(start);
    this.open.set(run.runId, {
      ...run,
      start,
      span,
      startedMs: this.recorder.nowMs(),
      entered: enteredFrame(),
      requests: 0,
      firstTokenAfterMs: undefined,
    });
    const [oldest] = this.open.keys();
    if (this.open.size > RUNS_KEPT && oldest !== undefined) this.open.delete(oldest);
  }

  openRun(runId: string): ActiveSpan | undefined {
    return this.open.get(runId)?.span;
  }

  /**
   * Finds the open model run that sends this request: one that started in the same frame and whose question is in the prompt. If several
   * runs match, each gets one request. Otherwise, the request would be a sibling of the run, and its usage would count twice.
   */
  findModelRun({ model, prompt }: PendingRequest): ActiveSpan | undefined {
    const entered = enteredFrame();
    let text: string | undefined;
    let found: OpenRun | undefined;
    for (const run of this.open.values()) {
      if (run.kind !== 'model' || run.entered !== entered) continue;
      const { ls_model_name: name } = run.metadata ?? {};
      if (typeof name === 'string' && typeof model === 'string' && name !== model) continue;
      text ??= prompt() ?? '';
      if (!text.includes(run.question ?? '')) continue;
      if (found === undefined || run.requests < found.requests) found = run;
    }
    if (found !== undefined) found.requests++;
    return found?.span;
  }

  noteToken(runId: string): void {
    const run = this.open.get(runId);
    if (run !== undefined) run.firstTokenAfterMs ??= this.recorder.nowMs() - run.startedMs;
  }

  end(runId: string, read: (run: OpenRun) => ExternalOutcome): void {
    const run = this.open.get(runId);
    if (run === undefined) return;
    this.open.delete(runId);
    this.spans.end(run.start, undefined, () => read(run));
    if (run.start.parentId === undefined) this.spans.closeTrace(run.start.traceId);
  }
}

/** Returns the tags and metadata that the run does not inherit: LangChain passes them on to inner runs. */
function ownContexts({ tags, metadata }: RunStart, parent: OpenRun | undefined): object[] | undefined {
  const own = Object.entries(metadata ?? {}).filter(
    ([name, value]) => !/^(ls_|__|langgraph_)/.test(name) && parent?.metadata?.[name] !== value,
  );
  const ownTags = tags?.filter((tag) => !tag.startsWith('seq:step:') && parent?.tags?.includes(tag) !== true);
  return [
    ...(ownTags === undefined || ownTags.length === 0 ? [] : [{ tags: ownTags }]),
    ...(knownFacts(Object.fromEntries(own)) ?? []),
  ];
}

/** Returns a run's name, otherwise the name of its class. */
export function nameRun(serialized: LangChainSerialized | undefined, runName: string | undefined): string {
  const name = runName ?? serialized?.name ?? serialized?.id?.at(-1) ?? 'run';
  return name.slice(0, NAME_LENGTH);
}

function noteSession(trace: ActiveTrace, metadata: Members | undefined): void {
  const sessionId = metadata?.['session_id'] ?? metadata?.['sessionId'] ?? metadata?.['thread_id'];
  if (typeof sessionId === 'string') trace.setSessionId(sessionId);
}

/** Key of LangChain's storage for the running configuration, set when `@langchain/core/context` or LangGraph is loaded. */
const STORAGE = Symbol.for('ls:tracing_async_local_storage');
const CONFIG = Symbol.for('lc:child_config');

interface RunConfig {
  readonly callbacks?: { getParentRunId?: () => string | undefined };
}

interface RunTree {
  readonly extra?: Record<symbol, RunConfig | undefined>;
}

const globals = globalThis as unknown as Record<symbol, { getStore(): RunTree | undefined } | undefined>;

/** Returns the id of the currently running LangChain run, without loading the package. */
function currentRunId(): string | undefined {
  const config: RunConfig | undefined = globals[STORAGE]?.getStore()?.extra?.[CONFIG];
  return config?.callbacks?.getParentRunId?.();
}
