import { about, list, maybe, object, type Schema, string, whole } from '../schema/kinds.js';

/** Query parameters of a list that comes page by page. */
export const PAGE = {
  limit: maybe(about('Items of a page. Default: 50.', whole(1, 200))),
  cursor: maybe(about('The `next_cursor` of the page before.', string())),
};

/** One page of a list. `next_cursor` is absent on the last page. */
export const page = <Item>(item: Schema<Item>) => object({ items: list(item), next_cursor: maybe(string()) });

/** A whole list. */
export const items = <Item>(item: Schema<Item>) => object({ items: list(item) });
