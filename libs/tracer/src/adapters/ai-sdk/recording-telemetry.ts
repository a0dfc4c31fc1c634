import { contextStorage } from '../../context/context-storage.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { ExternalOutcome } from '../../recording/external-attributes.js';
import { ExternalSpans, type ExternalSpanStart } from '../../recording/external-spans.js';
import type { Recorder } from '../../recording/recorder.js';
import type { SpanDefinitionOptions } from '../../recording/span-definition.js';
import type { AiSdkEvent, AiSdkExecution, AiSdkTelemetry } from './ai-sdk-types.js';
import {
  modelCallInput,
  modelCallOutcome,
  operationInput,
  operationOutcome,
  toolInput,
  toolOutcome,
} from './event-facts.js';
import { failureOf } from './failure.js';
import { RecordingTracer } from './recording-tracer.js';
import { defineModelCall, defineOperation, defineToolCall } from './span-definitions.js';

/** How many running operations are remembered; the oldest is forgotten first. */
const OPERATIONS_KEPT = 1_000;

interface Operation {
  /** Spans that are open, by their ids: the operation itself, its model calls, its tools. */
  readonly open: Map<string, { start: ExternalSpanStart; span: ActiveSpan | undefined }>;
  modelCalls: number;
  /** Spans started so far: part of their ids, since some models give the calls of every step the same ids. */
  parts: number;
}

/**
 * Records operations of the AI SDK. Versions 5 and 6 use its `tracer`; version 7 calls its methods, and runs model
 * calls and tools through `execute…`, so that what they call nests under them.
 */
export class RecordingTelemetry implements AiSdkTelemetry {
  readonly isEnabled = true;
  readonly tracer: RecordingTracer;

  private readonly spans: ExternalSpans | undefined;
  private readonly operations = new Map<string, Operation>();

  /** @param recorder absent while tracing is off: then nothing is recorded */
  constructor(private readonly recorder: Recorder | undefined) {
    this.tracer = new RecordingTracer(recorder);
    this.spans = recorder && new ExternalSpans(recorder, () => undefined);
  }

  onStart(data: object): void {
    this.guard(() => {
      const event = data as AiSdkEvent;
      this.operations.set(event.callId, { open: new Map(), modelCalls: 0, parts: 0 });
      const [oldest] = this.operations.keys();
      if (this.operations.size > OPERATIONS_KEPT && oldest !== undefined) this.operations.delete(oldest);
      const definition = defineOperation(event['operationId'], event['functionId']);
      this.start(event.callId, event.callId, definition, operationInput(event));
    });
  }

  onLanguageModelCallStart(data: object): void {
    this.guard(() => {
      const event = data as AiSdkEvent;
      const operation = this.operations.get(event.callId);
      if (operation === undefined) return;
      operation.modelCalls++;
      this.start(
        event.callId,
        modelCallId(operation),
        defineModelCall(event['modelId']),
        modelCallInput(event),
      );
    });
  }

  onLanguageModelCallEnd(data: object): void {
    this.guard(() => {
      const event = data as AiSdkEvent;
      const operation = this.operations.get(event.callId);
      if (operation !== undefined)
        this.end(event.callId, modelCallId(operation), () => modelCallOutcome(event));
    });
  }

  onObjectStepStart(event: object): void {
    this.onLanguageModelCallStart(event);
  }

  onObjectStepEnd(event: object): void {
    this.onLanguageModelCallEnd(event);
  }

  onToolExecutionStart(data: object): void {
    this.guard(() => {
      const event = data as AiSdkEvent;
      const { toolCallId, toolName } = event['toolCall'] as { toolCallId: string; toolName: string };
      this.start(event.callId, toolCallId, defineToolCall(toolName), toolInput(event));
    });
  }

  onToolExecutionEnd(data: object): void {
    this.guard(() => {
      const event = data as AiSdkEvent;
      const { toolCallId } = event['toolCall'] as { toolCallId: string };
      this.end(event.callId, toolCallId, () => toolOutcome(event));
    });
  }

  onEnd(data: object): void {
    const event = data as AiSdkEvent;
    const { error } = failureOf(event);
    const inside = error === undefined ? { cancelled: true } : { error };
    this.close(event.callId, () => operationOutcome(event), inside);
  }

  onAbort(event: object): void {
    this.close((event as AiSdkEvent).callId, () => ({ cancelled: true }), { cancelled: true });
  }

  onError(event: unknown): void {
    const { callId, error } = (
      typeof event === 'object' && event !== null ? event : {}
    ) as Partial<AiSdkEvent>;
    if (callId !== undefined) this.close(callId, () => ({ error }), { error });
  }

  executeLanguageModelCall<T>(call: AiSdkExecution<T>): PromiseLike<T> {
    const operation = this.operations.get(call.callId);
    return this.runInside(operation?.open.get(modelCallId(operation))?.span, call);
  }

  executeTool<T>(call: AiSdkExecution<T>): PromiseLike<T> {
    return this.runInside(this.operations.get(call.callId)?.open.get(call.toolCallId ?? '')?.span, call);
  }

  private runInside<T>(span: ActiveSpan | undefined, { execute }: AiSdkExecution<T>): PromiseLike<T> {
    return span === undefined ? execute() : contextStorage.run(span, execute);
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
    operation.open.set(id, { start, span: this.spans?.start(start) });
  }

  private end(callId: string, id: string, read: () => ExternalOutcome): void {
    const operation = this.operations.get(callId);
    const opened = operation?.open.get(id);
    if (opened === undefined) return;
    operation?.open.delete(id);
    this.spans?.end(opened.start, undefined, read);
  }

  /** Ends an operation, and before it what is still open inside. */
  private close(callId: string, read: () => ExternalOutcome, inside: ExternalOutcome): void {
    this.guard(() => {
      for (const id of this.operations.get(callId)?.open.keys() ?? []) {
        if (id !== callId) this.end(callId, id, () => inside);
      }
      this.end(callId, callId, read);
      this.operations.delete(callId);
      this.spans?.closeTrace(callId);
    });
  }

  private guard(work: () => void): void {
    this.recorder?.guard('recording an AI SDK operation', work);
  }
}

function modelCallId({ modelCalls }: Operation): string {
  return `model call ${modelCalls}`;
}
