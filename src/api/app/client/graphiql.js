/** The GraphQL explorer: GraphiQL on this service's own endpoint. */

import "graphiql/graphiql.css";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { focusable, mend, name, without } from "./accessible.js";

const root = document.getElementById("graphiql");
const { endpoint, tabs } = root.dataset;
const texts = JSON.parse(root.dataset.texts);

mend(root, [
  // A tab that holds a button to close it is no tab to a screen reader.
  [".graphiql-tabs[role=tablist]", without("role")],
  [
    ".graphiql-tab[role=tab]",
    (tab) => {
      tab.removeAttribute("role");
      tab.removeAttribute("aria-selected");
    },
  ],
  [".graphiql-query-editor textarea", name(texts.query)],
  [".graphiql-response textarea", name(texts.answer)],
  [".graphiql-editor-tool textarea", name(texts.variables)],
  [".CodeMirror-scroll", focusable],
]);

const send = createGraphiQLFetcher({ url: endpoint });
// GraphiQL goes on naming the operation of the tab before.
const fetcher = ({ operationName, ...request }, options) => {
  const isThere = new RegExp(`\\b(?:query|mutation|subscription)\\s+${operationName}\\b`).test(request.query);
  return send(isThere ? { ...request, operationName } : request, options);
};

createRoot(root).render(
  createElement(GraphiQL, {
    fetcher,
    defaultTabs: JSON.parse(tabs),
    // A key is needed by what changes something.
    defaultEditorToolsVisibility: "headers",
    shouldPersistHeaders: false,
    forcedTheme: document.documentElement.dataset.theme ?? "system",
  }),
);
