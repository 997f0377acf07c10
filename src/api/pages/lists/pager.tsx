/** Links between the pages of a list with cursors. */

import type { Site } from "../env.ts";

interface PagerProps {
  readonly site: Site;
  readonly path: string;
  /** Query fields that every page keeps. */
  readonly kept?: Readonly<Record<string, string>>;
  readonly cursor: string | undefined;
  readonly next: string | null;
  /** For the first page and the next one. */
  readonly words: readonly [string, string];
  readonly fragment: string;
  /** The query field that holds this list's cursor. */
  readonly field?: string;
}

export const Pager = ({
  site,
  path,
  kept = {},
  cursor,
  next,
  words,
  fragment,
  field = "cursor",
}: PagerProps) => {
  const at = (more: Readonly<Record<string, string>>): string => {
    const query = new URLSearchParams({ ...kept, ...more }).toString();
    return `${site.to(path)}${query && `?${query}`}#${fragment}`;
  };
  if (cursor === undefined && next === null) return null;
  return (
    <p class="row">
      {cursor !== undefined && (
        <a class="button slim" href={at({})}>
          {words[0]}
        </a>
      )}
      {next !== null && (
        <a class="button slim" href={at({ [field]: next })}>
          {words[1]}
        </a>
      )}
    </p>
  );
};
