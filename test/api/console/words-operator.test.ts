/** The console around its apps, the operator's pages, the reference and the explorer show one language: the visitor's. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textsOf } from "../../../src/api/console/script-texts.ts";
import { en } from "../../../src/api/ui/words/en.ts";
import { languages } from "../../../src/api/ui/words/languages.ts";
import { marked } from "../../support/words/marked-words.ts";
import { isLiteral, PROSE, partsOf } from "../../support/words/prose.ts";
import { seen } from "../pages/world.ts";
import { createOperatorWorld, type ShownPage } from "./operator-world.ts";

Object.assign(languages, { xx: marked });
afterAll(() => void Reflect.deleteProperty(languages, "xx"));

const ROOT = resolve(import.meta.dirname, "../../..");
const SHOWN_ATTRIBUTES =
  /\s(?:alt|title|placeholder|label|aria-label|data-label|data-texts|data-tabs)="([^"]*)"/g;
// Values, in any language: code, times, and what the API says of a mistake.
const VALUES = /<(code|pre|time)\b.*?<\/\1>|<p lang="en">.*?<\/p>/gs;
// The queries of the explorer, and the fields of their JSON.
const QUERIES = /\\n(?:query|mutation) .*?\\n\}\\n|\\"[\w-]+\\":|"(?:query|variables|headers)":/g;
// What the service's documents, apps, hosts and products are called, and the API's own names.
const NAMES =
  /^(?:Vitrine|openapi|json|GraphQL|Studio|Own|App|Heroes|Far|heroes|Power|Level|Wear|Hat|Village|Brave|erc721|basic|advanced|market|example|cdn|https|timeout|Ronin|Wallet|MetaMask|Rabby|UTC|\d.*)$/;
const NAMED_TEXT = /"(\w+)":"/g;

/** The words of a page, in its text and attributes, that no mark surrounds. */
function unmarked(html: string): string[] {
  const head = /<link\b.*?<\/head>/s;
  const page = html.slice(html.indexOf("<title")).replace(head, "").replace(VALUES, " ");
  const attributes = [...page.matchAll(SHOWN_ATTRIBUTES)].map(([, value]) => value).join(" ");
  let rest = seen(`${page} ${attributes}`)
    .replace(QUERIES, " ")
    .replace(NAMED_TEXT, " ")
    .replace(/\b(?:\d+:)?0x[0-9a-f…]+/g, " ")
    .replace(/\b[a-z_]+\.[a-z_]+\b/g, " ");
  // Marks may be nested: the innermost goes first.
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(/⟦[^⟦⟧]*⟧/g, " ");
  }
  return rest.match(/\p{L}[\p{L}\d]{2,}/gu)?.filter((word) => !NAMES.test(word)) ?? [];
}

describe("a page of the console in another language", () => {
  let pages: readonly ShownPage[];
  let messages: readonly ShownPage[];
  beforeAll(async () => {
    const world = await createOperatorWorld("xx");
    pages = [...(await world.ofStrangers()), ...(await world.ofOperators()), ...(await world.ofErrors())];
    messages = await world.afterForms(Object.keys(en.consoleFrame.done));
  });

  it("has none of the first language's texts", () => {
    expect(pages.length).toBeGreaterThan(35);
    for (const { name, text } of pages) {
      expect([name, text.includes('<html lang="xx"')]).toEqual([name, true]);
      expect([name, unmarked(text)]).toEqual([name, []]);
    }
  });

  it("says in it what an app asks for, a value with words in it", () => {
    const text = pages.find(({ name }) => name === "filled /console/operator")?.text ?? "";
    expect(text).toMatch(/<code>⟦cdn\.example [^⟧]+⟧<\/code>/);
    expect(text).toMatch(/<code>⟦Power Level [^⟧]+⟧<\/code>/);
  });

  it("says in it what went wrong, and marks the API's details as English", () => {
    const shown = (name: string): string => pages.find((each) => each.name === name)?.text ?? "";
    const { problems } = en.consoleFrame;
    for (const [name, status, { title, text }] of [
      ["no page", 404, problems[404]],
      ["not an operator", 404, problems[404]],
      ["no session", 401, problems[401]],
      ["no database", 503, problems[503]],
      ["a fault", 500, problems.unexpected],
    ] as const) {
      expect(pages.find((each) => each.name === name)?.status).toBe(status);
      expect(seen(shown(name))).toContain(`⟦${title}⟧ ⟦${text}⟧`);
    }
    expect(shown("wrong link")).toContain('<p lang="en">the link was used before');
    expect(shown("another site")).toContain('<p lang="en">origin must be');
  });

  it("says in it what a form did", () => {
    const known: Readonly<Record<string, string>> = en.consoleFrame.done;
    for (const { name, text } of messages) {
      const key = name.split("done=")[1] ?? "";
      const notice = /<div class="notice good" role="status">(.*?)<\/div>/.exec(text)?.[1] ?? "";
      expect(seen(notice)).toBe(`⟦${known[key]}⟧`);
    }
  });
});

const FOLDERS = ["src/api/console/client", "src/api/app/client", "src/api/pages/client", "src/api/ui/client"];
const scripts = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".js"))
    .map((name) => `${folder}/${name}`),
);
const sourceOf = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.Latest, true);

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

// Selectors, classes, media queries, names of keys and headers, and errors that no page shows.
const TECHNICAL = new RegExp(
  [
    "^[.#]|\\[|>|^\\(prefers-|^input, textarea",
    "^(?:button primary|notice bad|light dark|Enter|Escape|Accept)$",
    "^the service answered (?:without tokens)?$",
  ].join("|"),
);

/** Texts that stand in a script itself. */
const proseIn = (source: ts.SourceFile): string[] =>
  [...nodesOf(source)].flatMap((node) =>
    isLiteral(node) ? partsOf(node).filter((part) => PROSE.test(part) && !TECHNICAL.test(part)) : [],
  );

it("a style sheet shows no text", () => {
  const sheets = readdirSync(join(ROOT, "src/api"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".css"),
  );
  expect(sheets.length).toBeGreaterThan(3);
  for (const file of sheets) {
    const text = readFileSync(join(ROOT, "src/api", file), "utf8");
    expect([file, text.match(/content:\s*"[^"]*\p{L}[^"]*"/gu)]).toEqual([file, null]);
  }
});

describe("a script", () => {
  it.each(scripts)("shows no text of its own: %s", (file) => {
    expect(proseIn(sourceOf(file))).toEqual([]);
  });

  it.each([
    ['state.textContent = "Copied.";', "Copied."],
    ["say(`The service answered $" + "{status}.`);", "The service answered "],
    ['throw new Error("no wallet");', "no wallet"],
  ])("is found to show one: %s", (code, text) => {
    expect(proseIn(ts.createSourceFile("x.js", code, ts.ScriptTarget.Latest, true))).toEqual([text]);
  });

  const CONSOLE = "src/api/console/client";

  /** The texts that a script names, with those of the modules it loads. */
  function namedBy(name: string): string[] {
    const nodes = [...nodesOf(sourceOf(`${CONSOLE}/${name}`))];
    const loaded = nodes
      .filter(ts.isImportDeclaration)
      .map(({ moduleSpecifier }) => moduleSpecifier.getText());
    const own = nodes
      .filter(ts.isCallExpression)
      .filter(({ expression }) => expression.getText() === "say")
      .flatMap(({ arguments: [text] }) => (text ? [...nodesOf(text)].filter(ts.isStringLiteral) : []))
      .map(({ text }) => text);
    return [...own, ...loaded.flatMap((path) => namedBy(path.slice(3, -1)))];
  }

  it.each(readdirSync(join(ROOT, CONSOLE)).filter((name) => !["wallet.js", "texts.js"].includes(name)))(
    "finds all of its texts on its page: %s",
    (name) => {
      const texts = Object.keys(textsOf([name]));
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.toSorted()).toEqual([...new Set(namedBy(name))].toSorted());
    },
  );

  it.each([
    ["/reference", "src/api/app/client/reference.js"],
    ["/graphql", "src/api/app/client/graphiql.js"],
  ])("finds all of its texts at %s", async (path, file) => {
    const [page] = (await (await createOperatorWorld()).ofStrangers()).filter(({ name }) =>
      name.endsWith(path),
    );
    const texts = /data-texts="([^"]*)"/
      .exec(page?.text ?? "")?.[1]
      ?.replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'");
    const named = readFileSync(join(ROOT, file), "utf8").matchAll(/\btexts\.(\w+)/g);
    expect(Object.keys(JSON.parse(texts ?? "{}")).sort()).toEqual(
      [...new Set([...named].map(([, key]) => key))].sort(),
    );
  });
});
