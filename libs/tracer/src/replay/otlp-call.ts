import { isJsonObject, type JsonObject, type JsonValue, type RecordedCallTree } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import type { OtlpArguments, OtlpCall } from '../replay-types.js';
import type { PlannedItem } from './planned-item.js';

/** Gives an item the arguments that `args` makes from its span, if its call came by OTLP. */
export function withOtlpArguments(planned: PlannedItem, args: OtlpArguments | undefined): PlannedItem {
  const { call, stored, ...rest } = planned;
  if (args === undefined || call?.meta?.source !== 'otlp' || stored?.id !== call.span_id) return planned;
  return {
    ...rest,
    call,
    decodeInput: () => {
      const made: unknown = args(toOtlpCall(call));
      if (!Array.isArray(made))
        throw new InvalidOptionError(
          'replay.args',
          'must return a list of arguments',
          'Write it like ({ input }) => [input].',
        );
      return { args: [...(made as unknown[])], instances: new Map() };
    },
  };
}

/** Copies the values, because the replayed function may change them. */
function toOtlpCall(call: RecordedCallTree): OtlpCall {
  const { trace_id, span_id, name, session_id, trace, usage } = call;
  const {
    input,
    output,
    contexts = [],
  } = structuredClone({
    input: call.input?.[0],
    output: call.output,
    contexts: call.contexts,
  });
  const otel = contexts.find((context): context is JsonObject & { otel: JsonObject } =>
    isJsonObject(context['otel'] ?? null),
  );
  const attributes: JsonValue | undefined = otel?.otel['attributes'];
  return {
    traceId: trace_id,
    spanId: span_id,
    name,
    ...(session_id !== undefined && { sessionId: session_id }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(usage && { usage }),
    contexts,
    attributes: attributes !== undefined && isJsonObject(attributes) ? attributes : {},
    metadata: trace?.metadata ?? {},
  };
}
