import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { type FieldRow, OTLP_FIELDS, type OtlpField } from './fields.js';
import { readValue } from './read-value.js';
import { readSpanType } from './span-types.js';
import { findAttribute, type RankedAttribute } from './table.js';
import { unflatten } from './unflatten.js';

/** Attributes by meaning. */
export interface AttributeFacts {
  readonly values: ReadonlyMap<OtlpField, JsonValue>;
  /** Members of contexts. */
  readonly settings: JsonObject;
  readonly metadata: JsonObject;
  readonly traceContexts: JsonObject;
  /** Attributes that no convention names, and those with a value that the convention does not allow. */
  readonly others: JsonObject;
  /** Whether an attribute shows AI content. */
  readonly isAi: boolean;
}

interface Candidate {
  readonly rank: number;
  readonly name: string;
  readonly value: JsonValue;
}

/** Content that senders repeat in several forms. Only the preferred form is kept. */
const REPEATED = new Set<OtlpField>([
  ...(['input_messages', 'output_messages', 'input', 'output', 'arguments', 'result', 'type'] as const),
]);

/** Reads the attributes of a span. Never throws. */
export function readAttributes(attributes: JsonObject): AttributeFacts {
  const best = new Map<OtlpField, Candidate>();
  const others: [string, JsonValue][] = [];
  const members = { settings: [], metadata: [], trace_contexts: [] } as Record<string, [string, JsonValue][]>;
  const flattened = new Map<RankedAttribute, [string, JsonValue][]>();
  let isAi = false;

  const offer = (row: RankedAttribute, name: string, value: JsonValue): void => {
    const field: FieldRow = OTLP_FIELDS[row.field];
    const read = row.field === 'type' ? knownType(value) : readValue(value, field.format);
    if (read === undefined) {
      others.push([name, value]);
      return;
    }
    isAi ||= field.isAi === true;
    const list = members[row.field];
    if (list !== undefined) {
      if (row.member !== undefined) list.push([row.member, read]);
      else if (row.prefix !== undefined) list.push([name.slice(row.prefix.length), read]);
      else if (isJsonObject(read)) list.push(...Object.entries(read));
      else list.push([name, read]);
      return;
    }
    const known = best.get(row.field);
    const [winner, loser] =
      known === undefined || row.rank < known.rank
        ? [{ rank: row.rank, name, value: read }, known]
        : [known, { rank: row.rank, name, value: read }];
    best.set(row.field, winner);
    if (loser !== undefined && !REPEATED.has(row.field) && loser.value !== winner.value)
      others.push([loser.name, loser.value]);
  };

  for (const [name, value] of Object.entries(attributes)) {
    const row = findAttribute(name);
    if (row === undefined) others.push([name, value]);
    else if (row.prefix === undefined || (members[row.field] !== undefined && row.member === undefined))
      offer(row, name, value);
    else {
      const parts = flattened.get(row);
      const part: [string, JsonValue] = [name.slice(row.prefix.length), value];
      if (parts === undefined) flattened.set(row, [part]);
      else parts.push(part);
    }
  }
  for (const [row, parts] of flattened) offer(row, row.name, unflatten(parts));
  const { settings = [], metadata = [], trace_contexts = [] } = members;
  return {
    values: new Map([...best].map(([field, { value }]) => [field, value])),
    settings: Object.fromEntries(settings),
    metadata: Object.fromEntries(metadata),
    traceContexts: Object.fromEntries(trace_contexts),
    others: Object.fromEntries(others),
    isAi,
  };
}

function knownType(value: JsonValue): JsonValue | undefined {
  return typeof value === 'string' && readSpanType(value) !== undefined ? value : undefined;
}
