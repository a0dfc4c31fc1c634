import type { UsageRecord } from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import type { Captured } from '../capture/captured.js';
import type { AnyFunction, SpanDefinition } from './span-definition.js';

/** Marks the code that a replay runs: the trace it starts belongs to a test run. */
export interface ReplayScope {
  readonly testRunId: string;
  /** Of the function that is played: its call in the scope is the new call, and no other is. */
  readonly key: string;
  /** The recorded span that is played again; absent when what is played was not recorded. */
  readonly sourceSpanId?: string | undefined;
  /** Absent: every call inside runs. */
  readonly calls?: ReplayedCalls | undefined;
  /** Set by the span of the new call when it opens; the first, when there are several. */
  started?: {
    readonly traceId: string;
    readonly spanId: string;
    readonly definition: SpanDefinition;
  };
}

/** A span that was opened inside a replay. */
export interface OpenedCall {
  readonly spanId: string;
  readonly start: {
    readonly definition: SpanDefinition;
    readonly parentId: string | undefined;
    /** It is the call that is played; no other is. */
    readonly isReplayRoot?: boolean;
    readonly recorder: { readonly fields: { readonly capturesInput: boolean } };
  };
  /** Its arguments; `undefined` when there are none, or they are not recorded. */
  readonly input: Captured | undefined;
  /** Settles when the files among its arguments are read; absent: there are none. */
  readonly filesRead?: Promise<unknown> | undefined;
  readonly trace: {
    /** Whether it is recorded. */
    readonly sampled: boolean;
  };
  /** What a model call used, known when it ends. */
  readonly usage: UsageRecord | undefined;
  /** It ended by an error. */
  readonly hasFailed: boolean;
  /** By which its caller can take it back; default: none. */
  readonly signals?: readonly AbortSignal[];
  /** Set by who answers the call: its function does not run. */
  isMocked: boolean;
  /** Set by who answers the call: the recorded span that the answer comes from. */
  mockedFrom: string | undefined;
}

/** What a replay does with the calls inside the one it plays. */
export interface ReplayedCalls {
  /** Told of every span of the trace, those of adapters too. Never throws. */
  opened(call: OpenedCall): void;
  /** What runs in place of a wrapped function: itself, or what gives the recorded outcome. Never throws. */
  chooseFunction(call: OpenedCall, fn: AnyFunction): AnyFunction;
  /** Told of every record of one, as it is sent: one that is sent early has two. Never throws. */
  written(line: ByteString): void;
  /** Told of every one that ended. Never throws. */
  ended(call: OpenedCall): void;
  /**
   * Asked before code inside connects to something; the error that it gets when it may not.
   *
   * @param spanId of the span that the code runs in
   */
  denyConnection(spanId: string | undefined, target: string): Error | undefined;
  /**
   * What the recorded time differs by from the real one, for the code of a span; 0 where it sees the real time. Never throws.
   *
   * @param spanId `undefined`: outside of every span
   */
  clockOffsetMs(spanId: string | undefined): number;
  /** The error of an answered call of which something is asked that was not recorded; it is told as a divergence. Never throws. */
  unanswerable(call: OpenedCall, reason: string): Error;
  /** What answers the requests of clients: only adapters know what is in it, and only replays load it. */
  readonly clientAnswers: object;
  /** What runs in place of a wrapped function whose call opens no span. @throws when nothing may */
  unrecorded(definition: SpanDefinition, fn: AnyFunction): AnyFunction;
}
