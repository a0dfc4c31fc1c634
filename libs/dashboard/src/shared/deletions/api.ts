import type {
  CreateDeletionRequest,
  DeletionPreview,
  PreviewRetentionRequest,
  RetentionPreview,
} from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../http/client.js';

/** A deletion or a retention rule to preview. */
export type Previewed = { scope: CreateDeletionRequest } | { rule: PreviewRetentionRequest };

type Preview = DeletionPreview & Partial<RetentionPreview>;

/** Counts what a deletion or rule would delete now. */
export const previewQuery = (previewed: Previewed) =>
  queryOptions({
    queryKey: ['preview of a deletion', previewed],
    queryFn: ({ signal }): Promise<Preview> =>
      'rule' in previewed
        ? client.retention.preview(previewed.rule, { signal })
        : client.deletions.preview(previewed.scope, { signal }),
    staleTime: 0,
    gcTime: 0,
  });

export const createDeletion = client.deletions.create;
