import type { ContextResult, GetContextRequest } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';

export const indexesQuery = queryOptions({
  queryKey: ['indexes'],
  queryFn: ({ signal }) => client.indexes.list({}, { signal }),
});

export async function getContext(search: GetContextRequest): Promise<ContextResult[]> {
  return (await client.developer.getContext(search)).data.results;
}
