/**
 * Structural types for the parts of `@opentelemetry/api` 1 and `@opentelemetry/sdk-trace-base` 1 to 3 that the bridge uses. They are
 * assignable to and from the original types.
 */

export interface OtelSpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

export type OtelAttributeValue =
  | string
  | number
  | boolean
  | (string | null | undefined)[]
  | (number | null | undefined)[]
  | (boolean | null | undefined)[];

export type OtelAttributes = Record<string, OtelAttributeValue | undefined>;

/** `[seconds, nanoseconds]` since the epoch. */
export type OtelTime = [number, number];

/** A writable span. */
export interface OtelSpan {
  spanContext(): OtelSpanContext;
  setAttributes(attributes: OtelAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  addEvent(name: string, attributes?: OtelAttributes): unknown;
  end(endTime?: number): void;
  isRecording(): boolean;
}

export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

export interface OtelContextManager {
  active(): OtelContext;
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: OtelContext,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F>;
  bind<T>(context: OtelContext, target: T): T;
  enable(): this;
  disable(): this;
}

export interface OtelTracerProvider {
  getTracer(
    name: string,
    version?: string,
  ): {
    startSpan(
      name: string,
      options: { startTime?: number; attributes?: OtelAttributes },
      context: OtelContext,
    ): OtelSpan;
  };
}

/** A span as processors see it: while it is open, and when it has ended. */
export interface OtelReadableSpan {
  readonly name: string;
  readonly kind: number;
  spanContext(): OtelSpanContext;
  /** From SDK 2 on. */
  readonly parentSpanContext?: OtelSpanContext | undefined;
  /** Up to SDK 1. */
  readonly parentSpanId?: string | undefined;
  readonly startTime: OtelTime;
  readonly endTime: OtelTime;
  readonly status: { code: number; message?: string };
  readonly attributes: object;
  readonly links: readonly { context: OtelSpanContext; attributes?: object }[];
  readonly events: readonly { name: string; time: OtelTime; attributes?: object }[];
  /** From SDK 2 on. */
  readonly instrumentationScope?: OtelScope;
  /** Up to SDK 1. */
  readonly instrumentationLibrary?: OtelScope;
}

export interface OtelScope {
  readonly name: string;
  readonly version?: string;
}

export interface OtelSpanProcessor {
  onStart(span: OtelReadableSpan, parentContext: OtelContext): void;
  onEnd(span: OtelReadableSpan): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** The key of the current span in a context. `@opentelemetry/api` makes keys by `Symbol.for`, so that its copies share them. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');

/** The current span of a context. */
export function spanIn(context: OtelContext): Pick<OtelSpan, 'spanContext'> | undefined {
  return context.getValue(SPAN_KEY) as Pick<OtelSpan, 'spanContext'> | undefined;
}

export function withCurrentSpan(context: OtelContext, span: OtelSpan): OtelContext {
  return context.setValue(SPAN_KEY, span);
}

/** The scope of the spans that accompany ours. Spans with it are never recorded again. */
export const OUR_SCOPE = '@dacapo/tracer';

export function scopeOf(span: OtelReadableSpan): OtelScope | undefined {
  return span.instrumentationScope ?? span.instrumentationLibrary;
}
