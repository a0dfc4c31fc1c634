import type { JsonValue } from '../json/json-value.js';
import type { ErrorRecord } from '../records/span.js';
import { decode } from './decode.js';
import { fillError, newError } from './new-error.js';
import { readValue } from './read-value.js';
import type { ValueNode } from './value-node.js';

/** A record of what was thrown, and what its notes make of its values. */
export interface RecordedError {
  readonly record: ErrorRecord;
  /** An error's further properties, or the object that was thrown; `undefined`: they were not recorded, or there is no object. */
  readonly own: ValueNode | undefined;
  readonly cause: RecordedError | undefined;
  readonly errors: readonly RecordedError[];
}

/** Reads the record of an error, its notes and those of its causes and members. Never throws. */
export function readError(record: ErrorRecord): RecordedError {
  const json = record as unknown as JsonValue;
  return partsOf(record, readValue({ json, meta: record.meta }));
}

function partsOf(record: ErrorRecord, node: ValueNode): RecordedError {
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
    cause: cause && partsOf(cause, parts.get('cause') ?? UNREADABLE),
    errors: errors.map((error, index) => partsOf(error, nodes[index] ?? UNREADABLE)),
  };
}

const UNREADABLE: ValueNode = { kind: 'unknown', json: null, isPlain: false };

/**
 * What was thrown, made again from its record: an error of the platform's class of that name, else of a class of its own
 * that has the name and is an `Error`, with the recorded stack and properties. A class of the application is not made again:
 * `instanceof` it is false. What was no error is itself.
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

/** Of what is only named, or of a class, an error tells more. */
const MADE_AGAIN: ReadonlySet<ValueNode['kind']> = new Set([
  ...(['object', 'array', 'map', 'set', 'date', 'regexp', 'url', 'bytes', 'boxed', 'error'] as const),
]);

/** By what `typeof` says, which is the recorded name of a thrown value that is no object. */
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
