import {
  type CaptureMeta,
  type FieldMeta,
  type JsonValue,
  type MediaReference,
  mediaReferences,
  restoreMedia,
} from '@dacapo/protocol';
import { sha256 } from '../hashing.js';
import { ServiceResponseError } from './errors.js';
import { requireBody, type ServiceClient } from './service-client.js';

type Note = 'meta' | 'expected_meta' | 'original_meta';

/** A stored call, an item of a dataset or of a run. */
type Stored = Partial<Record<Note, CaptureMeta>>;

/** The members with values, and with their notes. */
const VALUES: readonly [value: string, notes: Note, field: 'input' | 'output'][] = [
  ['input', 'meta', 'input'],
  ['output', 'meta', 'output'],
  ['result', 'meta', 'output'],
  ['expected', 'expected_meta', 'output'],
  ['original_output', 'original_meta', 'output'],
];

const STREAMED = ['returned', 'chunks'] as const;

/** Number of media of one call that are fetched at the same time. */
const FETCHED_AT_ONCE = 4;

/**
 * Replaces references to media in stored values by the media, so that values equal the original ones. If the service no longer has the
 * bytes, the reference stays, and a note marks the value as not replayable.
 *
 * @throws ServiceUnreachableError
 */
export async function withMedia<T extends Stored>(
  service: ServiceClient,
  records: readonly T[],
): Promise<T[]> {
  const ids = new Set(records.flatMap((record) => referencesIn(record).map(({ id }) => id)));
  if (ids.size === 0) return [...records];
  const found = await fetchAll(service, [...ids]);
  return records.map((record) => restoreRecord(record, ({ id }) => found.get(id)));
}

async function fetchAll(service: ServiceClient, ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let next = 0;
  const fetchRest = async (): Promise<void> => {
    for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
      const base64 = await fetchMedia(service, id);
      if (base64 !== undefined) found.set(id, base64);
    }
  };
  const fetchers = Array.from({ length: Math.min(FETCHED_AT_ONCE, ids.length) }, fetchRest);
  await Promise.all(fetchers).catch((error: unknown) => {
    // The others fetch nothing more.
    next = ids.length;
    throw error;
  });
  return found;
}

/** Fetches bytes as base64; `undefined` if the service does not have them, or returns other bytes. */
async function fetchMedia(service: ServiceClient, id: string): Promise<string | undefined> {
  const path = await service.path((routes) => routes.media.get, { id });
  const answer = await service.send('GET', path, {});
  if (answer.status === 404) return undefined;
  if (!answer.ok) requireBody(answer, `GET ${path}`, []);
  if (sha256(answer.bytes) !== id)
    throw new ServiceResponseError(answer.status, 'other bytes than the requested ones', `GET ${path}`);
  return answer.bytes.toString('base64');
}

function referencesIn(record: Stored): MediaReference[] {
  const notes = (['meta', 'expected_meta', 'original_meta'] as const).flatMap((name): FieldMeta[] => {
    const { input, output, stream } = record[name] ?? {};
    return [input, output, stream?.returned_meta, stream?.chunks_meta].filter((meta) => meta !== undefined);
  });
  return notes.flatMap((meta) => [...mediaReferences(meta).values()]);
}

/** @param findBase64 returns the bytes of a reference; `undefined` if they are unknown */
export function restoreRecord<T extends Stored>(
  record: T,
  findBase64: (media: MediaReference) => string | undefined,
): T {
  const restored: T & Record<string, unknown> = { ...record };
  const fields: Record<string, unknown> = restored;
  for (const [value, notes, field] of VALUES) {
    const meta = restored[notes]?.[field];
    if (meta === undefined || !(value in fields)) continue;
    const whole = restoreMedia({ json: fields[value] as JsonValue, meta }, findBase64);
    fields[value] = whole.json;
    fields[notes] = withNotes(restored[notes], field, whole.meta);
  }
  for (const notes of ['meta', 'expected_meta', 'original_meta'] as const)
    if (restored[notes]?.stream !== undefined) fields[notes] = restoreStream(restored[notes], findBase64);
  return restored;
}

/** @param meta `undefined` for a complete value */
function withNotes(
  notes: CaptureMeta = {},
  field: 'input' | 'output',
  meta: FieldMeta | undefined,
): CaptureMeta {
  const rest = { ...notes };
  Reflect.deleteProperty(rest, field);
  if (meta === undefined || mediaReferences(meta).size === 0)
    return { ...rest, ...(meta && { [field]: meta }) };
  return field === 'input'
    ? { ...rest, input: meta, replayable: false }
    : { ...rest, output: { ...meta, replayable: false } };
}

function restoreStream(
  notes: CaptureMeta,
  findBase64: (media: MediaReference) => string | undefined,
): CaptureMeta {
  const { stream } = notes;
  if (stream === undefined) return notes;
  const restored = { ...stream };
  for (const name of STREAMED) {
    const meta = stream[`${name}_meta`];
    if (meta === undefined) continue;
    const whole = restoreMedia({ json: stream[name], meta }, findBase64);
    if (whole.json !== undefined) restored[name] = whole.json;
    Reflect.deleteProperty(restored, `${name}_meta`);
    const isMissing = mediaReferences(whole.meta).size > 0;
    if (whole.meta !== undefined)
      restored[`${name}_meta`] = isMissing ? { ...whole.meta, replayable: false } : whole.meta;
  }
  return { ...notes, stream: restored };
}
