import { queryOptions } from '@tanstack/react-query';
import { client } from '../http/client.js';

export const shareLinksQuery = queryOptions({
  queryKey: ['share links'],
  queryFn: ({ signal }) => client.shareLinks.list({}, { signal }),
});
