import { isJsonObject, type JsonObject, type JsonValue, SPAN_STATUSES, SPAN_TYPES } from '@dacapo/protocol';
import { sha256 } from '@dacapo/tracer/engine';
import { type Cassette, type CassetteCall, type CassetteHeader, FORMAT } from './cassette.js';

/** Longer values are stored in files of their own. */
const LONGEST_INLINE = 16 * 1024;
/** Fields that may be long. In a line, `output_blob` is the hash of an output in a file. */
const LARGE_FIELDS = ['input', 'output', 'error', 'meta', 'contexts'] as const;

/** A cassette as text. */
export interface CassetteText {
  readonly lines: string;
  /** Large values, by the SHA-256 of their text. */
  readonly blobs: ReadonlyMap<string, string>;
}

/** The same cassette always has the same text. Only the keys of a line are sorted: the order inside a value belongs to it. */
export function writeLines({ header, calls }: Cassette): CassetteText {
  const blobs = new Map<string, string>();
  const lines = [header, ...calls.map((call) => moveLarge(call, blobs))];
  return { lines: lines.map((line) => `${JSON.stringify(sortKeys(line))}\n`).join(''), blobs };
}

function moveLarge(call: CassetteCall, blobs: Map<string, string>): object {
  const line: Record<string, unknown> = { ...call };
  for (const field of LARGE_FIELDS) {
    const text = JSON.stringify(call[field]) as string | undefined;
    if (text === undefined || text.length <= LONGEST_INLINE) continue;
    const hash = sha256(text);
    blobs.set(hash, text);
    Reflect.deleteProperty(line, field);
    line[`${field}_blob`] = hash;
  }
  return line;
}

function sortKeys(line: object): object {
  return Object.fromEntries(Object.entries(line).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Why a text is not a cassette, and what to do. */
export class UnreadableCassetteError extends Error {
  constructor(
    readonly problem: string,
    readonly cure: string,
  ) {
    super(`${problem}. ${cure}`);
  }
}

const RECORD_AGAIN = 'Restore it from version control, or record it again';

/**
 * @param readBlob returns the text with a hash. Throws UnreadableCassetteError
 * @throws UnreadableCassetteError
 */
export function readLines(text: string, readBlob: (hash: string) => string): Cassette {
  if (text !== '' && !text.endsWith('\n'))
    throw new UnreadableCassetteError('is truncated: its last line has no end', RECORD_AGAIN);
  const lines = text.split('\n').slice(0, -1).map(parseLine);
  const [first, ...rest] = lines;
  const header = readHeader(first);
  const calls = rest.map((line, index) => readCall(line, index + 2, readBlob));
  checkPlaces(calls);
  return { header, calls };
}

function parseLine(line: string, index: number): JsonObject {
  try {
    const json = JSON.parse(line) as JsonValue;
    if (isJsonObject(json)) return json;
  } catch {
    // The same text for both.
  }
  if (/^(<<<<<<<|=======|>>>>>>>)/.test(line))
    throw new UnreadableCassetteError(
      `has a merge conflict in line ${index + 1}`,
      'Keep one side, or record it again',
    );
  throw new UnreadableCassetteError(`is damaged: line ${index + 1} is not a JSON object`, RECORD_AGAIN);
}

function readHeader(header: JsonObject | undefined): CassetteHeader {
  const { cassette, keys, recorded_with: version } = header ?? {};
  if (cassette === undefined)
    throw new UnreadableCassetteError(
      'is not a cassette: its first line has no format version',
      RECORD_AGAIN,
    );
  if (cassette !== FORMAT)
    throw new UnreadableCassetteError(
      `has format ${JSON.stringify(cassette)}, and this version reads format ${FORMAT}`,
      `Install the version of @dacapo/testing that wrote it (${JSON.stringify(version)}) or a newer one, or record it again`,
    );
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string'))
    throw new UnreadableCassetteError('is damaged: its first line has no keys', RECORD_AGAIN);
  return header as unknown as CassetteHeader;
}

function readCall(line: JsonObject, number: number, readBlob: (hash: string) => string): CassetteCall {
  const call: JsonObject = { ...line };
  for (const field of LARGE_FIELDS) {
    const hash = line[`${field}_blob`];
    if (hash === undefined) continue;
    Reflect.deleteProperty(call, `${field}_blob`);
    if (typeof hash !== 'string') throw invalidCall(number, `${field}_blob`);
    const text = readBlob(hash);
    if (sha256(text) !== hash)
      throw new UnreadableCassetteError(
        `is damaged: the large value ${hash} in line ${number} was changed`,
        RECORD_AGAIN,
      );
    call[field] = JSON.parse(text) as JsonValue;
  }
  const wrong = Object.entries(CALL_FIELDS).find(([field, accepts]) => !accepts(call[field]));
  if (wrong !== undefined) throw invalidCall(number, wrong[0]);
  return call as unknown as CassetteCall;
}

function invalidCall(number: number, field: string): UnreadableCassetteError {
  return new UnreadableCassetteError(`is damaged: ${field} in line ${number} is invalid`, RECORD_AGAIN);
}

type Accepts = (value: JsonValue | undefined) => boolean;

const isCount: Accepts = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const maybe =
  (accepts: Accepts): Accepts =>
  (value) =>
    value === undefined || accepts(value);
const isOneOf =
  (values: readonly string[]): Accepts =>
  (value) =>
    typeof value === 'string' && values.includes(value);

const CALL_FIELDS: Readonly<Record<string, Accepts>> = {
  path: (value) => Array.isArray(value) && value.length > 0 && value.every((key) => typeof key === 'string'),
  n: isCount,
  parent: maybe(isCount),
  start: isCount,
  end: maybe(isCount),
  name: (value) => typeof value === 'string',
  type: isOneOf(SPAN_TYPES),
  kind: maybe((value) => typeof value === 'string'),
  status: isOneOf(SPAN_STATUSES),
  input: maybe(Array.isArray),
  error: maybe(isJsonObject),
  usage: maybe(isJsonObject),
  meta: maybe(isJsonObject),
  contexts: maybe(Array.isArray),
};

/** @throws UnreadableCassetteError if a call is there twice, or the call that made it is missing */
function checkPlaces(calls: readonly CassetteCall[]): void {
  const places = new Set<string>();
  const toKey = (path: readonly string[], n: number): string => JSON.stringify([path, n]);
  for (const { path, n } of calls) {
    if (places.has(toKey(path, n)))
      throw new UnreadableCassetteError(
        `is damaged: it has the call ${n} of ${path.join(' > ')} twice`,
        RECORD_AGAIN,
      );
    places.add(toKey(path, n));
  }
  const orphan = calls.find(({ path, parent }) =>
    parent === undefined ? path.length > 1 : !places.has(toKey(path.slice(0, -1), parent)),
  );
  if (orphan !== undefined)
    throw new UnreadableCassetteError(
      `is damaged: the call that made ${orphan.path.join(' > ')} is missing`,
      RECORD_AGAIN,
    );
}
