/** The page around a full-width tool: the API reference and the GraphQL explorer. */

import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { Layout, page } from "../ui/layout.tsx";
import { Notice } from "../ui/parts.tsx";
import type { PageVariables, To } from "../ui/site.ts";
import { words } from "../ui/visitor.ts";

const links = [
  { href: "/collections", text: "collections" },
  { href: "/console", text: "console" },
  { href: "/reference", text: "reference" },
  { href: "/graphql", text: "graphql" },
] as const;

interface Tool {
  readonly title: string;
  /** The tool's entry in the navigation. */
  readonly href: (typeof links)[number]["href"];
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** Library scripts that are not modules; they run first. */
  readonly libraries?: readonly string[];
  /** What to do without the scripts that the page is made by. */
  readonly noScript: Child;
}

/** Renders the page, whose scripts fill `content`. */
export const renderTool = (
  c: Context<{ Variables: PageVariables }>,
  to: To,
  { title, href, noScript, ...files }: Tool,
  content: Child,
): Response | Promise<Response> =>
  c.html(
    page(
      <Layout
        title={title}
        to={to}
        nav={links.map((link) => ({
          href: link.href,
          text: words().layout[link.text],
          ...(link.href === href && { isCurrent: true }),
        }))}
        search=""
        nonce={c.get("secureHeadersNonce")}
        width="full"
        {...files}
      >
        <h1 class="visually-hidden">{title}</h1>
        <noscript>
          <Notice tone="warn">{noScript}</Notice>
        </noscript>
        {content}
      </Layout>,
    ),
  );
