import type { OtlpAttribute, OtlpConvention } from './attribute.js';
import { AI_SDK } from './conventions/ai-sdk.js';
import { DACAPO } from './conventions/dacapo.js';
import { GEN_AI, GENERAL } from './conventions/gen-ai.js';
import { OPENINFERENCE } from './conventions/openinference.js';
import { OPENLLMETRY } from './conventions/openllmetry.js';

/** All conventions. If a span has several attributes of one field, the first in this order counts. */
export const OTLP_CONVENTIONS: readonly OtlpConvention[] = [
  DACAPO,
  GENERAL,
  GEN_AI,
  AI_SDK,
  OPENINFERENCE,
  OPENLLMETRY,
];

/** A row of the table with its position. The lowest rank of a field counts. */
export interface RankedAttribute extends OtlpAttribute {
  readonly rank: number;
  /** The prefix that a name with `*` matches. */
  readonly prefix?: string;
}

const RANKED = OTLP_CONVENTIONS.flatMap(({ attributes }) => attributes).map((row, rank): RankedAttribute => {
  const ranked = { ...row, rank };
  return row.name.endsWith('*') ? { ...ranked, prefix: row.name.slice(0, -1) } : ranked;
});

const BY_NAME = new Map<string, RankedAttribute>();
for (const row of [...RANKED].reverse()) if (row.prefix === undefined) BY_NAME.set(row.name, row);
const PREFIXES = RANKED.filter(({ prefix }) => prefix !== undefined);

/** Senders repeat a small set of names, most of them without a row. */
const MOST_KNOWN = 4096;
const known = new Map<string, RankedAttribute | null>();

/** Finds the row of an attribute. @returns `undefined` if no convention has it */
export function findAttribute(name: string): RankedAttribute | undefined {
  const exact = BY_NAME.get(name);
  if (exact !== undefined) return exact;
  let row = known.get(name);
  if (row === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    row = PREFIXES.find(({ prefix = '' }) => name.startsWith(prefix)) ?? null;
    known.set(name, row);
  }
  return row ?? undefined;
}

/** The names that exported spans use for a field, our own first. */
export function listWrittenNames(field: OtlpAttribute['field']): string[] {
  return RANKED.filter((row) => row.field === field && row.isWritten).map(({ name }) => name);
}
