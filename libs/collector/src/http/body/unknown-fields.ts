import { nearestName } from '@dacapo/protocol';
import { BadRequestException } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../openapi/operations.js';
import type { Schema } from '../openapi/schema.js';

/** Records are kept as they come: an SDK that is newer than the service may know more fields. */
const RECORDS = new Set(['ScoreRecord', 'TestRunItemReport', 'UsageRecord']);
const REF = /^#\/components\/schemas\/(.+)$/;

let schemas: Readonly<Record<string, Schema>> | undefined;

/** The types of the API as JSON Schema, made of the protocol's types by `npm run api`. */
export function apiSchemas(): Readonly<Record<string, Schema>> {
  return (schemas ??= JSON.parse(readFileSync(join(__dirname, '../openapi/schemas.json'), 'utf8')) as Record<
    string,
    Schema
  >);
}

/**
 * Refuses fields that a route does not take: an option that is misspelt, such as `expire_at`, would silently have no effect.
 *
 * @param route such as `POST /api/v1/keys`
 * @throws BadRequestException that names the field, and the nearest one that the route takes
 */
export function refuseUnknownFields(route: string, body: unknown): void {
  const schema = OPERATIONS[route]?.body;
  if (schema !== undefined) check([schema], body, '');
}

/** @param alternatives of which the value fulfils one */
function check(alternatives: readonly Schema[], value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  const forms = alternatives.flatMap(formsOf);
  // What is not described may nest deep.
  if (forms.length === 0) return;
  if (Array.isArray(value)) {
    const items = forms.flatMap(({ items: item }) => (item === undefined ? [] : [item as Schema]));
    for (const [index, entry] of value.entries()) check(items, entry, `${path}[${index}]`);
    return;
  }
  const objects = forms.filter(({ type }) => type === 'object');
  if (objects.length === 0 || objects.some(isOpen)) return;
  const known = objects.map(({ properties }) => properties as Record<string, Schema>);
  for (const [name, member] of Object.entries(value)) {
    const declared = known.flatMap((properties) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property === undefined ? [] : [property];
    });
    const at = path === '' ? name : `${path}.${name}`;
    if (declared.length === 0) throw unknownField(at, name, known.flatMap(Object.keys));
    check(declared, member, at);
  }
}

/** Names of an open object are the caller's own. */
function isOpen({ properties, additionalProperties = false }: Schema): boolean {
  return properties === undefined || additionalProperties !== false;
}

function formsOf(schema: Schema): Schema[] {
  const { $ref: reference, anyOf } = schema;
  if (Array.isArray(anyOf)) return (anyOf as Schema[]).flatMap(formsOf);
  if (typeof reference !== 'string') return [schema];
  const name = REF.exec(reference)?.[1] ?? '';
  const referred = RECORDS.has(name) ? undefined : apiSchemas()[name];
  return referred === undefined ? [] : formsOf(referred);
}

function unknownField(path: string, name: string, known: readonly string[]): BadRequestException {
  const near = nearestName(name, [...known]);
  const shown = path.length > 120 ? `${path.slice(0, 120)}…` : path;
  return new BadRequestException(
    `Unknown field "${shown}".${near === undefined ? '' : ` Did you mean "${near}"?`} Known fields: ${[...new Set(known)].sort().join(', ')}`,
  );
}
