/** The interactive reference at /reference: Swagger UI served from our own files, for the document at /openapi.json. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Hono } from "hono";
import { assetRoutes } from "../ui/assets.ts";
import { type PageVariables, pageHeaders, pathsUnder } from "../ui/site.ts";
import { renderTool } from "./tool-page.tsx";

const require = createRequire(import.meta.url);
const library = (name: string) => () => readFile(require.resolve(`swagger-ui-dist/${name}`));
const own = (name: string) => () => readFile(new URL(`./client/${name}`, import.meta.url));

export function referencePages(baseUrl: string): Hono<{ Variables: PageVariables }> {
  const to = pathsUnder(baseUrl);
  const pages = new Hono<{ Variables: PageVariables }>();
  // The document's server is BASE_URL, another origin if the page is opened under another name of this machine.
  const headers = pageHeaders({ baseUrl, inlineStyles: true, connect: [new URL(baseUrl).origin] });
  pages.get("/reference", headers, (c) =>
    renderTool(
      c,
      to,
      {
        title: "API reference",
        href: "/reference",
        styles: ["/reference/swagger-ui.css", "/reference/reference.css"],
        libraries: ["/reference/swagger-ui-bundle.js"],
        scripts: ["/reference/reference.js"],
      },
      <div id="reference" data-document={to("/openapi.json")} />,
    ),
  );
  pages.route(
    "/reference",
    assetRoutes({
      "swagger-ui-bundle.js": { type: "text/javascript", load: library("swagger-ui-bundle.js") },
      "swagger-ui.css": { type: "text/css", load: library("swagger-ui.css") },
      "reference.css": { type: "text/css", load: own("reference.css") },
      "reference.js": { type: "text/javascript", load: own("reference.js") },
    }),
  );
  return pages;
}
