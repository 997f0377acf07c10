/** The GraphQL explorer at GET /graphql: GraphiQL, bundled from our own dependencies on first request. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Hono, type MiddlewareHandler } from "hono";
import { prefersHtml } from "../http/accept.ts";
import { compose } from "../http/compose.ts";
import { variesByEncoding } from "../http/compression.ts";
import { assetRoutes, once } from "../ui/assets.ts";
import { type PageVariables, pageHeaders, pathsUnder } from "../ui/site.ts";
import { words } from "../ui/visitor.ts";
import { explorerTabs } from "./explorer-tabs.ts";
import { renderTool } from "./tool-page.tsx";

const ENTRY = fileURLToPath(new URL("./client/graphiql.js", import.meta.url));

const bundle = once(async () => {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    // Only names the outputs.
    outdir: "/",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".woff": "dataurl", ".woff2": "dataurl" },
    logLevel: "silent",
  });
  const ending = (extension: string): string =>
    outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? "";
  return { script: ending(".js"), style: ending(".css") };
});

/** `collections` are those of the queries that the explorer opens with. `limit` limits the page, but not a program's queries. */
export function graphiqlPages(
  baseUrl: string,
  collections: Parameters<typeof explorerTabs>[0],
  limit: MiddlewareHandler,
): Hono<{ Variables: PageVariables }> {
  const to = pathsUnder(baseUrl);
  const pages = new Hono<{ Variables: PageVariables }>();
  pages.get("/graphql", async (c, next) => {
    c.header("Vary", "Accept");
    // Programs get answers to queries; browsers get the explorer.
    if (!prefersHtml(c)) return next();
    const headers = compose(variesByEncoding, pageHeaders({ baseUrl, inlineStyles: true }), limit);
    return headers(c, async () => {
      const { layout, tools } = words();
      c.res = await renderTool(
        c,
        to,
        {
          title: layout.explorer,
          href: "/graphql",
          styles: ["/graphiql/graphiql.css", "/graphiql/page.css"],
          scripts: ["/graphiql/graphiql.js"],
          noScript: tools.explorer.noScript,
        },
        <div
          id="graphiql"
          data-endpoint={to("/graphql")}
          data-tabs={JSON.stringify(explorerTabs(collections))}
          data-texts={JSON.stringify(tools.explorer.editors)}
        />,
      );
    });
  });
  pages.route(
    "/graphiql",
    assetRoutes({
      "graphiql.js": { type: "text/javascript", load: async () => (await bundle()).script },
      "graphiql.css": { type: "text/css", load: async () => (await bundle()).style },
      "page.css": {
        type: "text/css",
        load: () => readFile(new URL("./client/graphiql.css", import.meta.url)),
      },
    }),
  );
  return pages;
}
