/** Text that PostgreSQL stores: Unicode without U+0000 and without halves of surrogate pairs. */

export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** What PostgreSQL would refuse becomes U+FFFD. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\uFFFD");

/** For diagnostics: without U+0000, which a stranger's answer may hold anywhere. */
export const storableExcerpt = (text: string): string => storable(text.replaceAll("\0", ""));
