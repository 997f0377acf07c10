/** The docs name files that exist, and use the words of the field. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildSchema, parse, validate } from "graphql";
import { expect, it } from "vitest";
import { createVitrine } from "../clients/typescript/src/index.ts";
import { findPrivateWords } from "./support/words/private-words.ts";

const ROOT = resolve(import.meta.dirname, "..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "clients/typescript/README.md",
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
  expect(findPrivateWords(read(page))).toEqual([]);
});

it("docs/api.md shows GraphQL that the schema accepts", () => {
  const schema = buildSchema(read("schema.graphql"));
  const examples = [...read("docs/api.md").matchAll(/^```graphql\n(.*?)^```/gms)].map(
    ([, text = ""]) => text,
  );

  expect(examples.length).toBeGreaterThan(2);
  for (const text of examples) expect(validate(schema, parse(text)), text).toEqual([]);
});

it("clients/typescript/README.md names every method of the client", () => {
  const text = read("clients/typescript/README.md");
  const { webhooks, ...client } = createVitrine({ baseUrl: "http://localhost:42069", apiKey: "" });
  const isNamed = (name: string): boolean => new RegExp(`(?:vitrine\\.|\`)${name}[(\`]`).test(text);

  expect(Object.keys(client).filter((name) => !isNamed(name))).toEqual([]);
  expect(Object.keys(webhooks).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
