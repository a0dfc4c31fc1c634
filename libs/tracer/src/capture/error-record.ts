import {
  type ErrorRecord,
  type FieldMeta,
  isJsonObject,
  type JsonValue,
  hasSymbolData,
  traitsOf,
} from '@dacapo/protocol';
import { types } from 'node:util';
import { MASKED } from './redaction/token.js';
import { furtherProperties, isError } from './types/errors.js';
import { platformProperty } from './walk/own-data.js';

const MESSAGE_LENGTH = 16 * 1024;
const STACK_LENGTH = 16 * 1024;
const LABEL_LENGTH = 200;
const CAUSES_KEPT = 8;
/** Of all AggregateErrors in one record: what failed to connect is often the cause of what was thrown. */
const ERRORS_KEPT = 16;

/** As `ErrorRecord`, its properties and what was thrown as they are in the process. */
export interface LiveErrorRecord extends Omit<
  ErrorRecord,
  'cause' | 'errors' | 'properties' | 'thrown' | 'meta'
> {
  cause?: LiveErrorRecord;
  errors?: LiveErrorRecord[];
  properties?: object;
  thrown?: object;
}

/** The text of a thrown object that has no message. */
type Describe = (thrown: object) => { readonly json: string; readonly meta?: FieldMeta | undefined };

interface Reading {
  readonly describe: Describe;
  readonly depth: number;
  readonly members: { left: number };
}

/**
 * What was thrown, as it is recorded: of this realm or another, an error or not. Never throws.
 *
 * Its name, message, stack, code and cause are read as anyone who catches it would read them, getters included; of its other
 * properties no getter runs.
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
    return { name: 'Unreadable', message: 'What was thrown could not be read.', cut: true };
  }
}

/** What redaction left of a record, as one: parts that have no place in it now are masked or left out. */
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

/** The name, class and code of a record and of what caused it; of messages, stacks and properties nothing. */
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

/** A record and its causes without properties and what was thrown; where there were any, it is cut. */
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
/** The engine quotes what it could not parse. */
const QUOTED_JSON = /is not valid JSON/;
const FRAMES = /(?:^ {4}at .*(?:\n|$))+$/m;

/**
 * A record without properties, what was thrown, and the messages that quote either: an error of a client holds the request, the answer or
 * a part of it.
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

/** What a record and those inside it hold beside their texts. */
function listValues({ properties, thrown, cause, errors = [] }: LiveErrorRecord): unknown[] {
  return [
    properties,
    thrown,
    ...(cause === undefined ? [] : listValues(cause)),
    ...errors.flatMap(listValues),
  ];
}

/** No getter runs. @returns `false` when there are too many to look at, or one cannot be read */
function gatherTexts(value: unknown, texts: Set<string>, values: { left: number }): boolean {
  if (typeof value === 'string' && value.length >= SHORTEST_QUOTE) texts.add(value);
  if (typeof value !== 'object' || value === null) return true;
  if (values.left-- <= 0 || types.isProxy(value)) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(({ value: held }) =>
    gatherTexts(held, texts, values),
  );
}

const OWN_NOTE = /^(?:\/cause|\/errors\/\d+)*\/(?:properties|thrown)(?:\/|$)/;

/** Of the notes on a record those on its properties, and whether others tell that a part of its texts is not there. */
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
  const { name: className = '', holdsPrivate = false } = traitsOf(thrown) ?? {};
  const name = readName(thrown, className);
  const described = typeof thrownMessage === 'string' ? { json: thrownMessage } : describe(thrown);
  const message = described.json;
  const gathered = isError(thrown) && Array.isArray(errors) ? errors : undefined;
  const isDeep = depth >= CAUSES_KEPT;
  const kept = isDeep ? undefined : gathered?.slice(0, members.left);
  members.left -= kept?.length ?? 0;
  const nested = (value: unknown): LiveErrorRecord => read(value, { describe, depth: depth + 1, members });
  // What is recorded beside it tells of itself whether it is whole.
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

/** Whether an error holds data that a record has no place for, or data that cannot be read. */
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

/** `undefined`: its properties cannot be read, as those of a Proxy whose trap throws. */
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
