import { nearestName } from '../../nearest-name.js';
import type { Condition } from './condition.js';
import { type ConditionName, conditionsIn } from './conditions.js';

/** A query line that cannot be read. `message` says what to write instead. */
export class QueryLineError extends Error {
  readonly code = 'PROTOCOL_INVALID_QUERY_LINE';
}

/** Conditions as query parameters: `{ status: ['error'], min_cost_usd: ['0.01'], 'metadata.tier': ['gold'] }`. */
export type LineParameters = Record<string, string[]>;

type Place = 'lists' | 'selections';

const TOKEN = /(?:"[^"]*"?|[^\s"])+/g;
const CONDITION = /^([a-z][\w-]*)((?:\.[^\s:<>="]+)*)(>=|<=|[:<>=])(.*)$/is;
const AGE = /^(\d{1,6})([mhdw])$/;
const AGE_UNITS_MS: Readonly<Record<string, number>> = { m: 6e4, h: 36e5, d: 864e5, w: 6048e5 };
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/**
 * Reads a query line, such as `status:error model:gpt-5 cost>0.01 metadata.tier:gold score.accuracy<0.5 "late parcel"`. What is no
 * condition is searched as text. A value with spaces is in quotation marks, and so is text that looks like a condition. Bounds of
 * amounts are inclusive, whether they are written `>` or `>=`. A duration may have a unit: `duration>2s`. An age such as `since:24h`
 * stays as it is written: {@link parseAge} reads it.
 *
 * @throws QueryLineError if a condition is unknown, or its operator or value is wrong
 */
export function parseQueryLine(line: string, place: Place = 'lists'): LineParameters {
  const rows = new Map(conditionsIn(place));
  const parameters: LineParameters = {};
  const words: string[] = [];
  for (const [token] of line.matchAll(TOKEN)) {
    const [, word = '', path = '', operator = '', value = ''] = CONDITION.exec(token) ?? [];
    if (word === '') {
      words.push(token);
      continue;
    }
    for (const [name, text] of readCondition([...rows], word, path.slice(1), operator, unquoted(value))) {
      const before = parameters[name] ?? [];
      if (before.includes(text)) continue;
      if (before.length > 0 && rows.get(name as ConditionName)?.kind !== 'list')
        throw new QueryLineError(`"${word}" has two values, "${before[0]}" and "${text}". Write one.`);
      parameters[name] = [...before, text];
    }
  }
  if (words.length > 0) parameters['text'] = [[...(parameters['text'] ?? []), ...words].join(' ')];
  return parameters;
}

/** The milliseconds of an age such as `90m`, `24h`, `7d` or `2w`. `undefined` for anything else. */
export function parseAge(text: string): number | undefined {
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  const unitMs = AGE_UNITS_MS[unit];
  return unitMs && Number(count) * unitMs;
}

/** Writes parameters as a query line that {@link parseQueryLine} reads. Skips parameters that are not conditions. */
export function formatQueryLine(parameters: LineParameters): string {
  const rows = new Map(conditionsIn('lists'));
  const score = parameters['score']?.[0];
  const parts = Object.entries(parameters).flatMap(([name, values]) => {
    if (name.startsWith('metadata.')) return values.map((value) => `${name}:${quoted(value)}`);
    const row = rows.get(name as ConditionName);
    if (row === undefined || row.kind === 'words') return [];
    if (name === 'score' && Object.keys(parameters).some((other) => other.startsWith('score_'))) return [];
    const word = name.startsWith('score_') && score !== undefined ? `score.${score}` : row.word;
    return values.map((value) => `${word}${row.operator ?? ':'}${quoted(value)}`);
  });
  const text = (parameters['text'] ?? []).flatMap((words) => words.match(TOKEN) ?? []);
  return [...parts, ...text.map((token) => (CONDITION.test(token) ? `"${token}"` : token))].join(' ');
}

/** The parameters of one condition. */
function readCondition(
  rows: readonly [ConditionName, Condition][],
  word: string,
  path: string,
  operator: string,
  value: string,
): [name: string, text: string][] {
  const written = `${word}${path && `.${path}`}${operator}`;
  const known = rows.filter(([name, row]) => row.word === word.toLowerCase() || name === word);
  if (known.length === 0) throw unknownCondition(word, rows);
  if (value === '') throw new QueryLineError(`"${written}" has no value. Write it after the ${operator}`);
  const isEqual = operator === ':' || operator === '=';
  if (known[0]?.[1].kind === 'metadata') {
    if (path !== '' && isEqual) return [[`metadata.${path}`, value]];
    throw new QueryLineError(`Write metadata with its path and value, such as metadata.tier:gold`);
  }
  const isScore = word === 'score';
  if (path !== '' && !isScore)
    throw new QueryLineError(`"${word}" does not accept a path. Write ${word}${operator}${value}`);
  const wanted = isEqual ? undefined : operator;
  const found = known.find(([name, row]) => {
    if (isScore && path !== '' && isEqual) return name === 'score_is';
    return row.operator === wanted || (row.kind === 'amount' && row.operator === `${operator}=`);
  });
  if (found === undefined || (isScore && !isEqual && path === '')) {
    const ways = isScore ? ['score.accuracy<0.5'] : known.map(([, row]) => `${word}${row.operator ?? ':'}…`);
    throw new QueryLineError(`"${word}" cannot be compared with ${operator}. Write ${ways.join(' or ')}`);
  }
  const [name, row] = found;
  const parameter: [string, string] = [name, readValue(written, row, value)];
  return isScore && path !== '' ? [['score', path], parameter] : [parameter];
}

function readValue(written: string, { kind, word, choices }: Condition, value: string): string {
  if (choices !== undefined && !choices.includes(value)) {
    const near = nearestName(value, choices);
    const cure = near === undefined ? `Use one of ${choices.join(', ')}.` : `Did you mean "${near}"?`;
    throw new QueryLineError(`Unknown ${word} "${value}". ${cure}`);
  }
  if (kind === 'amount' || kind === 'number') {
    const [, digits = '', unit = 'ms'] = /^(-?[\d.]+(?:e-?\d+)?)(ms|s|m)?$/i.exec(value) ?? [];
    const number = Number(digits) * (word === 'duration' ? (UNITS[unit] ?? 1) : 1);
    if (digits !== '' && Number.isFinite(number) && (word === 'duration' || value === digits))
      return String(number);
    throw new QueryLineError(`"${written}" needs a number, not "${value}".`);
  }
  if (kind !== 'time' || parseAge(value) !== undefined) return value;
  if (/^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)))
    return new Date(value).toISOString();
  throw new QueryLineError(
    `"${written}" needs a time such as 2026-01-31T12:00:00Z, or an age such as 24h, not "${value}".`,
  );
}

function unknownCondition(word: string, rows: readonly [ConditionName, Condition][]): QueryLineError {
  const words = [...new Set(rows.map(([, row]) => row.word))];
  const near = nearestName(word, words);
  const cure = near === undefined ? `Use one of ${words.join(', ')}.` : `Did you mean "${near}"?`;
  return new QueryLineError(`Unknown condition "${word}". ${cure} Put text with a colon in quotation marks.`);
}

function unquoted(value: string): string {
  return /^"([^"]*)"?$/s.exec(value)?.[1] ?? value;
}

function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
