/** A page's `<head>`: what it is called, how it is shared, and the files it loads. */

import { FONT } from "./fonts.ts";
import { lateScript } from "./late-script.ts";
import type { To } from "./site.ts";
import { visitor } from "./visitor.ts";

/** What search engines and link previews show of a page. Texts may be untrusted; URLs are absolute. */
export interface About {
  readonly description: string;
  /** The page's one address. */
  readonly url?: string;
  readonly image?: string | undefined;
  /** Kept out of search engines. */
  readonly isUnlisted?: boolean;
}

export interface HeadProps {
  readonly title: string;
  readonly to: To;
  readonly about?: About | undefined;
  /** The nonce of the page's content policy; scripts without it do not run. */
  readonly nonce?: string | undefined;
  /** Module scripts, by path. */
  readonly scripts?: readonly string[];
  /** Library scripts that are not modules; they run first. */
  readonly libraries?: readonly string[];
  readonly styles?: readonly string[];
  /** The script that all pages share is loaded when the visitor first uses a control or the `/` key. */
  readonly isScriptLate?: boolean;
}

export const SITE_NAME = "Vitrine";
const SITE_SCRIPT = "/assets/site.js";

export const Head = (props: HeadProps) => {
  const { title, to, about, nonce, scripts = [], libraries = [], styles = [], isScriptLate } = props;
  const modules = isScriptLate ? scripts : [SITE_SCRIPT, ...scripts];
  const { theme } = visitor();
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content={theme === "system" ? "light dark" : theme} />
      <title>{`${title} · ${SITE_NAME}`}</title>
      <link rel="preload" as="font" type="font/woff2" href={to(FONT.path)} crossorigin="anonymous" />
      {["/assets/ui.css", ...styles].map((path) => (
        <link rel="stylesheet" href={to(path)} />
      ))}
      <link rel="icon" href={to("/favicon.ico")} sizes="32x32" />
      <link rel="icon" type="image/svg+xml" href={to("/assets/icon.svg")} />
      <link rel="apple-touch-icon" href={to("/apple-touch-icon.png")} />
      {about && <Shared title={title} about={about} />}
      {libraries.map((path) => (
        <script defer src={to(path)} nonce={nonce} />
      ))}
      {nonce !== undefined && modules.map((path) => <script type="module" src={to(path)} nonce={nonce} />)}
      {nonce !== undefined && isScriptLate && (
        <script
          type="module"
          nonce={nonce}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, and a path as JSON.
          dangerouslySetInnerHTML={{ __html: lateScript(to(SITE_SCRIPT)) }}
        />
      )}
    </head>
  );
};

/** Open Graph (ogp.me), and what search engines read. */
const Shared = ({ title, about }: { title: string; about: About }) => {
  const { description, url, image, isUnlisted } = about;
  return (
    <>
      <meta name="description" content={description} />
      {isUnlisted && <meta name="robots" content="noindex" />}
      {url !== undefined && <link rel="canonical" href={url} />}
      <meta property="og:site_name" content={SITE_NAME} />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      {url !== undefined && <meta property="og:url" content={url} />}
      {image !== undefined && <meta property="og:image" content={image} />}
      {image !== undefined && <meta property="og:image:alt" content={title} />}
      <meta name="twitter:card" content="summary" />
    </>
  );
};
