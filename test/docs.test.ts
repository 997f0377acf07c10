/** The docs name files that exist, and use the words of the field. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

it.each(pages)("%s names only files and folders that exist", (page) => {
  const named = [...read(page).matchAll(/`((?:src|test|bin|bench|demo|abis|deploy)\/[\w./-]+)`/g)]
    .map(([, path]) => path ?? "")
    .filter((path) => !existsSync(join(ROOT, path)));
  expect(named).toEqual([]);
});

// What newcomers would not guess, and what it is called now.
const PRIVATE_WORDS: Readonly<Record<string, RegExp>> = {
  "module, route or schema": /\b(?:rooms?|doors?|house)\b/i,
  recheck: /\bsecond[ _]looks?\b/i,
  probe: /_looks?_/,
  "paused host": /\bleft alone\b/i,
  "brute-force guard": /\bguessing\b/i,
  encryption: /\b(?:re-?)?seal(?:s|ed|ing)?\b(?! with VITRINE_SECRET)/i,
  reverted: /\btaken[ -_]back\b/i,
  request: /\bwish(?:es)?\b/i,
};

const modules = readdirSync(join(ROOT, "src/api"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/api/${name}`);
const sourcesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );

it.each(modules.filter((folder) => sourcesOf(folder).length > 10))(
  "%s says what it promises, which tables it owns and where to start reading",
  (folder) => {
    const text = read(`${folder}/README.md`);
    const named = [...text.matchAll(/^\* `([^`]+)`/gm)].flatMap(([, paths = ""]) => paths.split(", "));
    expect(text).toMatch(/^\*\*Tables:\*\* /m);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((path) => !existsSync(join(ROOT, folder, path)))).toEqual([]);
  },
);

it.each(pages)("%s has none of the words that only we used", (page) => {
  const found = Object.entries(PRIVATE_WORDS).flatMap(([now, word]) => {
    const match = word.exec(read(page));
    return match ? [`"${match[0]}": ${now}`] : [];
  });
  expect(found).toEqual([]);
});
