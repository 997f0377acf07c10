/** The frame of every page: brand, navigation, signed-in user, content and footer. */

import type { Child, PropsWithChildren } from "hono/jsx";
import type { To } from "./site.ts";

export interface NavLink {
  readonly href: string;
  readonly text: string;
  readonly isCurrent?: boolean;
  /** After the text, for example a number. */
  readonly end?: Child;
}

export interface LayoutProps {
  readonly title: string;
  readonly to: To;
  readonly nav?: readonly NavLink[];
  /** The end of the bar: the signed-in user and the sign-out button. */
  readonly end?: Child;
  /** The nonce of the page's content policy; scripts without it do not run. */
  readonly nonce?: string | undefined;
  /** Module scripts, by path. */
  readonly scripts?: readonly string[];
  /** Library scripts that are not modules; they run first. */
  readonly libraries?: readonly string[];
  readonly styles?: readonly string[];
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
  const {
    title,
    to,
    nav = [],
    end,
    nonce,
    scripts = [],
    libraries = [],
    styles = [],
    width = "wide",
    children,
  } = props;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Vitrine`}</title>
        <link rel="icon" type="image/svg+xml" href={to("/assets/icon.svg")} />
        {["/assets/ui.css", ...styles].map((path) => (
          <link rel="stylesheet" href={to(path)} />
        ))}
        {libraries.map((path) => (
          <script defer src={to(path)} nonce={nonce} />
        ))}
        {scripts.map((path) => (
          <script type="module" src={to(path)} nonce={nonce} />
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header class="bar">
          <div class="bar-inner">
            <a class="brand" href={to("/")}>
              <Mark />
              Vitrine
            </a>
            {nav.length > 0 && (
              <nav aria-label="Main">
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
            {end && <div class="bar-end">{end}</div>}
          </div>
        </header>
        <main id="main" class={width} tabindex={-1}>
          {children}
        </main>
        {width !== "full" && (
          <footer class="foot">
            <div class="bar-inner">
              <a href={to("/collections")}>Collections</a>
              <a href={to("/console")}>Console</a>
              <a href={to("/reference")}>API reference</a>
              <a href={to("/graphql")}>GraphQL explorer</a>
              <a href={to("/openapi.json")}>openapi.json</a>
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
