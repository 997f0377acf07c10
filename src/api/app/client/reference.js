/** Starts the reference, for the person who reads it: with the key of their app, and operators' routes for operators. */

import { focusable, mend, name, without } from "./accessible.js";

const root = document.getElementById("reference");
const status = document.getElementById("reference-key");
const { theme } = document.documentElement.dataset;
const { document: documentUrl, viewer: viewerUrl, console: consoleUrl } = root.dataset;
const texts = JSON.parse(root.dataset.texts);

// Three languages remain, beside our client's samples, which come with the document.
const HIDDEN = {
  c: true,
  clojure: true,
  csharp: true,
  dart: true,
  fsharp: true,
  go: true,
  http: true,
  java: true,
  js: ["axios", "jquery", "ofetch", "xhr"],
  kotlin: true,
  node: true,
  objc: true,
  ocaml: true,
  php: true,
  powershell: true,
  python: ["python3", "httpx_sync", "httpx_async"],
  r: true,
  ruby: true,
  rust: true,
  shell: ["httpie", "wget"],
  swift: true,
};

const json = async (url, options) => {
  const answer = await fetch(url, { headers: { accept: "application/json" }, ...options });
  return answer.ok ? answer.json() : undefined;
};

const isForOperators = (operation) => operation?.security?.some((scheme) => "OperatorToken" in scheme);

/** The document without what only the operator's token can call. */
function withoutOperatorRoutes(api) {
  const paths = Object.entries(api.paths).filter(([, item]) => !Object.values(item).some(isForOperators));
  const tags = api.tags.filter(({ name }) => name !== "operator");
  const { OperatorToken: _, ...securitySchemes } = api.components.securitySchemes;
  return {
    ...api,
    tags,
    paths: Object.fromEntries(paths),
    components: { ...api.components, securitySchemes },
  };
}

function say(text, link) {
  status.textContent = text;
  if (!link) return;
  const anchor = document.createElement("a");
  anchor.href = consoleUrl;
  anchor.textContent = link;
  status.append(" ", anchor);
}

// Without the console's answer the reference is that of a stranger.
const [api, viewer = { apps: [] }] = await Promise.all([
  json(documentUrl),
  json(viewerUrl).catch(() => undefined),
]);
const [app] = viewer.apps;
const revealed = app && (await json(app.reveal, { method: "POST" }).catch(() => undefined));
if (revealed) say(texts.keyOf.replace("{app}", () => app.name));
else say(texts.noKey, viewer.is_operator || app ? texts.openConsole : texts.getKey);

mend(root, [
  ["button[aria-selected]:not([role])", without("aria-selected")],
  ["button[role=search]", without("role")],
  [".sidebar-search, button:has(.sidebar-search-placeholder)", name(texts.search)],
  [".group\\/copy-button, .copy-button", name(texts.copy)],
  ["[contenteditable]", name(texts.body)],
  ["ul.endpoints", focusable],
  // A link inside of a button can't be reached.
  ["button a[href]", without("href")],
  // Nor can the choice of a response's content type, which stands inside of the button that opens the response.
  [".parameter-item-trigger button", (inner) => inner.closest(".parameter-item-trigger").after(inner)],
]);

window.Scalar.createApiReference(root, {
  content: viewer.is_operator ? api : withoutOperatorRoutes(api),
  authentication: {
    preferredSecurityScheme: "ApiKeyAuth",
    securitySchemes: { ApiKeyAuth: { value: revealed?.key ?? "" } },
  },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: HIDDEN,
  layout: "modern",
  // Nothing leaves this site.
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  withDefaultFonts: false,
  hideClientButton: true,
  hideDarkModeToggle: true,
  ...(theme && { forceDarkModeState: theme }),
  persistAuth: false,
  showDeveloperTools: "never",
  documentDownloadType: "json",
});
