/** Payload bytes of one page at most, unless its first item alone has more. */
const PAGE_BYTES = 16 * 1024 * 1024;

/** The first items whose payloads fit one page together: one at least. */
export function takeWithin<T>(items: T[], bytesOf: (item: T) => number, most = PAGE_BYTES): T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += bytesOf(item);
    return index > 0 && bytes > most;
  });
  return end === -1 ? items : items.slice(0, end);
}
