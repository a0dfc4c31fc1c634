import type { Schema } from './kinds.js';

/** A query string as servers parse it: a name that occurs twice has an array. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

type Entries = Readonly<Record<string, Schema>>;

/**
 * The values of a query string as the entries of a schema expect them: numbers, booleans and lists, and names such as
 * `metadata.tier` as members of one object. What is no such value stays a text, which the schema refuses.
 */
export function decodeQuery(entries: Entries, query: Query): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(query)) {
    const [group = '', ...path] = name.split('.');
    if (path.length > 0 && Object.hasOwn(entries, group) && typeName(entries[group]) === 'record') {
      values.set(group, { ...(values.get(group) as object | undefined), [path.join('.')]: value });
    } else {
      values.set(name, decode(Object.hasOwn(entries, name) ? typeName(entries[name]) : undefined, value));
    }
  }
  return Object.fromEntries(values);
}

function decode(type: string | undefined, value: string | readonly string[]): unknown {
  if (type === 'array') return [value].flat();
  if (typeof value !== 'string') return value;
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

type Encodable = string | number | boolean | Readonly<Record<string, string>> | undefined;

/** The names and texts of a query string. Absent values are skipped, and members of an object have names with dots. */
export function encodeQuery(values: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values as Record<string, Encodable | Encodable[]>)) {
    for (const one of [value].flat()) {
      if (typeof one === 'object') {
        for (const [path, member] of Object.entries(one)) query.append(`${name}.${path}`, member);
      } else if (one !== undefined && one !== '') query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text && `?${text}`;
}

function typeName(schema: Schema | undefined): string | undefined {
  const { wrapped } = (schema ?? {}) as { wrapped?: Schema };
  return wrapped === undefined ? schema?.type : wrapped.type;
}
