/** The choice of a theme: a form, which the script of all pages sends without leaving the page. */

import type { To } from "./site.ts";
import { themes, visitor } from "./visitor.ts";

const Icon = () => (
  <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
    <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.75" />
    <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
  </svg>
);

const Choices = () => {
  const { theme, words } = visitor();
  return (
    <>
      {themes.map((each) => (
        <button type="submit" name="theme" value={each} aria-pressed={each === theme ? "true" : "false"}>
          {words.theme[each]}
        </button>
      ))}
    </>
  );
};

/** In the foot of pages whose bar has no place for it. */
export const ThemeRow = ({ to }: { to: To }) => (
  <form
    id="themes"
    class="theme-row"
    method="post"
    action={to("/preferences")}
    aria-label={visitor().words.theme.title}
  >
    <Choices />
  </form>
);

/** In the bar. */
export const ThemeMenu = ({ to }: { to: To }) => {
  const { words } = visitor();
  return (
    <div class="theme">
      <button type="button" class="icon-button" popovertarget="themes" aria-label={words.theme.title}>
        <Icon />
      </button>
      <form id="themes" class="menu" popover="auto" method="post" action={to("/preferences")}>
        <Choices />
      </form>
    </div>
  );
};
