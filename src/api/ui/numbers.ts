/** Numbers as the visitor's language writes them. */

import { words } from "./visitor.ts";

/** With thousands separators where that helps; never rounded. */
export const formatNumber = (value: number): string =>
  Number.isSafeInteger(value) ? value.toLocaleString(words().locale.numbers) : String(value);

/** A count that ended early when `hasMore`. */
export const formatCount = (count: number, hasMore: boolean): string =>
  hasMore ? words().text.orMore(formatNumber(count)) : formatNumber(count);
