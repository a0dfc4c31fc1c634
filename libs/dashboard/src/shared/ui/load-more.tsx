interface LoadMoreProps {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The way to a list's next page; nothing on the last. Takes an infinite query as it is. */
export function LoadMore({ hasNextPage, isFetchingNextPage, fetchNextPage }: LoadMoreProps) {
  if (!hasNextPage) return null;
  return (
    <button
      type="button"
      disabled={isFetchingNextPage}
      onClick={() => {
        fetchNextPage();
      }}
    >
      {isFetchingNextPage ? 'Loading …' : 'Show more'}
    </button>
  );
}
