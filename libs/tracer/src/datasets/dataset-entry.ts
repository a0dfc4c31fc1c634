import {
  type CaptureMeta,
  type DatasetItem,
  type DatasetItemInput,
  type DatasetItemSource,
  decode,
  isTraceId,
  type JsonObject,
  type JsonValue,
  readNotes,
  readValue,
} from '@dacapo/protocol';
import type { Captured } from '../capture/captured.js';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../options/capture-options.js';
import type { EvaluationItem } from '../options/evaluate-options.js';
import { isRecord } from '../options/option.js';
import { withMedia } from '../service/recorded-media.js';
import type { ServiceClient } from '../service/service-client.js';

/** An item to add: `{ input: 'late', expected: 'delivery' }`, or `{ args: ['late', 2] }` for several arguments. */
export type DatasetEntry<A extends unknown[] = unknown[], R = unknown> = EvaluationItem<A, R> & {
  /** A UUID. Replaces the item with this id. Default: a new id. */
  readonly id?: string | undefined;
};

/** An item of a dataset. Values have their recorded types, if these can be restored. */
export interface DatasetExample {
  readonly id: string;
  /** The arguments. */
  readonly args: unknown[];
  /** Absent if the item has no expected value. */
  readonly expected?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The call or run item from which it was copied. */
  readonly source?: DatasetItemSource;
}

const FIELDS = ['id', 'input', 'args', 'expected', 'metadata'];

/** Converts an entry of the application to an item; returns a text with the reason if that is impossible. */
export function encodeEntry(entry: unknown, capturer: Capturer): DatasetItemInput | string {
  if (!isRecord(entry)) return `must be an object, not ${entry === null ? 'null' : typeof entry}`;
  const { id, input, args, expected, metadata } = entry;
  const unknown = Object.keys(entry).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `${unknown} is not a field of an item. Use ${FIELDS.join(', ')}`;
  if (id !== undefined && !(typeof id === 'string' && isTraceId(id)))
    return 'id must be a UUID in lower case';
  if (args === undefined && !('input' in entry)) return 'has neither input nor args';
  if (args !== undefined && !Array.isArray(args)) return 'args must be a list';
  if (metadata !== undefined && !isRecord(metadata)) return 'metadata must be an object';
  const captured = capturer.captureArguments(args ?? [input], false);
  const wanted = expected === undefined ? undefined : capturer.capture(expected, false);
  const problem = findProblem('args are', captured) ?? (wanted && findProblem('expected is', wanted));
  if (problem !== undefined) return problem;
  return {
    ...(id !== undefined && { id }),
    input: JSON.parse(captured.json) as JsonValue[],
    ...(captured.meta && { meta: { input: captured.meta } satisfies CaptureMeta }),
    ...(wanted && {
      expected: JSON.parse(wanted.json) as JsonValue,
      ...(wanted.meta && { expected_meta: { output: wanted.meta } satisfies CaptureMeta }),
    }),
    ...(metadata && { metadata: JSON.parse(capturer.captureObject(metadata, false).json) as JsonObject }),
  };
}

function decodeItem(item: DatasetItem, codecs: readonly Codec[]): DatasetExample {
  const { id, input, meta, expected, expected_meta: expectedMeta, metadata = {}, source } = item;
  return {
    id,
    args: decode(readValue({ json: input, meta: meta?.input }), codecs) as unknown[],
    ...(expected !== undefined && {
      expected: decode(readValue({ json: expected, meta: expectedMeta?.output }), codecs),
    }),
    metadata,
    ...(source && { source }),
  };
}

/** Rejects items that could not be replayed as intended. */
function findProblem(what: string, { meta, replayable, rebuildable }: Captured): string | undefined {
  if (replayable || rebuildable) return undefined;
  return readNotes(meta).cuts.length > 0
    ? `${what} longer than capture.maxFieldBytes allows, and would be cut`
    : `${what} not completely recorded: it has a function, an open file or the like`;
}

/** The items of a version, in the order in which they were added. @throws ServiceResponseError, ServiceUnreachableError */
export async function* readItems(
  service: ServiceClient,
  name: string,
  version: number,
  codecs: readonly Codec[],
): AsyncGenerator<DatasetExample> {
  const pages = service.pages((api, page) => api.datasets.listItems({ name, version, ...page }));
  for await (const items of pages)
    for (const item of items)
      for (const whole of await withMedia(service, [item])) yield decodeItem(whole, codecs);
}
