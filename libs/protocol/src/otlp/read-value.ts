import { isDeeperThan } from '../framing/json-bounds.js';
import type { JsonValue } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import type { FieldFormat } from './fields.js';

/** Parses a text that is a JSON list or object. Returns the text itself otherwise, and if it nests too deeply. */
export function parseText(text: string): JsonValue {
  const first = text.trimStart().charAt(0);
  return first === '{' || first === '[' ? (parseJson(text) ?? text) : text;
}

/** @returns `undefined` if the text is invalid JSON or nests too deeply */
function parseJson(text: string): JsonValue | undefined {
  if (isDeeperThan(text, LIMITS.jsonDepth)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Reads an attribute's value in a format. @returns `undefined` if it is empty or has another format */
export function readValue(value: JsonValue, format: FieldFormat): JsonValue | undefined {
  switch (format) {
    case 'text':
      return readText(value);
    case 'amount':
      return readAmount(value);
    case 'flag':
      return value === true || value === 'true' ? true : undefined;
    case 'encoded':
      return typeof value === 'string' ? parseJson(value) : value;
    case 'any_json':
      if (value === null || value === '') return undefined;
      return typeof value === 'string' ? (parseJson(value) ?? value) : value;
    case 'texts': {
      const list = typeof value === 'string' ? parseText(value) : value;
      if (Array.isArray(list)) return list.filter((text) => readText(text) !== undefined);
      return readText(list) === undefined ? undefined : [list];
    }
    case 'json':
    case 'members':
      return value === null || value === '' ? undefined : parseAll(value);
  }
}

function readText(value: JsonValue): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function readAmount(value: JsonValue): number | undefined {
  const isText = typeof value === 'string' && value.trim() !== '';
  const amount = isText ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}

/** Parses JSON, also in the items of a list: senders write lists of objects as lists of JSON texts. */
function parseAll(value: JsonValue): JsonValue {
  if (typeof value === 'string') return parseText(value);
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'string' ? parseText(item) : item))
    : value;
}
