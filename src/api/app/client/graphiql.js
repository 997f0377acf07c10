/** The GraphQL explorer: GraphiQL on this service's own endpoint. */

import "graphiql/graphiql.css";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

const root = document.getElementById("graphiql");
const defaultQuery = `# Ponder's queries and Vitrine's own, in one schema. Ctrl+Enter runs what is under the cursor.

query Collections {
  _meta {
    status
  }
}
`;

createRoot(root).render(
  createElement(GraphiQL, { fetcher: createGraphiQLFetcher({ url: root.dataset.endpoint }), defaultQuery }),
);
