import {
  type CreateDeletionRequest,
  type DeletionPreview,
  type DeletionRecord,
  ROUTES,
} from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../http/request.js';

/** What such a deletion would take away now. */
export const deletionPreviewQuery = (scope: CreateDeletionRequest) =>
  queryOptions({
    queryKey: [ROUTES.deletionPreview, scope],
    queryFn: ({ signal }) =>
      request<DeletionPreview>(ROUTES.deletionPreview, { method: 'POST', body: scope, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export function createDeletion(deletion: CreateDeletionRequest): Promise<DeletionRecord> {
  return request(ROUTES.deletions, { method: 'POST', body: deletion });
}
