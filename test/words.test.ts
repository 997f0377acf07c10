/** The code uses the field's own words: names of files, identifiers, strings and comments. */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { findPrivateWords, hasPrivateWord, privateWords, splitNames } from "./support/words/private-words.ts";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDERS = ["src", "bin", "demo", "bench", "test", "clients/typescript/src"];
// A shipped migration is never edited, and a recording is what was answered. Packages are others' code. The last two
// list the words themselves.
const EXEMPT =
  /\/migrations\/|\/node_modules\/|^test\/answers\/recorded\/|^test\/(?:words\.test|support\/words\/private-words)\.ts$/;

type Kind = "name" | "prose" | "sql";
interface Part {
  readonly kind: Kind;
  readonly text: string;
  readonly at: number;
}

const SQL =
  /\b(?:select|insert into|update vitrine|delete from|create (?:table|index)|truncate|vitrine\.\w|(?:\w\.)?wanted [<>=])/i;
const kindOf = (text: string): Kind => (SQL.test(text) ? "sql" : "prose");

/** The identifiers, strings and comments of a TypeScript file. */
function partsOf(text: string, isTsx: boolean): Part[] {
  const kind = isTsx ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true, kind);
  const parts: Part[] = [];
  let end = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.map(({ literal }) => literal.text);
      const whole = [node.head.text, ...spans].join(" … ");
      parts.push({ kind: kindOf(whole), text: whole, at: node.getStart(source) });
    }
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const start = node.getStart(source);
    const between = oneLine(text.slice(end, start));
    if (between.trim() !== "") parts.push({ kind: "prose", text: between, at: end });
    end = node.end;
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
      parts.push({ kind: "name", text: node.text, at: start });
    else if (ts.isStringLiteralLike(node) || ts.isJsxText(node))
      parts.push({ kind: kindOf(node.text), text: node.text, at: start });
    else if (node.kind === ts.SyntaxKind.RegularExpressionLiteral)
      parts.push({ kind: "prose", text: node.getText(source), at: start });
  };
  visit(source);
  return parts;
}

/** Without line breaks and the marks of comments at their starts. */
const oneLine = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/)?/g, " ");

const files = [
  "ponder.config.ts",
  "ponder.schema.ts",
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:tsx?|sql|js|css)$/.test(file))
      .map((file) => `${folder}/${file}`),
  ),
].filter((file) => !EXEMPT.test(file));

function wordsIn(file: string, text: string): string[] {
  if (!hasPrivateWord(file) && !hasPrivateWord(oneLine(text))) return [];
  const parts: readonly Part[] = /\.tsx?$/.test(file)
    ? partsOf(text, file.endsWith("x"))
    : text
        .split(/(?<=\n)/)
        .map((line) => ({ kind: file.endsWith(".sql") ? "sql" : "prose", text: line, at: 0 }));
  const lineOf = (at: number): number => text.slice(0, at).split("\n").length;
  const inText = parts.flatMap(({ kind, text: part, at }) =>
    findPrivateWords(part, kind).map((found) => `${file}:${lineOf(at)} ${found}`),
  );
  return [...findPrivateWords(file, "name").map((found) => `${file} ${found}`), ...inText];
}

it("the code has none of the words that only we used, but where their table allows it", () => {
  const found = files.flatMap((file) => wordsIn(file, readFileSync(join(ROOT, file), "utf8")));
  expect([...new Set(found)]).toEqual([]);
}, 60_000);

it("the table allows no use that neither the code nor the docs make", () => {
  const docs = [
    "README.md",
    "CONTRIBUTING.md",
    ...readdirSync(join(ROOT, "docs")).map((file) => `docs/${file}`),
  ];
  const all = [...files, ...docs.filter((file) => file.endsWith(".md"))]
    .map((file) => splitNames(oneLine(readFileSync(join(ROOT, file), "utf8"))))
    .join(" ");
  const idle = privateWords.flatMap(({ except = [] }) => except.filter(({ use }) => !use.test(all)));
  expect(idle).toEqual([]);
});

describe("the words of a file", () => {
  const found = (text: string): string[] => wordsIn("src/file.ts", text);

  it.each([
    ["a name, however it is written", "const takenBack = 1; f(taken_back); class TakenBack {}"],
    ["a string", 'log("a second look")'],
    ["a template", "log(`the $" + "{name} was left alone`)"],
    ["a comment of two lines", "// a token that no transfer has\n// told of\n"],
    ["a comment at the end of a line", "f(); // taken back"],
    ["documentation", "/**\n * What was taken\n * back.\n */\nf();"],
    ["a property", "const a = { untouched: 1 };"],
  ])("are found in %s", (_where, text) => {
    expect(found(text)).not.toEqual([]);
  });

  it.each([
    ["a column of a shipped migration in SQL", "query(`update vitrine.refresh set wanted = $" + "{next}`)"],
    ["the free space of a disk", "// there is no room for it"],
    ["words that only contain one", "const threshold = outdoors + greenhouse;"],
  ])("are not found in %s", (_where, text) => {
    expect(found(text)).toEqual([]);
  });

  it("are found in its own name", () => {
    expect(wordsIn("demo/metadata/quirks.ts", "")).toEqual(['demo/metadata/quirks.ts "quirks" (say fault)']);
  });
});
