/** The search of the bar: a form, which the script of all pages makes a combobox with suggestions. */

import type { To } from "./site.ts";
import { words } from "./visitor.ts";

const SEARCH_CHARACTERS_MAX = 200;

export const SearchBox = ({ to, text }: { to: To; text: string }) => {
  const { label, placeholder, suggestions } = words().search;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the form is what is searched with; <search> would be one more element.
    <form class="site-search" role="search" method="get" action={to("/search")}>
      <svg width="18" height="18" viewBox="0 0 18 18" fill="none" stroke="currentColor" aria-hidden="true">
        <circle cx="8" cy="8" r="5.25" stroke-width="1.75" />
        <path d="m12 12 4 4" stroke-width="1.75" stroke-linecap="round" />
      </svg>
      <input
        type="text"
        id="site-search"
        name="q"
        value={text}
        aria-label={label}
        placeholder={placeholder}
        inputmode="search"
        enterkeyhint="search"
        maxlength={SEARCH_CHARACTERS_MAX}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
      {/* The script gives it the role of a list. */}
      <div id="suggestions" class="suggestions" data-label={suggestions} hidden />
      <p id="suggested" class="visually-hidden" role="status" />
    </form>
  );
};
