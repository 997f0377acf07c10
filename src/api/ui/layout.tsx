/** The frame of every page: brand, navigation, search, signed-in user, content and footer. */

import type { Child, PropsWithChildren } from "hono/jsx";
import { Head, type HeadProps, SITE_NAME } from "./head.tsx";
import { SearchBox } from "./search-box.tsx";
import { ThemeMenu, ThemeRow } from "./theme-menu.tsx";
import { visitor } from "./visitor.ts";

export interface NavLink {
  readonly href: string;
  readonly text: string;
  readonly isCurrent?: boolean;
  /** After the text, for example a number. */
  readonly end?: Child;
}

export interface LayoutProps extends HeadProps {
  readonly nav?: readonly NavLink[];
  /** The end of the bar: the signed-in user and the sign-out button. */
  readonly end?: Child;
  /** The text in the search box; without it, the page has none. */
  readonly search?: string | undefined;
  readonly width?: "narrow" | "wide" | "gallery" | "full";
}

const Mark = () => (
  <svg width="22" height="22" viewBox="0 0 22 22" fill="none" aria-hidden="true">
    <path
      d="M3 5.5 11 2l8 3.5v11L11 20l-8-3.5z"
      stroke="currentColor"
      stroke-width="2"
      stroke-linejoin="round"
    />
    <path d="m3 5.5 8 3.5 8-3.5M11 9v11" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" />
  </svg>
);

export const Layout = (props: PropsWithChildren<LayoutProps>) => {
  const { to, nav = [], end, search, width = "wide", children, ...head } = props;
  const { theme, density, language, words } = visitor();
  const { layout } = words;
  const isSearched = search !== undefined;
  return (
    <html
      lang={language}
      data-theme={theme === "system" ? undefined : theme}
      data-density={density === "dense" ? density : undefined}
    >
      <Head to={to} {...head} />
      <body>
        <a class="skip" href="#main">
          {layout.skip}
        </a>
        <header class="bar">
          <div class="bar-inner">
            <a class="brand" href={to("/")}>
              <Mark />
              <span class="brand-name">{SITE_NAME}</span>
            </a>
            {nav.length > 0 && (
              <nav aria-label={layout.main}>
                <ul>
                  {nav.map(({ href, text, isCurrent, end: after }) => (
                    <li>
                      <a href={to(href)} aria-current={isCurrent ? "page" : undefined}>
                        {text}
                        {after}
                      </a>
                    </li>
                  ))}
                </ul>
              </nav>
            )}
            {isSearched && <SearchBox to={to} text={search} />}
            {(end || isSearched) && (
              <div class="bar-end">
                {end}
                {isSearched && <ThemeMenu to={to} />}
              </div>
            )}
          </div>
        </header>
        <main id="main" class={width} tabindex={-1}>
          {children}
        </main>
        {width !== "full" && (
          <footer class="foot">
            <div class="bar-inner">
              <a href={to("/collections")}>{layout.collections}</a>
              <a href={to("/console")}>{layout.console}</a>
              <a href={to("/reference")}>{layout.reference}</a>
              <a href={to("/graphql")}>{layout.explorer}</a>
              <a href={to("/openapi.json")}>openapi.json</a>
              {!isSearched && <ThemeRow to={to} />}
            </div>
          </footer>
        )}
      </body>
    </html>
  );
};

/** The page as text, with its doctype. */
export const page = (element: { toString(): string | Promise<string> }): string =>
  `<!doctype html>${String(element)}`;
