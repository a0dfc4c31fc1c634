import { toMembers } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { ExternalOutcome } from '../../recording/external-attributes.js';
import { ExternalSpans, type ExternalSpanStart } from '../../recording/external-spans.js';
import type { Recorder } from '../../recording/recorder.js';
import type { SpanDefinitionOptions } from '../../recording/span-definition.js';
import type { AiSdkEvent, AiSdkExecution } from './ai-sdk-types.js';
import {
  isModelCall,
  modelCallInput,
  modelCallOutcome,
  operationInput,
  operationOutcome,
  toolInput,
  toolOutcome,
} from './event-facts.js';
import { findFailure, hearStreamErrors } from './outcome-facts.js';
import { defineModelCall, defineOperation, defineToolCall } from './span-definitions.js';

/** How many running operations are remembered; the oldest is forgotten first. */
const OPERATIONS_KEPT = 1_000;

interface Operation {
  /** Spans that are open, by their ids: the operation itself, its model calls, its tools. */
  readonly open: Map<string, { start: ExternalSpanStart; span: ActiveSpan | undefined }>;
  modelCalls: number;
  /** Spans started so far: part of their ids, since some models give the calls of every step the same ids. */
  parts: number;
  /** What the provider reported during a stream. */
  streamError: unknown;
}

/**
 * Records operations of version 7 of the AI SDK. It runs model calls and tools through `execute…`, so that what they call nests under
 * them.
 */
export class RecordingTelemetry {
  private readonly spans: ExternalSpans;
  private readonly operations = new Map<string, Operation>();

  constructor(private readonly recorder: Recorder) {
    this.spans = new ExternalSpans(recorder, () => undefined);
  }

  onStart(data: object): void {
    this.guard(data, (event) => {
      this.operations.set(event.callId, { open: new Map(), modelCalls: 0, parts: 0, streamError: undefined });
      const [oldest] = this.operations.keys();
      if (this.operations.size > OPERATIONS_KEPT && oldest !== undefined) this.operations.delete(oldest);
      const definition = defineOperation(event['operationId'], event['functionId']);
      const type = isModelCall(event) ? 'llm' : definition.type;
      this.start(event.callId, event.callId, { ...definition, type }, operationInput(event));
      const { sessionId } = toMembers(event['runtimeContext']);
      if (typeof sessionId === 'string') this.spans.openTrace(event.callId).setSessionId(sessionId);
    });
  }

  onLanguageModelCallStart(data: object): void {
    this.guard(data, (event, operation) => {
      operation.modelCalls++;
      this.startModelCall(event, modelCallId(operation));
    });
  }

  onLanguageModelCallEnd(data: object): void {
    this.guard(data, (event, operation) => {
      this.end(event.callId, modelCallId(operation), () => modelCallOutcome(event, operation.streamError));
    });
  }

  onObjectStepStart(event: object): void {
    this.onLanguageModelCallStart(event);
  }

  onObjectStepEnd(event: object): void {
    this.onLanguageModelCallEnd(event);
  }

  /** An embedding of many values is several requests at a time. */
  onEmbedStart(data: object): void {
    this.guard(data, (event) => {
      this.startModelCall(event, `embed ${String(event['embedCallId'])}`);
    });
  }

  onEmbedEnd(data: object): void {
    this.guard(data, (event) => {
      this.end(event.callId, `embed ${String(event['embedCallId'])}`, () => modelCallOutcome(event));
    });
  }

  onRerankStart(data: object): void {
    this.guard(data, (event) => {
      this.startModelCall(event, 'rerank');
    });
  }

  onRerankEnd(data: object): void {
    this.guard(data, (event) => {
      this.end(event.callId, 'rerank', () => modelCallOutcome(event));
    });
  }

  onToolExecutionStart(data: object): void {
    this.guard(data, (event) => {
      const { toolCallId, toolName } = toMembers(event['toolCall']);
      this.start(event.callId, String(toolCallId), defineToolCall(toolName), toolInput(event));
    });
  }

  onToolExecutionEnd(data: object): void {
    this.guard(data, (event) => {
      const { toolCallId } = toMembers(event['toolCall']);
      this.end(event.callId, String(toolCallId), () => toolOutcome(event));
    });
  }

  onEnd(data: object): void {
    this.guard(data, (event, { streamError }) => {
      const { error } = findFailure(event, streamError);
      const inside = error === undefined ? { cancelled: true } : { error };
      this.close(event.callId, () => operationOutcome(event, streamError), inside);
    });
  }

  onAbort(data: object): void {
    this.guard(data, ({ callId }) => {
      this.close(callId, () => ({ cancelled: true }), { cancelled: true });
    });
  }

  onError(data: unknown): void {
    this.guard(data, ({ callId, error }) => {
      this.close(callId, () => ({ error }), { error });
    });
  }

  executeLanguageModelCall<T>(call: AiSdkExecution<T>): PromiseLike<T> {
    const operation = this.operations.get(call.callId);
    const answer = this.runInside(operation?.open.get(modelCallId(operation))?.span, call);
    if (operation === undefined) return answer;
    return answer.then((value) =>
      hearStreamErrors(value, (error) => {
        operation.streamError = error;
      }),
    );
  }

  executeTool<T>(call: AiSdkExecution<T>): PromiseLike<T> {
    return this.runInside(this.operations.get(call.callId)?.open.get(call.toolCallId ?? '')?.span, call);
  }

  private runInside<T>(span: ActiveSpan | undefined, { execute }: AiSdkExecution<T>): PromiseLike<T> {
    return span === undefined ? execute() : contextStorage.run(span, execute);
  }

  private startModelCall(event: AiSdkEvent, id: string): void {
    this.start(event.callId, id, defineModelCall(event['modelId'], id), modelCallInput(event));
  }

  private start(
    callId: string,
    id: string,
    definition: SpanDefinitionOptions,
    attributes: ExternalSpanStart['attributes'],
  ): void {
    const operation = this.operations.get(callId);
    if (operation === undefined || operation.open.has(id)) return;
    const isWhole = id === callId;
    const start: ExternalSpanStart = {
      traceId: callId,
      id: isWhole ? id : `${id} ${++operation.parts}`,
      parentId: isWhole ? undefined : callId,
      definition,
      startedAtMs: undefined,
      attributes,
    };
    operation.open.set(id, { start, span: this.spans.start(start) });
  }

  private end(callId: string, id: string, read: () => ExternalOutcome): void {
    const operation = this.operations.get(callId);
    const opened = operation?.open.get(id);
    if (opened === undefined) return;
    operation?.open.delete(id);
    this.spans.end(opened.start, undefined, read);
  }

  /** Ends an operation, and before it what is still open inside. */
  private close(callId: string, read: () => ExternalOutcome, inside: ExternalOutcome): void {
    for (const id of this.operations.get(callId)?.open.keys() ?? []) {
      if (id !== callId) this.end(callId, id, () => inside);
    }
    this.end(callId, callId, read);
    this.operations.delete(callId);
    this.spans.closeTrace(callId);
  }

  /** Ignores events of unknown calls: telemetry may receive anything. */
  private guard(data: unknown, work: (event: AiSdkEvent, operation: Operation) => void): void {
    this.recorder.guard('recording an AI SDK operation', () => {
      const { callId, ...event } = toMembers(data);
      if (typeof callId !== 'string') return;
      work({ ...event, callId }, this.operations.get(callId) ?? NO_OPERATION);
    });
  }
}

/** For events of a call that was dropped or never started. */
const NO_OPERATION: Operation = { open: new Map(), modelCalls: 0, parts: 0, streamError: undefined };

function modelCallId({ modelCalls }: Operation): string {
  return `model call ${modelCalls}`;
}
