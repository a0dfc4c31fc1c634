import { isJsonObject, type JsonObject, type SpanRecord } from '@dacapo/protocol';

/**
 * Joins all records of one span, in the order in which they arrived, for stores that keep each record. The first finished record
 * counts. If it has `continues`, it is joined with the unfinished one.
 *
 * @returns `undefined` without records
 */
export function joinRecords<S extends SpanRecord>(records: readonly S[]): S | undefined {
  const continues = (record: SpanRecord): boolean => record.span_data.meta?.continues === true;
  const isFinished = ({ status }: SpanRecord): boolean => status !== 'unfinished';
  const whole = records.filter((record) => !continues(record));
  const finished = whole.find(isFinished);
  if (finished !== undefined) return finished;
  const rest = records.filter(continues);
  const end = rest.findIndex(isFinished);
  const parts = [...whole.slice(-1), ...rest.slice(0, end === -1 ? rest.length : end + 1)];
  return parts.length < 2 ? parts[0] : parts.reduce(join);
}

/** The second part has the end of the span, so that of the first part is ignored. */
function join<S extends SpanRecord>(begun: S, rest: S): S {
  const { input, prompt, contexts = [], meta } = begun.span_data;
  const all = [...contexts, ...(rest.span_data.contexts ?? [])];
  const joined = merge(
    without(meta, ['output', 'stream', 'sync', 'mocked']),
    without(rest.span_data.meta, ['continues', 'replayable']),
  );
  return {
    ...rest,
    span_data: {
      ...(input !== undefined && { input }),
      ...(prompt !== undefined && { prompt }),
      ...without(rest.span_data, ['contexts', 'meta']),
      ...(all.length > 0 && { contexts: all }),
      ...(Object.keys(joined).length > 0 && { meta: joined }),
    },
  };
}

function without(record: object = {}, names: readonly string[]): JsonObject {
  const entries = Object.entries(record) as [string, JsonObject][];
  return Object.fromEntries(entries.filter(([name]) => !names.includes(name)));
}

function merge(left: JsonObject, right: JsonObject): JsonObject {
  const merged = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = merged[key];
    merged[key] = isJsonObject(before) && isJsonObject(value) ? merge(before, value) : value;
  }
  return merged;
}
