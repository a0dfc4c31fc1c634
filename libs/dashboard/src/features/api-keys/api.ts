import { queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';

export const apiKeysQuery = queryOptions({
  queryKey: ['API keys'],
  queryFn: ({ signal }) => client.apiKeys.list({}, { signal }),
});

export const browserSessionsQuery = queryOptions({
  queryKey: ['browser sessions'],
  queryFn: ({ signal }) => client.browserSessions.list({}, { signal }),
});
