import type { JsonValue } from '../json/json-value.js';
import type { ErrorRecord } from '../records/span.js';
import { decode } from './decode.js';
import { fillError, newError } from './new-error.js';
import { readValue } from './read-value.js';
import type { ValueNode } from './value-node.js';

/** An error record with its values as nodes. */
export interface RecordedError {
  readonly record: ErrorRecord;
  /** An error's further properties, or the thrown object; `undefined` if not recorded, or if a primitive was thrown. */
  readonly own: ValueNode | undefined;
  readonly cause: RecordedError | undefined;
  readonly errors: readonly RecordedError[];
}

/** Reads an error record with its notes, causes and `errors`. Never throws. */
export function readError(record: ErrorRecord): RecordedError {
  const json = record as unknown as JsonValue;
  return toParts(record, readValue({ json, meta: record.meta }));
}

function toParts(record: ErrorRecord, node: ValueNode): RecordedError {
  const parts = new Map(node.kind === 'object' ? node.entries() : []);
  const list = parts.get('errors');
  const nodes = list?.kind === 'array' ? list.items() : [];
  const { cause, errors = [], properties, thrown } = record;
  return {
    record,
    own:
      properties === undefined && thrown === undefined
        ? undefined
        : (parts.get(properties === undefined ? 'thrown' : 'properties') ?? UNREADABLE),
    cause: cause && toParts(cause, parts.get('cause') ?? UNREADABLE),
    errors: errors.map((error, index) => toParts(error, nodes[index] ?? UNREADABLE)),
  };
}

const UNREADABLE: ValueNode = { kind: 'unknown', json: null, isPlain: false };

/**
 * Rebuilds a thrown value. An error gets the platform class of its name, or a new subclass of `Error` with that name, and the
 * recorded stack and properties. It is not an `instanceof` an application class. Other thrown values are rebuilt as they were.
 */
export function decodeThrown(record: ErrorRecord): unknown {
  return decodeParts(readError(record));
}

function decodeParts(parts: RecordedError): unknown {
  const { record, own } = parts;
  const isObject = record.stack !== undefined || own !== undefined;
  const primitive = isObject ? undefined : PRIMITIVES[record.name];
  if (primitive !== undefined) return primitive(record.message);
  if (record.thrown !== undefined && own !== undefined && MADE_AGAIN.has(own.kind)) return decode(own);
  return decodeError(parts);
}

/** Kinds that are rebuilt. For others, such as opaque values and instances, an error is more useful. */
const MADE_AGAIN: ReadonlySet<ValueNode['kind']> = new Set([
  'object',
  'array',
  'map',
  'set',
  'date',
  'regexp',
  'url',
  'bytes',
  'boxed',
  'error',
]);

/** Keyed by `typeof`, which is the recorded name of a thrown primitive. */
const PRIMITIVES: Partial<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  number: Number,
  bigint: BigInt,
  boolean: (text) => text === 'true',
  undefined: () => undefined,
  object: () => null,
};

function decodeError({ record, own, cause, errors }: RecordedError): Error {
  const { name, message, stack, code } = record;
  const error = newError(record.class ?? name);
  const properties = own === undefined ? {} : decode(own);
  fillError(error, [
    ...(typeof properties === 'object' && properties !== null ? Object.entries(properties) : []),
    ...Object.entries({
      name,
      message,
      ...(code !== undefined && { code }),
      ...(cause !== undefined && { cause: decodeParts(cause) }),
      ...(record.errors !== undefined && { errors: errors.map(decodeParts) }),
    }),
  ]);
  if (stack !== undefined)
    Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
  return error;
}
