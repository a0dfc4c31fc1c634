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

/** What a deletion, or a rule of retention, is asked for. */
export type Previewed = { scope: CreateDeletionRequest } | { rule: PreviewRetentionRequest };

type Preview = DeletionPreview & Partial<RetentionPreview>;

/** What it would take away now. */
export const previewQuery = (asked: Previewed) =>
  queryOptions({
    queryKey: [ROUTES.deletionPreview, asked],
    queryFn: ({ signal }) =>
      'rule' in asked
        ? request<Preview>(ROUTES.retentionPreview, { method: 'POST', body: asked.rule, signal })
        : request<Preview>(ROUTES.deletionPreview, { method: 'POST', body: asked.scope, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export function createDeletion(deletion: CreateDeletionRequest): Promise<DeletionRecord> {
  return request(ROUTES.deletions, { method: 'POST', body: deletion });
}
