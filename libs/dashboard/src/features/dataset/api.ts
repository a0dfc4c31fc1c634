import { type DatasetDetail, type DatasetItem, routePath, ROUTES } from '@dacapo/protocol';
import { queryOptions } from '@tanstack/react-query';
import { pageQuery } from '../../shared/http/page-query.js';
import { request } from '../../shared/http/request.js';

export const datasetQuery = (name: string) =>
  queryOptions({
    queryKey: [ROUTES.dataset, name],
    queryFn: ({ signal }) => request<DatasetDetail>(routePath(ROUTES.dataset, { name }), { signal }),
  });

/** The items of a version, which never change. */
export const datasetItemsQuery = (name: string, version: number) => ({
  ...pageQuery<DatasetItem>(routePath(ROUTES.datasetItems, { name, version: String(version) }), {
    limit: 50,
  }),
  staleTime: Infinity,
});
