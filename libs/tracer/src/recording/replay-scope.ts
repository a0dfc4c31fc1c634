import type { UsageRecord } from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import type { Captured } from '../capture/captured.js';
import type { Capturer } from '../capture/capturer.js';
import type { AnyFunction, SpanDefinition } from './span-definition.js';

/** Marks the code that a replay runs: the trace it starts belongs to a test run. */
export interface ReplayScope {
  readonly testRunId: string;
  /** Key of the replayed function: its call in the scope is the new call. */
  readonly key: string;
  /** The recorded span that is replayed; absent for items without a recording. */
  readonly sourceSpanId?: string | undefined;
  /** Absent if every call inside runs. */
  readonly calls?: ReplayedCalls | undefined;
  /** Set when the span of the new call opens. If there are several, the first one counts. */
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
    /** Whether it is the replayed call itself. */
    readonly isReplayRoot?: boolean;
    readonly recorder: {
      readonly fields: {
        readonly capturesInput: boolean;
        readonly capturer: Capturer;
      };
    };
  };
  /** Its arguments; `undefined` when there are none, or they are not recorded. */
  readonly input: Captured | undefined;
  /** Settles when the files among its arguments are read; absent without files. */
  readonly filesRead?: Promise<unknown> | undefined;
  readonly trace: {
    /** Whether it is recorded. */
    readonly sampled: boolean;
  };
  /** The usage of a model call, known at its end. */
  readonly usage: UsageRecord | undefined;
  /** Whether it ended with an error. */
  readonly hasFailed: boolean;
  /** The signals with which its caller can cancel it; default: none. */
  readonly signals?: readonly AbortSignal[];
  /** Set when the call is answered: its function does not run. */
  isMocked: boolean;
  /** Set when the call is answered: the recorded span of the answer. */
  mockedFrom: string | undefined;
}

/** What a replay does with inner calls. */
export interface ReplayedCalls {
  /** Called for every span that opens in the trace, including spans of adapters. Never throws. */
  opened(call: OpenedCall): void;
  /** Returns the function to run for a wrapped one: itself, or one that returns the recorded outcome. Never throws. */
  chooseFunction(call: OpenedCall, fn: AnyFunction): AnyFunction;
  /** Called with every record of a span before it is sent. A span that is sent early has two records. Never throws. */
  written(line: ByteString): void;
  /** Receives every record instead of the service. Absent: the service receives them. Never throws. */
  keep?(line: ByteString): void;
  /** Called for every span that ended. Never throws. */
  ended(call: OpenedCall): void;
  /**
   * Called before code inside connects. Returns the error that the code gets if it may not connect.
   *
   * @param spanId the span in which the code runs
   */
  denyConnection(spanId: string | undefined, target: string): Error | undefined;
  /**
   * Returns the difference between recorded and real time for the code of a span; 0 if the code sees the real time. Never throws.
   *
   * @param spanId `undefined` outside of every span
   */
  clockOffsetMs(spanId: string | undefined): number;
  /** Creates the error for code that reads something unrecorded from an answered call, and notes a divergence. Never throws. */
  unanswerable(call: OpenedCall, reason: string): Error;
  /** Answers the requests of clients. Only adapters know its type, and only replays load it. */
  readonly clientAnswers: object;
  /** Returns the function to run for a wrapped function whose call opens no span. @throws when none may run */
  unrecorded(definition: SpanDefinition, fn: AnyFunction): AnyFunction;
}
