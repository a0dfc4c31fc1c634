import { ProtocolError } from '@dacapo/protocol';
import { type API, type Input, problemOfPath } from '@dacapo/protocol/api';
import type { FacetQuery } from '../../storage/ports/facets.js';

/** A text in a query as JSON would have it: `5` is the text and the number, `"5"` the text alone, `gold` a text. */
export function parseScalars(parameter: unknown): (string | number | boolean | null)[] {
  const text = String(parameter);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [text];
  }
  if (typeof value === 'string') return [value];
  const isScalar = value === null || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? [text, value as number | boolean | null] : [text];
}

/** Which values a query asks for. @throws ProtocolError */
export function toFacetQuery({ of, prefix = '', path }: Input<typeof API.traces.listFacets>): FacetQuery {
  if (of !== 'metadata_value') {
    if (path !== undefined) throw new ProtocolError('path', 'is for of=metadata_value alone');
    return { of, prefix };
  }
  if (path === undefined) throw new ProtocolError('path', 'must be a string, not absent');
  const problem = problemOfPath(path);
  if (problem !== undefined) throw new ProtocolError('path', problem);
  return { of, prefix, path: path.split('.') };
}
