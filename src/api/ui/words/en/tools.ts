/** The texts around the API reference and the GraphQL explorer, in English. Their own texts are their makers'. */

export const tools = {
  reference: {
    keyOf: (app: string) => `Requests from this page use the key of your app “${app}”.`,
    noKey: "Requests need an app's key.",
    getKey: "Get one in the console",
    openConsole: "Open the console",
    search: "Search",
    copy: "Copy",
    body: "Body",
    /** Before a link to its document. */
    noScript: "The API reference needs JavaScript, which is off in this browser. It shows what is in",
  },
  explorer: {
    noScript:
      "The GraphQL explorer needs JavaScript, which is off in this browser. Programs send queries to this address.",
    /** What screen readers call its editors. */
    editors: { query: "Query", answer: "Answer", variables: "Variables and headers" },
    /** In the queries that it opens with. */
    comments: {
      collections:
        "Vitrine's own queries and Ponder's, in one schema. Ctrl+Enter runs the query under the cursor.",
      locked: "Locked tokens can't be traded. `lock` shows what locks them.",
      refresh: "Needs the key of an app that may refresh tokens. Write it into the headers below.",
    },
  },
};
