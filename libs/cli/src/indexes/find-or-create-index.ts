import { type CreateIndexRequest, type IndexDetail, ROUTES } from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

/** The index of that name and type, so that adding the same folder again does not make a second one. */
export async function findOrCreateIndex(
  client: ServiceClient,
  wanted: CreateIndexRequest,
): Promise<IndexDetail> {
  const { items } = await client.get<{ items: IndexDetail[] }>(ROUTES.indexes, 'items');
  const found = items.find(({ name, type }) => name === wanted.name && type === wanted.type);
  return found ?? client.post<IndexDetail>(ROUTES.indexes, wanted, 'index_id');
}
