/**
 * No regular expression takes time by the square of a text's length: strangers send text of any kind, and one that takes
 * a second of the event loop stops every other answer. By scslre, which also finds what a test of one text would miss.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { analyse } from "scslre";
import ts from "typescript";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

/** The regular expressions of a TypeScript file that are not linear. */
function slowIn(text: string, name: string): string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const slow: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const literal = { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      if (analyse(literal).reports.length > 0) slow.push(`${name}:${line + 1} ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return slow;
}

it.each([
  [String.raw`text.replace(/\/+$/, "")`],
  [String.raw`/^(\d+\.?\d*|\.\d+)$/.test(text)`],
  ["/^(a+)+$/.test(text)"],
])("%s would be found", (code) => {
  expect(slowIn(code, "a.ts")).toHaveLength(1);
});

it("all are linear", () => {
  const slow = ["src", "bin", "clients/typescript/src"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:tsx?|js)$/.test(name))
      .flatMap((name) => slowIn(readFileSync(join(ROOT, folder, name), "utf8"), `${folder}/${name}`)),
  );

  expect(slow).toEqual([]);
});
