import type { JsonValue, RecordedCall, RecordedDescendant, UsageRecord } from '@dacapo/protocol';
import { Captured } from '../../src/capture/captured.js';
import { Capturer } from '../../src/capture/capturer.js';
import type { OpenedCall } from '../../src/recording/replay-scope.js';
import {
  type AnyFunction,
  defineSpan,
  type SpanDefinitionOptions,
} from '../../src/recording/span-definition.js';
import { InnerCalls, type InnerCallsSettings } from '../../src/replay/mock/inner-calls.js';
import type { MockPolicy } from '../../src/replay/mock/mock-policy.js';

const capturer = new Capturer();

export const replayed = {
  trace_id: 't',
  span_id: 'root',
  name: 'desk',
  type: 'function',
  status: 'ok',
  started_at: '2026-01-01T00:00:00.000001Z',
  duration_ms: 100,
} as RecordedCall;

/** A recorded call that gave its own id, at once, and was called with one argument; `null`: it is not recorded. */
export const past = (
  span_id: string,
  key: string,
  argument: JsonValue,
  changes: Partial<RecordedDescendant> = {},
): RecordedDescendant => ({
  trace_id: 't',
  span_id,
  parent_id: 'root',
  trace_function_key: key,
  name: key,
  type: 'function',
  status: 'ok',
  started_at: '2026-01-01T00:00:00.000002Z',
  duration_ms: 1,
  ...(argument === null
    ? { meta: { sync: true, replayable: false } }
    : { input: [argument], meta: { sync: true } }),
  output: span_id,
  ...changes,
});

/** A call that is made now; `null`: its argument is not recorded. */
export const now = (
  spanId: string,
  key: string,
  argument: JsonValue,
  changes: Partial<OpenedCall['start']> & {
    options?: Partial<SpanDefinitionOptions>;
    usage?: UsageRecord;
  } = {},
): OpenedCall => {
  const { options, usage, ...start } = changes;
  return {
    spanId,
    start: {
      definition: defineSpan({ key, name: key, type: 'function', ...options }),
      parentId: 'desk',
      recorder: { fields: { capturesInput: argument !== null, capturer } },
      ...start,
    },
    input: argument === null ? undefined : Captured.of(JSON.stringify([argument]), undefined, true),
    trace: { sampled: true },
    usage,
    hasFailed: false,
    isMocked: false,
    mockedFrom: undefined,
  };
};

export const inside = (
  calls: readonly RecordedDescendant[] | undefined,
  policy: MockPolicy,
  settings: Partial<InnerCallsSettings> = {},
  of: RecordedCall | undefined = replayed,
): InnerCalls => {
  const inner = new InnerCalls(of, calls, { policy, codecs: [], nowMs: () => 0, ...settings });
  inner.opened(now('desk', 'desk', null, { parentId: undefined, isReplayRoot: true }));
  return inner;
};
export const ownBody = (): unknown => 'ran';
/** Opens a call, and gives what its function gives. */
export const call = (calls: InnerCalls, opened: OpenedCall, fn: AnyFunction = ownBody): unknown => {
  calls.opened(opened);
  return calls.chooseFunction(opened, fn)();
};
