/** The interactive reference at /reference: Scalar served from our own files, for the document at /openapi.json. */

import { readFile } from "node:fs/promises";
import { Hono } from "hono";
import { variesByEncoding } from "../http/compression.ts";
import { assetRoutes } from "../ui/assets.ts";
import { type PageVariables, pageHeaders, pathsUnder } from "../ui/site.ts";
import { words } from "../ui/visitor.ts";
import { renderTool } from "./tool-page.tsx";

const SCALAR = new URL("../../../vendor/scalar/standalone.js", import.meta.url);
const own = (name: string) => () => readFile(new URL(`./client/${name}`, import.meta.url));

export function referencePages(baseUrl: string): Hono<{ Variables: PageVariables }> {
  const to = pathsUnder(baseUrl);
  const pages = new Hono<{ Variables: PageVariables }>();
  // The document's server is BASE_URL, another origin if the page is opened under another name of this machine.
  const headers = pageHeaders({ baseUrl, inlineStyles: true, connect: [new URL(baseUrl).origin] });
  pages.get("/reference", variesByEncoding, headers, (c) => {
    const { layout, tools } = words();
    const { keyOf, noScript, ...texts } = tools.reference;
    return renderTool(
      c,
      to,
      {
        title: layout.reference,
        href: "/reference",
        styles: ["/reference/reference.css"],
        libraries: ["/reference/scalar.js"],
        scripts: ["/reference/reference.js"],
        noScript: (
          <>
            {noScript} <a href={to("/openapi.json")}>openapi.json</a>.
          </>
        ),
      },
      <>
        <p id="reference-key" class="small" role="status" />
        <div
          id="reference"
          data-document={to("/openapi.json")}
          data-viewer={to("/console/reference")}
          data-console={to("/console")}
          data-texts={JSON.stringify({ ...texts, keyOf: keyOf("{app}") })}
        />
      </>,
    );
  });
  pages.route(
    "/reference",
    assetRoutes({
      "scalar.js": { type: "text/javascript", load: () => readFile(SCALAR) },
      "reference.css": { type: "text/css", load: own("reference.css") },
      "accessible.js": { type: "text/javascript", load: own("accessible.js") },
      "reference.js": { type: "text/javascript", load: own("reference.js") },
    }),
  );
  return pages;
}
