import { FIELD_NAMES, fieldCondition, type FieldConditions, type FieldName } from '../records/conditions.js';
import type { Fields } from './fields.js';
import { readTags } from './parse-trace.js';

/** Reads the field conditions of a body or a query. @throws ProtocolError with the name of an invalid field */
export function readFieldConditions(fields: Fields): FieldConditions {
  const given = FIELD_NAMES.filter((name) => fields.has(name));
  return Object.fromEntries(given.map((name) => [name, readCondition(fields, name)]));
}

function readCondition(fields: Fields, name: FieldName): string | string[] {
  const { choices, isList } = fieldCondition(name);
  if (isList === true) return readTags(fields);
  return choices === undefined ? fields.label(name) : fields.oneOf(name, choices);
}
