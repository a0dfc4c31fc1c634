import * as v from 'valibot';
import { ProtocolError } from '../../errors.js';
import type { Schema } from './kinds.js';

const MOST_SHOWN = 120;

/**
 * Reads a value of a request.
 *
 * @param path of the value in the request
 * @param noun what messages call a name of the value
 * @throws ProtocolError with the path of the first field that is invalid or unknown
 */
export function check<const S extends Schema>(
  schema: S,
  value: unknown,
  { path = '', noun = 'field' } = {},
): v.InferOutput<S> {
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const [{ message, path: items = [], expected }] = result.issues;
  const at = items.reduce((before, { key }) => {
    if (typeof key === 'number') return `${before}[${key}]`;
    return before === '' ? String(key) : `${before}.${String(key)}`;
  }, path);
  if (expected !== 'never') throw new ProtocolError(at, message);
  const shown = at.length > MOST_SHOWN ? `${at.slice(0, MOST_SHOWN)}…` : at;
  throw new ProtocolError(at, message, `Unknown ${noun} "${shown}". ${message}`);
}

/** Whether a value fits a schema. */
export function fits(schema: Schema, value: unknown): boolean {
  return v.is(schema, value);
}
