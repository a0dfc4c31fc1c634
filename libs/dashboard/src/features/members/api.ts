import { queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => client.members.list({}, { signal }),
});
