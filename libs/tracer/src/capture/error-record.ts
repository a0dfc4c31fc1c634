import {
  type ErrorRecord,
  type FieldMeta,
  isJsonObject,
  type JsonValue,
  hasSymbolData,
  readClassTraits,
} from '@dacapo/protocol';
import { types } from 'node:util';
import { MASKED } from './redaction/token.js';
import { furtherProperties, isError } from './types/errors.js';
import { platformProperty } from './walk/own-data.js';

const MESSAGE_LENGTH = 16 * 1024;
const STACK_LENGTH = 16 * 1024;
const LABEL_LENGTH = 200;
const CAUSES_KEPT = 8;
/** Limit for the errors of all AggregateErrors in one record. Connection failures are often AggregateErrors. */
const ERRORS_KEPT = 16;

/** An `ErrorRecord` whose properties and thrown value are the live values, not yet captured. */
export interface LiveErrorRecord extends Omit<
  ErrorRecord,
  'cause' | 'errors' | 'properties' | 'thrown' | 'meta'
> {
  cause?: LiveErrorRecord;
  errors?: LiveErrorRecord[];
  properties?: object;
  thrown?: object;
}

/** Describes a thrown object that has no message. */
type Describe = (thrown: object) => { readonly json: string; readonly meta?: FieldMeta | undefined };

interface Reading {
  readonly describe: Describe;
  readonly depth: number;
  readonly members: { left: number };
}

/**
 * Converts a thrown value to a record, whether it is an error or not, and whichever realm it comes from. Never throws.
 *
 * Name, message, stack, code and cause are read as a `catch` block would read them, including getters. Getters of other properties
 * do not run.
 */
export function toErrorRecord(thrown: unknown, describe: Describe): LiveErrorRecord {
  return read(thrown, { describe, depth: 0, members: { left: ERRORS_KEPT } });
}

function read(thrown: unknown, reading: Reading): LiveErrorRecord {
  try {
    if (typeof thrown === 'object' && thrown !== null) return recordObject(thrown, reading);
    const message = String(thrown);
    const isCut = message.length > MESSAGE_LENGTH || ['function', 'symbol'].includes(typeof thrown);
    return {
      name: typeof thrown,
      message: message.slice(0, MESSAGE_LENGTH),
      // The text of a function or a symbol does not identify it.
      ...(isCut && { cut: true as const }),
    };
  } catch {
    return { name: 'Unreadable', message: 'The thrown value could not be read.', cut: true };
  }
}

/** Turns a redacted record into a valid one again: parts with an invalid type are masked or removed. */
export function mendErrorRecord(left: JsonValue): ErrorRecord {
  const { name, message, stack, code, cause, errors, cut, properties, thrown, ...rest } = isJsonObject(left)
    ? left
    : {};
  const isCut = cut === true || (properties !== undefined && !isJsonObject(properties));
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : MASKED,
    ...(typeof stack === 'string' && { stack }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && { cause: mendErrorRecord(cause) }),
    ...(Array.isArray(errors) && { errors: errors.map(mendErrorRecord) }),
    ...(typeof rest['class'] === 'string' && { class: rest['class'] }),
    ...(isJsonObject(properties) && { properties }),
    ...(thrown !== undefined && { thrown }),
    ...(isCut && { cut: true as const }),
  };
}

/** Keeps name, class and code of a record and its causes. Removes messages, stacks and properties. */
export function withoutTexts(record: LiveErrorRecord): ErrorRecord {
  return textless(withoutProperties(record));
}

function textless({ name, message, code, cause, errors, cut, class: className }: ErrorRecord): ErrorRecord {
  return {
    name,
    message: '',
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: textless(cause) }),
    ...(errors !== undefined && { errors: errors.map(textless) }),
    ...(className !== undefined && { class: className }),
    ...((cut === true || message !== '') && { cut: true as const }),
  };
}

/** Removes properties and thrown values from a record and its causes, and marks the affected records as cut. */
export function withoutProperties(record: LiveErrorRecord): ErrorRecord {
  const { properties = {}, thrown, cause, errors, cut, ...rest } = record;
  const isCut = cut === true || thrown !== undefined || Object.keys(properties).length > 0;
  return {
    ...rest,
    ...(cause !== undefined && { cause: withoutProperties(cause) }),
    ...(errors !== undefined && { errors: errors.map(withoutProperties) }),
    ...(isCut && { cut: true as const }),
  };
}

const SHORTEST_QUOTE = 4;
const MOST_VALUES = 2000;
/** V8 quotes the invalid JSON in this message. */
const QUOTED_JSON = /is not valid JSON/;
const FRAMES = /(?:^ {4}at .*(?:\n|$))+$/m;

/**
 * Removes properties, thrown values and messages that quote either. A client's error may contain the request or the response, or a part
 * of them.
 */
export function withoutValues(record: LiveErrorRecord): ErrorRecord {
  const texts = new Set<string>();
  const isAll = gatherTexts(listValues(record), texts, { left: MOST_VALUES });
  // Exceptions of Nest repeat their message in their response: that quotes no value.
  texts.delete(record.message);
  const quotes = (text: string): boolean =>
    !isAll || QUOTED_JSON.test(text) || [...texts].some((quoted) => text.includes(quoted));
  return unquoted(record, withoutProperties(record), quotes);
}

function unquoted(
  live: LiveErrorRecord,
  record: ErrorRecord,
  quotes: (text: string) => boolean,
): ErrorRecord {
  const { cause, errors, stack, ...rest } = record;
  const isQuote = live.thrown !== undefined || quotes(record.message);
  // A stack begins with the message.
  const shown = stack !== undefined && (isQuote || quotes(stack)) ? FRAMES.exec(stack)?.[0] : stack;
  return {
    ...rest,
    ...(isQuote && { message: '', cut: true as const }),
    ...(shown !== undefined && { stack: shown }),
    ...(cause !== undefined && { cause: unquoted(live.cause ?? live, cause, quotes) }),
    ...(errors !== undefined && {
      errors: errors.map((error, i) => unquoted(live.errors?.[i] ?? live, error, quotes)),
    }),
  };
}

/** Lists the properties and thrown values of a record and of the records inside it. */
function listValues({ properties, thrown, cause, errors = [] }: LiveErrorRecord): unknown[] {
  return [
    properties,
    thrown,
    ...(cause === undefined ? [] : listValues(cause)),
    ...errors.flatMap(listValues),
  ];
}

/** Collects the texts in a value without running getters. @returns `false` if there are too many, or one cannot be read */
function gatherTexts(value: unknown, texts: Set<string>, values: { left: number }): boolean {
  if (typeof value === 'string' && value.length >= SHORTEST_QUOTE) texts.add(value);
  if (typeof value !== 'object' || value === null) return true;
  if (values.left-- <= 0 || types.isProxy(value)) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(({ value: held }) =>
    gatherTexts(held, texts, values),
  );
}

const OWN_NOTE = /^(?:\/cause|\/errors\/\d+)*\/(?:properties|thrown)(?:\/|$)/;

/** Splits the notes on a record: those on its properties, and whether another note says that a text is incomplete. */
export function splitErrorNotes(meta: FieldMeta | undefined): {
  notes: FieldMeta | undefined;
  isCut: boolean;
} {
  const { types = {}, truncated = {}, redacted = [] } = meta ?? {};
  const own = <T>(notes: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(notes).filter(([pointer]) => OWN_NOTE.test(pointer)));
  const [ownTypes, ownCuts] = [own(types), own(truncated)];
  const masked = redacted.filter((pointer) => OWN_NOTE.test(pointer));
  const notes = {
    ...(Object.keys(ownTypes).length > 0 && { types: ownTypes }),
    ...(Object.keys(ownCuts).length > 0 && { truncated: ownCuts }),
    ...(masked.length > 0 && { redacted: masked }),
  };
  return {
    notes: Object.keys(notes).length > 0 ? notes : undefined,
    isCut: Object.keys(truncated).length > Object.keys(ownCuts).length,
  };
}

function recordObject(thrown: object, reading: Reading): LiveErrorRecord {
  const { describe, depth, members } = reading;
  const thrownMessage = platformProperty(thrown, 'message');
  const stack = platformProperty(thrown, 'stack');
  const code = platformProperty(thrown, 'code');
  const cause = platformProperty(thrown, 'cause');
  const errors = platformProperty(thrown, 'errors');
  const { name: className = '', holdsPrivate = false } = readClassTraits(thrown) ?? {};
  const name = readName(thrown, className);
  const described = typeof thrownMessage === 'string' ? { json: thrownMessage } : describe(thrown);
  const message = described.json;
  const gathered = isError(thrown) && Array.isArray(errors) ? errors : undefined;
  const isDeep = depth >= CAUSES_KEPT;
  const kept = isDeep ? undefined : gathered?.slice(0, members.left);
  members.left -= kept?.length ?? 0;
  const nested = (value: unknown): LiveErrorRecord => read(value, { describe, depth: depth + 1, members });
  // The other fields have their own notes on completeness.
  const isRecordedApart = typeof thrownMessage !== 'string' && !isError(thrown);
  const isCut =
    (!isRecordedApart && 'meta' in described && described.meta?.truncated !== undefined) ||
    (!isRecordedApart && message.length > MESSAGE_LENGTH) ||
    (isError(thrown) && (holdsPrivate || hasUnseenData(thrown))) ||
    name.length > LABEL_LENGTH ||
    (typeof code === 'string' && code.length > LABEL_LENGTH) ||
    (isDeep && cause !== undefined) ||
    (gathered !== undefined && gathered.length > (kept?.length ?? 0));
  const isCode = typeof code === 'string' || Number.isFinite(code);
  const recordedApart = isCode ? RECORDED_APART : RECORDED_APART_WITHOUT_CODE;
  const own = readOwn(thrown, gathered === undefined ? recordedApart : new Set([...recordedApart, 'errors']));
  return {
    name: name.slice(0, LABEL_LENGTH),
    message: message.slice(0, MESSAGE_LENGTH),
    ...(typeof stack === 'string' && { stack: stack.slice(0, STACK_LENGTH) }),
    ...(isCode && { code: shortCode(code as string | number) }),
    ...(cause !== undefined && !isDeep && { cause: nested(cause) }),
    ...(kept !== undefined && { errors: kept.map(nested) }),
    ...(className !== '' && className !== name && { class: className }),
    ...own,
    ...((isCut || own === undefined) && { cut: true as const }),
  };
}

/** Whether an error has data that a record cannot contain, or data that cannot be read. */
function hasUnseenData(error: object): boolean {
  try {
    return hasSymbolData(error) || !hasTexts(error);
  } catch {
    return true;
  }
}

/** Whether an error's own name and message are strings. */
function hasTexts(error: object): boolean {
  return ['name', 'message'].every((key) => {
    const descriptor = Object.getOwnPropertyDescriptor(error, key);
    return descriptor === undefined || typeof (descriptor.value ?? platformProperty(error, key)) === 'string';
  });
}

/** Returns `undefined` if the properties cannot be read, for example if a Proxy trap throws. */
function readOwn(
  thrown: object,
  recordedApart: ReadonlySet<string>,
): Pick<LiveErrorRecord, 'properties' | 'thrown'> | undefined {
  if (!isError(thrown)) return { thrown };
  try {
    return { properties: furtherProperties(thrown, recordedApart) };
  } catch {
    return undefined;
  }
}

const RECORDED_APART_WITHOUT_CODE: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause']);
const RECORDED_APART: ReadonlySet<string> = new Set([...RECORDED_APART_WITHOUT_CODE, 'code']);

function readName(thrown: object, className: string): string {
  const name = platformProperty(thrown, 'name');
  return (typeof name === 'string' && name) || className || 'Object';
}

function shortCode(code: string | number): string | number {
  return typeof code === 'string' ? code.slice(0, LABEL_LENGTH) : code;
}
