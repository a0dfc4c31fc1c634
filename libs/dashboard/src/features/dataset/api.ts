import { queryOptions } from '@tanstack/react-query';
import { client } from '../../shared/http/client.js';
import { pagedQuery } from '../../shared/http/page-query.js';

export const datasetQuery = (name: string) =>
  queryOptions({
    queryKey: ['dataset', name],
    queryFn: ({ signal }) => client.datasets.get({ name }, { signal }),
  });

/** The items of a version, which never change. */
export const datasetItemsQuery = (name: string, version: number) => ({
  ...pagedQuery(['dataset items', name, version], (page, options) =>
    client.datasets.listItems({ name, version, ...page }, options),
  ),
  staleTime: Infinity,
});
