/** How many stored documents are read together. */

const PAGE_BYTES = 2 * 1024 * 1024;

/** The items in their order, in pages of two megabytes at most, or one item that is larger. */
export function bytePages<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[][] {
  const pages: Item[][] = [];
  let left = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    const page = pages.at(-1);
    if (page && bytes <= left) page.push(item);
    else {
      pages.push([item]);
      left = PAGE_BYTES;
    }
    left -= bytes;
  }
  return pages;
}
