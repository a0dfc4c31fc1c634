import { type IndexDetail, ROUTES } from '@dacapo/protocol';
import { IndexAmbiguousError } from '../errors.js';
import type { ServiceClient } from '../service/service-client.js';

/**
 * The id of the index that a person named, by its id or its name. What no index is called is handed on as an id, which the
 * service says it does not know.
 *
 * @throws IndexAmbiguousError when several have the name
 */
export async function findIndexId(client: ServiceClient, idOrName: string): Promise<string> {
  const { items } = await client.get<{ items: IndexDetail[] }>(ROUTES.indexes, 'items');
  if (items.some(({ index_id }) => index_id === idOrName)) return idOrName;
  const named = items.filter(({ name }) => name.toLowerCase() === idOrName.toLowerCase());
  if (named.length > 1)
    throw new IndexAmbiguousError(
      idOrName,
      named.map(({ index_id, type }) => `${index_id} (${type})`),
    );
  return named[0]?.index_id ?? idOrName;
}
