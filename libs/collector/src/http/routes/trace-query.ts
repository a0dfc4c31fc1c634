import { ProtocolError } from '@dacapo/protocol';
import { type API, type Input, checkMetadataPath } from '@dacapo/protocol/api';
import type { FacetQuery } from '../../storage/ports/facets.js';

/** The possible values of a query text: `5` is the string and the number, `"5"` only the string, `gold` a string. */
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

/** The facet that a query requests. @throws ProtocolError */
export function toFacetQuery({ of, prefix = '', path }: Input<typeof API.traces.listFacets>): FacetQuery {
  if (of !== 'metadata_value') {
    if (path !== undefined) throw new ProtocolError('path', 'is for of=metadata_value alone');
    return { of, prefix };
  }
  if (path === undefined) throw new ProtocolError('path', 'must be a string, not absent');
  const problem = checkMetadataPath(path);
  if (problem !== undefined) throw new ProtocolError('path', problem);
  return { of, prefix, path: path.split('.') };
}
