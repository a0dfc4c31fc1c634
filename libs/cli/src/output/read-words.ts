import { readFile } from 'node:fs/promises';
import { type Gate, readGate } from '@dacapo/evaluation';
import { parseAge, SPAN_TYPES, type SpanType } from '@dacapo/protocol';
import type { DatasetItems, FunctionBaseline, RunBaseline } from '@dacapo/tracer';
import { InvalidArgumentError } from 'commander';
import { errorCode, describeCause, UsageError } from '../errors.js';

/** Parsers of option values. Each throws Commander's error, which names the option. */

export function wholeNumber(from: number, to = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= from && number <= to) return number;
    const range = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`;
    throw new InvalidArgumentError(`Pass a whole number ${range}.`);
  };
}

export function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('Pass a number.');
}

/** A number of at least 0. */
export function amount(text: string): number {
  const value = number(text);
  if (value >= 0) return value;
  throw new InvalidArgumentError('Pass a number of at least 0.');
}

/** Parses numbers, `true`, `false` and quoted strings as JSON; anything else is text. */
export function scalar(text: string): string | number | boolean {
  const value = parsed(text);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : text;
}

export function each<T>(read: (text: string) => T): (text: string, before: readonly T[] | undefined) => T[] {
  return (text, before = []) => [...before, read(text)];
}

/** An ISO 8601 time, or an age: `90m`, `24h`, `7d`, `2w`. */
export function moment(nowMs: () => number): (text: string) => string {
  return (text) => {
    const ageMs = parseAge(text);
    if (ageMs === undefined && !/^\d{4}-\d\d-\d\d/.test(text)) throw new InvalidArgumentError(MOMENT);
    const date = new Date(ageMs === undefined ? text : nowMs() - ageMs);
    if (Number.isNaN(date.getTime())) throw new InvalidArgumentError(MOMENT);
    return date.toISOString();
  };
}

const MOMENT = 'Pass a time such as 2026-11-22T05:00:00Z, or an age: 90m, 24h, 7d, 2w.';

/** Converts a duration such as `90m`, `24h`, `7d` or `2w` to seconds. */
export function seconds(text: string): number {
  const ageMs = parseAge(text);
  if (ageMs === undefined) throw new InvalidArgumentError('Pass a duration such as 90m, 24h, 30d or 2w.');
  return ageMs / 1000;
}

/** `name=value`. By default, the value is parsed as JSON if possible, else it is text. */
export function metadata(read: (value: string) => unknown = (value) => parsed(value) ?? value) {
  return (text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
    const at = text.indexOf('=');
    if (at < 1) throw new InvalidArgumentError('Write it like tenant=ann.');
    return { ...before, [text.slice(0, at)]: read(text.slice(at + 1)) };
  };
}

export type LiveWord = SpanType | { readonly key: string };

/** A span type, or `key=` and a trace function key. */
export function live(text: string): LiveWord {
  const type = SPAN_TYPES.find((known) => known === text);
  if (type !== undefined) return type;
  if (text.startsWith('key=') && text.length > 4) return { key: text.slice(4) };
  throw new InvalidArgumentError(`Pass a span type (${SPAN_TYPES.join(', ')}) or key=<trace function key>.`);
}

/** `key=path`. Paths of the same key are collected. */
export function normalize(
  text: string,
  before: Readonly<Record<string, readonly string[]>> = {},
): Record<string, readonly string[]> {
  const [, key, path] = /^(.+?)=(\$.*)$/s.exec(text) ?? [];
  if (key === undefined || path === undefined)
    throw new InvalidArgumentError('Write it like search=$[0].requestId.');
  const paths = Object.hasOwn(before, key) ? (before[key] ?? []) : [];
  return { ...before, [key]: [...paths, path] };
}

/** `name` or `name@version`. */
export function dataset(text: string): DatasetItems {
  const [, name = '', version] = /^(.+?)(?:@(\d+))?$/s.exec(text) ?? [];
  if (name.trim() === '') throw new InvalidArgumentError('Write it like tickets or tickets@3.');
  return { dataset: name, ...(version !== undefined && { version: Number(version) }) };
}

/** An id, or its beginning. */
const TEST_RUN_ID = /^[\da-f]{4}[\da-f-]{0,32}$/;

/** The id of a test run, as a replay prints it in its first line, or the beginning of it. */
export function testRunId(text: string): string {
  if (TEST_RUN_ID.test(text)) return text;
  throw new InvalidArgumentError(
    'Pass the id of a test run, which a replay prints: "Test run <id>: 3 items".',
  );
}

/** A function of another module: `dist-before/desk.js#classify`. */
export interface ExportWord {
  readonly file: string;
  readonly exportName: string;
}

/** `recording`, `accepted`, `self`, the id of a test run, or `file#export`. */
export function baseline(text: string): Exclude<RunBaseline, FunctionBaseline> | ExportWord {
  if (text === 'recording' || text === 'accepted' || text === 'self') return text;
  if (TEST_RUN_ID.test(text)) return { testRunId: text };
  const [, file, exportName] = /^(.+)#([^#]+)$/s.exec(text) ?? [];
  if (file !== undefined && exportName !== undefined) return { file, exportName };
  throw new InvalidArgumentError('Pass recording, accepted, self, the id of a test run, or file#export.');
}

/**
 * Reads a gate from JSON or from a JSON file.
 *
 * @throws UsageError when it cannot be read or is invalid: a misspelt limit would let every run pass
 */
export async function readGateWord(word: string): Promise<Gate> {
  const text = word.trimStart().startsWith('{') ? word : await readText(word);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--gate is not JSON: ${problem}. Write it like '{"errors":0}', or name a file.`);
  }
  try {
    return readGate(json);
  } catch (error) {
    if (errorCode(error) !== 'EVALUATION_INVALID_ARGUMENT' || !(error instanceof Error)) throw error;
    throw new UsageError(`--gate: ${error.message}`);
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(
      `--gate ${path} cannot be read (${describeCause(cause)}). Name a file that exists, or write JSON: '{"errors":0}'.`,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
