import {
  type CreateDeletionRequest,
  type DeletionPreview,
  type DeletionRecord,
  type PreviewRetentionRequest,
  type RetentionPreview,
  ROUTES,
} from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../http/request.js';

/** A deletion or a retention rule to preview. */
export type Previewed = { scope: CreateDeletionRequest } | { rule: PreviewRetentionRequest };

type Preview = DeletionPreview & Partial<RetentionPreview>;

/** Counts what a deletion or rule would delete now. */
export const previewQuery = (previewed: Previewed) =>
  queryOptions({
    queryKey: [ROUTES.deletionPreview, previewed],
    queryFn: ({ signal }) =>
      'rule' in previewed
        ? request<Preview>(ROUTES.retentionPreview, { method: 'POST', body: previewed.rule, signal })
        : request<Preview>(ROUTES.deletionPreview, { method: 'POST', body: previewed.scope, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export function createDeletion(deletion: CreateDeletionRequest): Promise<DeletionRecord> {
  return request(ROUTES.deletions, { method: 'POST', body: deletion });
}
