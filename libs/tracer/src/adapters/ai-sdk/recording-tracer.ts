import { toMembers, hasMembers } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { endWithOutcome, errorFromText, setAttributes } from '../../recording/external-attributes.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Recorder } from '../../recording/recorder.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import { defineSpan, type SpanDefinitionOptions } from '../../recording/span-definition.js';
import type { AiSdkSpan, AiSdkSpanOptions, AiSdkTracer } from './ai-sdk-types.js';
import { attributeInput, attributeOutcome, type Attributes, pickMetadata } from './attribute-facts.js';
import { hearStreamErrors } from './outcome-facts.js';
import { defineModelCall, defineOperation, defineToolCall } from './span-definitions.js';

const NOT_RECORDED: AiSdkSpan = createSpan(
  () => undefined,
  () => undefined,
);
const STATUS_ERROR = 2;

/**
 * The OpenTelemetry tracer for versions 5 and 6. The work of an active span runs inside one of our spans, so that calls nest.
 * OpenTelemetry itself is not used.
 */
export class RecordingTracer implements AiSdkTracer {
  private readonly openSpans = new WeakMap<ActiveSpan, OpenedSpan>();

  constructor(private readonly recorder: Recorder | undefined) {}

  startSpan(name: string, options: AiSdkSpanOptions = {}): AiSdkSpan {
    return this.open(name, options)?.handle ?? NOT_RECORDED;
  }

  /** The work is the last argument; options and context before it are optional. */
  startActiveSpan<F extends (span: AiSdkSpan) => unknown>(name: string, ...rest: unknown[]): ReturnType<F> {
    const work = rest.at(-1) as (span: AiSdkSpan) => ReturnType<F>;
    const options = rest.length > 1 ? (rest[0] as AiSdkSpanOptions) : {};
    const opened = this.open(name, options);
    return opened === undefined ? work(NOT_RECORDED) : opened.run(work);
  }

  private open(name: string, options: AiSdkSpanOptions): OpenedSpan | undefined {
    const { recorder } = this;
    return recorder?.guard('starting an AI SDK span', () => {
      const attributes: Record<string, unknown> = { ...options.attributes };
      const definition = defineSpan({ captureInput: (args) => args, ...defineByName(name, attributes) });
      const around = currentRecordingFrame()?.span;
      const span = recorder.open(definition, []);
      if (span === undefined) return undefined;
      span.setInput(undefined);
      setAttributes(span, attributeInput(attributes));
      const { sessionId } = pickMetadata(attributes);
      if (typeof sessionId === 'string') span.trace.setSessionId(sessionId);
      const opened = new OpenedSpan(span, attributes, around && this.openSpans.get(around));
      this.openSpans.set(span, opened);
      return opened;
    });
  }
}

/** An open span, and the open spans inside. */
class OpenedSpan {
  readonly handle: AiSdkSpan;

  private readonly inside = new Set<OpenedSpan>();
  private readonly isModelCall: boolean;
  private error: unknown;
  private streamError: unknown;

  constructor(
    private readonly span: ActiveSpan,
    private readonly attributes: Record<string, unknown>,
    private readonly around: OpenedSpan | undefined,
  ) {
    this.isModelCall = span.start.definition.type === 'llm';
    this.around?.inside.add(this);
    this.handle = createSpan(
      (more, failure) => {
        Object.assign(this.attributes, more);
        this.error ??= failure;
      },
      () => {
        this.end();
      },
    );
  }

  run<R>(work: (handle: AiSdkSpan) => R): R {
    const result = contextStorage.run(this.span, work, this.handle);
    if (!this.isModelCall) return result;
    return hearStreamed(result, (error) => {
      this.streamError = error;
    });
  }

  /** The SDK ends an aborted operation without a reason, and does not end the spans inside. */
  private end(isCancelled = this.inside.size > 0): void {
    this.around?.inside.delete(this);
    for (const inner of this.inside) inner.end(true);
    endWithOutcome(this.span, () => ({
      ...attributeOutcome(this.attributes, this.isModelCall, this.streamError),
      ...(this.error !== undefined ? { error: this.error } : isCancelled && { cancelled: true }),
    }));
  }
}

/** The work of a streaming model call returns a promise of `{ result: { stream } }`. */
function hearStreamed<R>(working: R, heard: (error: unknown) => void): R {
  if (!(working instanceof Promise)) return working;
  return working.then((value: unknown) => {
    const { result } = toMembers(value);
    return hasMembers(result) ? { ...toMembers(value), result: hearStreamErrors(result, heard) } : value;
  }) as R;
}

function defineByName(name: string, attributes: Attributes): SpanDefinitionOptions {
  if (name === 'ai.toolCall') return defineToolCall(attributes['ai.toolCall.name']);
  if (/\.do[A-Z]\w*$/.test(name)) return defineModelCall(attributes['ai.model.id'], name);
  return defineOperation(name, attributes['ai.telemetry.functionId']);
}

/** @param note takes attributes, and what was thrown */
function createSpan(note: (attributes: Attributes, error?: unknown) => void, end: () => void): AiSdkSpan {
  const span: AiSdkSpan = {
    setAttribute: (name, value) => {
      note({ [name]: value });
      return span;
    },
    setAttributes: (attributes) => {
      note(attributes as Attributes);
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    recordException: (error) => {
      const { name, message } = error as Partial<Error>;
      note({}, error instanceof Error ? error : errorFromText(name ?? 'Error', message ?? 'The call failed'));
    },
    setStatus: ({ code, message }) => {
      if (code === STATUS_ERROR) note({}, errorFromText('Error', message ?? 'The call failed'));
      return span;
    },
    end,
    isRecording: () => true,
    spanContext: () => ({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }),
  };
  return span;
}
