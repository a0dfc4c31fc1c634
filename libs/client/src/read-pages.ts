interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor?: string;
}

/** The most that lists return at once. */
const LIMIT = 200;

/** Reads a list to its end, page by page. @param list such as `(page) => client.datasets.list(page)` */
export async function* readPages<Item>(
  list: (page: { readonly limit: number; readonly cursor: string | undefined }) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor }: Page<Item> = await list({ limit: LIMIT, cursor });
    yield items;
    cursor = next_cursor;
  } while (cursor !== undefined);
}
