import type { ServiceClient } from '../service/service-client.js';
import { IndexAmbiguousError } from './errors.js';

/**
 * Finds an index by id or name. Returns an unknown name unchanged, so that the service reports it as an unknown id.
 *
 * @throws IndexAmbiguousError when several indexes have the name
 */
export async function findIndexId(client: ServiceClient, idOrName: string): Promise<string> {
  const { items } = await client.api.indexes.list();
  if (items.some(({ index_id }) => index_id === idOrName)) return idOrName;
  const named = items.filter(({ name }) => name.toLowerCase() === idOrName.toLowerCase());
  if (named.length > 1)
    throw new IndexAmbiguousError(
      idOrName,
      named.map(({ index_id, type }) => `${index_id} (${type})`),
    );
  return named[0]?.index_id ?? idOrName;
}
