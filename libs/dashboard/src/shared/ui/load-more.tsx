interface LoadMoreProps {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The button for the next page of an infinite query. Renders nothing on the last page. */
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
