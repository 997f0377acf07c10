/** Pages show no text but that of a language's file, so that another language is another file. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { plainSorts } from "../../../src/api/catalog/rules.ts";
import { en } from "../../../src/api/ui/words/en.ts";
import { languages } from "../../../src/api/ui/words/languages.ts";
import { marked } from "../../support/words/marked-words.ts";
import { isLiteral, PROSE, partsOf } from "../../support/words/prose.ts";
import { createPagesWorld, HEROES, seen } from "./world.ts";

Object.assign(languages, { xx: marked });
afterAll(() => void Reflect.deleteProperty(languages, "xx"));

const ROOT = resolve(import.meta.dirname, "../../..");
const FOLDERS = ["src/api/pages", "src/api/ui", "src/api/console", "src/api/app"];
// Of the console, what is not a page has texts for people too.
const IS_PAGE = /\.tsx$|^src\/api\/console\/[\w-]+\.ts$/;
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
).filter((file) => IS_PAGE.test(file));

const LETTERS = /\p{L}/u;
const TEXT_ATTRIBUTES =
  /^(?:alt|title|placeholder|label|hint|caption|empty|what|text|aria-label|aria-description|content)$/;
// Names of products, and what programs and browsers read, are the same in every language; so are the API's own errors,
// and what a wallet signs.
const SAME = new RegExp(
  `^(?:${[
    "openapi\\.json|Vitrine|Ronin Wallet|Rabby|npx vitrine login-link|past fault|0x…|must be an address",
    "Cache-Control|Refresh|Retry-After|private, no-cache|Vary|Accept|Lax|light dark|<!doctype html>",
    "Let the app|write the information of the collection|-H 'Content-Type: application/json'",
    'attachment; filename="health-|nofollow noopener noreferrer|Sign in to the Vitrine console\\.',
  ].join("|")})$`,
);

function textsIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (isError(node, source)) return;
    if (ts.isJsxText(node) && LETTERS.test(node.text)) found.push(node.text.trim());
    if (ts.isVariableDeclaration(node) && /^message$/.test(node.name.getText(source))) return;
    if (ts.isJsxAttribute(node) && !TEXT_ATTRIBUTES.test(node.name.getText(source))) {
      // Classes, ids and paths, but for what a script shows.
      if (node.initializer && ts.isJsxExpression(node.initializer))
        node.initializer.forEachChild(inAttribute);
      return;
    }
    if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      if (LETTERS.test(node.initializer.text) && !isTechnical(node)) found.push(node.initializer.text);
      return;
    }
    if (isLiteral(node)) {
      for (const part of partsOf(node))
        if (PROSE.test(part) && !SAME.test(part.trim())) found.push(part.trim());
    }
    node.forEachChild(visit);
  };
  // Nested elements are searched; the attribute's own literals are not texts.
  const inAttribute = (node: ts.Node): void => {
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) visit(node);
    else node.forEachChild(inAttribute);
  };
  visit(source);
  return found.filter((each) => !SAME.test(each)).map((each) => `${file}: ${each}`);
}

/** An error of the API, also of `refused`, which makes one, or of a program: the same in every language. */
const isError = (node: ts.Node, source: ts.SourceFile): boolean =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  /^(?:\w*Error|refused)$/.test(node.expression.getText(source));

/** A `<meta>` that says how to read the page, not what it says. */
const isTechnical = (attribute: ts.JsxAttribute): boolean =>
  attribute.parent.parent.getText().startsWith("<meta");

it("no text stands in the code of a page", () => {
  expect(files.length).toBeGreaterThan(25);
  expect(files.flatMap((file) => textsIn(file, readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
});

it.each([
  ["between tags", "const A = () => <p>Hello</p>;", "Hello"],
  ["in an expression", 'const A = ({ n }) => <p>{n > 0 ? "No tokens" : null}</p>;', "No tokens"],
  ["in a template", "const A = ({ n }) => <p>{`$" + "{n} tokens are here`}</p>;", "tokens are here"],
  ["in an attribute", 'const A = () => <img alt="A picture" />;', "A picture"],
  ["in a table of texts", 'const names = { mint: "Minted" };', "Minted"],
  ["in an element of an attribute", "const A = () => <B end={<i>more</i>} />;", "more"],
])("finds a text %s", (_, code, text) => {
  expect(textsIn("x.tsx", code)).toEqual([`x.tsx: ${text}`]);
});

it.each([
  'const A = () => <p class="soft small" id="more">{words().text.more}</p>;',
  'const kind = status === "pending" ? "warn" : "bad";',
  'throw new ApiError("NOT_ALLOWED", [{ path: "", message: "the app lacks the API" }]);',
  "const A = () => <a href={`/collections/$" + "{id}`}>{`#$" + "{id}`}</a>;",
])("takes no text for one: %s", (code) => {
  expect(textsIn("x.tsx", code)).toEqual([]);
});

it("every sort has a text", () => {
  expect(Object.keys(en.sorts)).toEqual(expect.arrayContaining(Object.keys(plainSorts)));
});

describe("a page in another language", async () => {
  const world = await createPagesWorld();

  it.each([
    ["xx", "xx"],
    ["xx-YY;q=0.9, en;q=0.5", "xx"],
    ["en, xx;q=0.3", "en"],
    ["tlh, xx;q=0", "en"],
    ["", "en"],
  ])("is chosen by Accept-Language: %s", async (header, language) => {
    const { text } = await world.get("/", { headers: { "accept-language": header } });
    expect(text).toContain(`<html lang="${language}">`);
    expect(seen(text).includes(`⟦${en.home.title}⟧`)).toBe(language === "xx");
  });

  it("has none of the first language's texts", async () => {
    await world.mint("1", { lockCount: 1 });
    await world.describe("1", { name: "1", attributes: [{ trait_type: "2", value: "3" }] });
    // What the world's documents, configuration and chains are called, and the API's own categories.
    const allowed =
      /^(?:Vitrine|openapi\.json|ERC|UTC|openapi|json|zebra|Far|Heroes|heroes|Ronin|Anvil|Traits|Others|https|meta|example)$/;
    for (const path of [
      "/",
      "/collections",
      HEROES,
      `${HEROES}?q=zebra`,
      `${HEROES}/1`,
      `${HEROES}/activity`,
      `${HEROES}/owners`,
      "/search?q=zebra",
      "/wallets/0x00000000000000000000000000000000000000a1",
      "/nope",
    ]) {
      const { text } = await world.get(path, { headers: { "accept-language": "xx" } });
      // Marks may be nested: the innermost goes first.
      let rest = seen(text.slice(text.indexOf("<body"))).replace(/0x[0-9a-f…]+/g, " ");
      for (let before = ""; before !== rest; ) {
        before = rest;
        rest = rest.replace(/⟦[^⟦⟧]*⟧/g, " ");
      }
      const words = rest.match(/\p{L}{3,}/gu)?.filter((word) => !allowed.test(word)) ?? [];
      expect([path, words]).toEqual([path, []]);
    }
  });

  it("has the choices of a filter in it, and unticked, whoever came before", async () => {
    const ids = Array.from({ length: 12 }, (_, nth) => String(nth + 10));
    for (const id of ids) {
      await world.mint(id);
      await world.describe(id, { name: id, attributes: [{ trait_type: "Part", value: `P${id}` }] });
    }
    const choices = async (language: string, query = "") => {
      const { text } = await world.get(`${HEROES}${query}`, { headers: { "accept-language": language } });
      return { more: seen(text).match(/⟦?4 more⟧?/)?.[0], ticked: text.includes('value="P10" checked') };
    };
    const english = { more: "4 more", ticked: false };

    expect(await choices("en")).toEqual(english);
    expect(await choices("xx")).toEqual({ more: "⟦4 more⟧", ticked: false });
    expect(await choices("en")).toEqual(english);
    expect(await choices("en", "?is:Part=P10")).toEqual({ more: "4 more", ticked: true });
    expect(await choices("en")).toEqual(english);
  });
});
