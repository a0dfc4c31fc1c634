import type { SpanRecord } from '@dacapo/protocol';
import { hash } from 'node:crypto';
import { DatabaseDamagedError } from '../../../../errors.js';
import type { Step } from '../connection.js';
import type { TextBlock } from '../text-block.js';
import type { EncodedPayload, PayloadRow } from '../../../spans/payload.js';

/** In the order in which a payload's parts are listed. SQL reads the other fields, so they stay whole. */
const FIELDS = ['input', 'output', 'prompt', 'contexts'] as const;

/** Shorter texts stay whole, so that most spans cost nothing. */
const SHORTEST_TEXT = 2048;
/** The maximum of one payload that is searched for parts, which takes some ten milliseconds. Further fields stay whole. */
const MOST_CHARACTERS = 1024 * 1024;
/** A part costs about 70 bytes for its row, and 8 for its place in a payload. */
const SHORTEST_PART = 512;

/** 132 bits. */
const DIGEST_CHARACTERS = 22;

/** Marks a removed part. No JSON text contains this character: strings escape it, elsewhere it is invalid. */
const MARK = '\u0001';

/**
 * Places to cut. They move with the text before them, so that repeated texts are cut alike: the end of an object in a list, a turn of a
 * prompt, and the start of tools and of a long string, even after a short text.
 */
const PLACES = new RegExp(
  String.raw`\}(?=,\{|\])|\\n\\n(?=[a-z]{2,12}:\\n)|"tools":\[(?=\{)|:"(?=(?:[^"\\]|\\.){${SHORTEST_PART}})`,
  'g',
);
const STRING = /(?:[^"\\]|\\.)*/y;

export interface CutPayload {
  /** The payload without its large parts. */
  readonly payload: EncodedPayload;
  /** Digests of the parts, in order. */
  readonly digests: readonly string[];
  readonly parts: ReadonlyMap<string, string>;
}

const PUT_PART = `INSERT INTO payload_parts(account_id, digest, json) VALUES (?, ?, CAST(? AS TEXT))
  ON CONFLICT(account_id, digest) DO NOTHING`;

/** Counts uses in new payloads; see `tallied`. */
const COUNT_USES = `INSERT INTO payload_part_uses(part_no, uses)
  SELECT part_no, count(*) FROM (
    SELECT DISTINCT span_no, value AS part_no FROM span_payloads, json_each(parts)
    WHERE span_no > (SELECT last_span_no FROM tally) AND parts IS NOT NULL)
  GROUP BY part_no
  ON CONFLICT(part_no) DO UPDATE SET uses = uses + excluded.uses`;

/** Deletes parts of records that were not stored, such as a second record of a stored span. */
const DROP_UNUSED = `DELETE FROM payload_parts
  WHERE account_id = ? AND digest IN (SELECT value FROM json_each(?))
    AND NOT EXISTS (SELECT 1 FROM payload_part_uses u WHERE u.part_no = payload_parts.part_no)`;

/** The numbers of an account's parts, by a JSON list of digests; NULL for none. Both arguments are names of parameters. */
export const selectParts = (accountId: string, digests: string): string =>
  `CASE WHEN ${digests} IS NOT NULL THEN (SELECT json_group_array(p.part_no ORDER BY key)
    FROM json_each(${digests}) CROSS JOIN payload_parts p ON p.account_id = ${accountId} AND p.digest = value) END`;

/** The texts of a payload's parts as JSON; NULL if it is whole. Read in the same statement as the payload. */
export const PART_TEXTS = `CASE WHEN parts IS NOT NULL THEN (SELECT json_group_array(p.json ORDER BY u.key)
  FROM json_each(parts) u LEFT JOIN payload_parts p ON p.part_no = u.value) END AS part_texts`;

/**
 * The texts of the parts in the first characters of a field, as JSON, for {@link joinHead}. `p` is the row of the payload.
 */
export function partHeads(field: (typeof FIELDS)[number], characters: number): string {
  const before = FIELDS.slice(0, FIELDS.indexOf(field))
    .map((other) => `coalesce(length(p.${other}) - length(replace(p.${other}, char(1), '')), 0)`)
    .join(' + ');
  const first = before === '' ? '0' : before;
  return `CASE WHEN p.parts IS NOT NULL THEN (SELECT json_group_array(head ORDER BY key) FROM (
    SELECT u.key, substr(t.json, 1, ${characters}) AS head,
      sum(length(t.json)) OVER (ORDER BY u.key) - length(t.json) AS begins_at
    FROM json_each(p.parts) u LEFT JOIN payload_parts t ON t.part_no = u.value
    WHERE u.key >= ${first} AND u.key < ${first} + ${Math.ceil(characters / SHORTEST_PART)})
  WHERE coalesce(begins_at, 0) < ${characters}) END`;
}

/**
 * Removes parts from a payload that other payloads may share.
 *
 * @returns `undefined` if no part is large enough, or if SQL may join the record with another one
 */
export function cutPayload(
  { status, span_data: { meta } }: SpanRecord,
  payload: EncodedPayload,
): CutPayload | undefined {
  if (status === 'unfinished' || meta?.continues !== undefined) return undefined;
  const rest: EncodedPayload = { ...payload };
  const digests: string[] = [];
  const parts = new Map<string, string>();
  let characters = 0;
  for (const field of FIELDS) {
    const text = payload[field];
    if (text === undefined || text.length < SHORTEST_TEXT || characters + text.length > MOST_CHARACTERS)
      continue;
    characters += text.length;
    rest[field] = cutText(text, (part) => {
      const digest = hash('sha256', part, 'base64url').slice(0, DIGEST_CHARACTERS);
      digests.push(digest);
      parts.set(digest, part);
    });
  }
  return digests.length === 0 ? undefined : { payload: rest, digests, parts };
}

function cutText(text: string, take: (part: string) => void): string {
  let rest = '';
  let start = 0;
  const cutAt = (end: number): void => {
    const piece = text.slice(start, end);
    start = end;
    if (piece.length < SHORTEST_PART) {
      rest += piece;
      return;
    }
    take(piece);
    rest += MARK;
  };
  PLACES.lastIndex = 0;
  while (PLACES.test(text)) {
    const end = PLACES.lastIndex;
    const last = text[end - 1];
    if (last === '[') cutAt(end);
    else if (last === '"') {
      cutAt(end);
      STRING.lastIndex = end;
      STRING.test(text);
      cutAt(STRING.lastIndex);
      PLACES.lastIndex = start;
    } else if (end - start >= SHORTEST_PART) cutAt(end);
  }
  cutAt(text.length);
  return rest;
}

/**
 * The steps before the payloads of a batch are stored, right after that, and after counting. Each account stores a part once; accounts
 * share no parts.
 */
export function partSteps(
  accountId: string,
  spans: readonly { cut: CutPayload | undefined }[],
  block: TextBlock,
): Record<'putting' | 'counting' | 'settling', Step[]> {
  const parts = new Map(spans.flatMap(({ cut }) => (cut === undefined ? [] : [...cut.parts])));
  if (parts.size === 0) return { putting: [], counting: [], settling: [] };
  return {
    putting: [
      { sql: PUT_PART, rows: Array.from(parts, ([digest, part]) => [accountId, digest, block.add(part)]) },
    ],
    counting: [{ sql: COUNT_USES, rows: [[]] }],
    settling: [{ sql: DROP_UNUSED, rows: [[accountId, JSON.stringify([...parts.keys()])]] }],
  };
}

/** The columns of {@link PART_TEXTS}. */
export interface PartsRow {
  part_texts: string | null;
}

/**
 * Restores the parts of a payload.
 *
 * @throws DatabaseDamagedError if a part is missing
 */
export function joinParts(row: PayloadRow & PartsRow): PayloadRow {
  if (row.part_texts === null) return row;
  const texts = (JSON.parse(row.part_texts) as (string | null)[]).values();
  const joined: PayloadRow = { ...row };
  for (const field of FIELDS) {
    const [first = '', ...others] = row[field]?.split(MARK) ?? [];
    if (others.length === 0) continue;
    joined[field] = others.reduce((text, piece) => {
      const { value } = texts.next();
      if (typeof value !== 'string') throw new DatabaseDamagedError('a part of a payload is missing');
      return text + value + piece;
    }, first);
  }
  return joined;
}

/** Restores the start of a field, as far as `heads` has its parts; see {@link partHeads}. */
export function joinHead(text: string | null, heads: string | null): string | null {
  if (text === null || heads === null) return text;
  const texts = JSON.parse(heads) as (string | null)[];
  const pieces = text.split(MARK).slice(0, texts.length + 1);
  return pieces.map((piece, index) => piece + (texts[index] ?? '')).join('');
}
