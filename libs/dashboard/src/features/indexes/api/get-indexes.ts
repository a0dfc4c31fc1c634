import { type IndexDetail, ROUTES } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../../shared/http/request.js';

export const indexesQuery = queryOptions({
  queryKey: [ROUTES.indexes],
  queryFn: ({ signal }) => request<{ items: IndexDetail[] }>(ROUTES.indexes, { signal }),
});
