import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { MOST_SCORES, namedScoresQuery } from './api.js';

/** The newest scores of a name. The page shows the first ones while the others load. */
export function useNamedScores(name: string) {
  const query = useInfiniteQuery(namedScoresQuery(name));
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const scores = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  const isDue = hasNextPage && !isFetching && !isError && (scores?.length ?? 0) < MOST_SCORES;
  useEffect(() => {
    if (isDue) void fetchNextPage();
  }, [isDue, fetchNextPage]);
  return { ...query, scores };
}
