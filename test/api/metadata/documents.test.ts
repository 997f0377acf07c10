/** Documents of public collections: what is stored of each, and which issues are reported. */

import { describe, expect, it } from "vitest";
import type { Metadata } from "../../../src/api/metadata/document/normalise.ts";
import type { Trait } from "../../../src/api/metadata/document/traits.ts";
import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";
import { documents, entries, filesOf, type Provenance, readFixture, readJson } from "./fixtures.ts";

const SHOWN_LENGTH = 60;
const brief = (text: string | null): string | null =>
  text !== null && text.length > 2 * SHOWN_LENGTH
    ? `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`
    : text;
const othersOf = (metadata: Metadata): string[] =>
  (["description", "video", "animation_url", "external_url"] as const).filter(
    (key) => metadata[key] !== null,
  );
const traitLine = ({ trait_type, display_type, value, max_value }: Trait): string => {
  const type = display_type === "string" ? "" : ` (${display_type})`;
  const ceiling = max_value === undefined ? "" : ` of ${max_value}`;
  return `${trait_type}${type}: ${JSON.stringify(value)}${ceiling}`;
};

function outcomeOf(body: Buffer): unknown {
  const answer = readDocument(body, "");
  if (answer.kind === "failed") return { failure: answer.reason };
  const { metadata, issues, complete } = answer.document;
  return {
    name: metadata.name,
    image: brief(metadata.image),
    others: othersOf(metadata),
    traits: metadata.traits.map(traitLine),
    issues: issues.map(({ code, path }) => `${code} at ${path}`),
    complete,
  };
}

it.each(documents)("$file is read as its index says", ({ file, expect: expected }) => {
  expect(outcomeOf(readFixture(`documents/${file}`))).toEqual(
    "failure" in expected ? { failure: expected.failure } : expected,
  );
});

it("fills in the id of an ERC-1155 token", () => {
  expect(readDocument(readFixture("documents/id-placeholder.json"), "777")).toMatchObject({
    document: { metadata: { name: `Łódź Tram ${"0".repeat(61)}309` } },
  });
});

it.each(entries)("display_type $display_type with $value is $expect", (entry) => {
  const { display_type, value } = entry;
  const body = Buffer.from(JSON.stringify({ attributes: [{ trait_type: "T", display_type, value }] }));
  const answer = readDocument(body, "");
  if (answer.kind === "failed") throw new Error(answer.message);

  const { metadata, issues } = answer.document;
  const codes = issues.map(({ code }) => code).filter((code) => !code.startsWith("missing_"));
  expect(metadata.traits).toHaveLength(entry.expect === "kept" ? 1 : 0);
  expect(codes).toEqual(entry.expect === "kept" ? [] : [entry.expect]);
});

describe("the traits of whole collections", () => {
  const sound = { name: "n", image: "https://img.example/1.png" };
  const collections = [
    { file: "forgotten-warriors.json", tokens: 500 },
    { file: "forgotten-souls.json", tokens: 641 },
  ];

  it.each(collections)("$file are kept as written, by either way to write them", ({ file, tokens }) => {
    const all = Object.values(readJson(`datasets/${file}`) as Record<string, Record<string, string>>);

    for (const traits of all) {
      const expected = Object.entries(traits).map(([trait_type, value]) => ({
        trait_type,
        display_type: "string",
        value,
      }));
      const attributes = Object.entries(traits).map(([trait_type, value]) => ({ trait_type, value }));
      for (const document of [
        { ...sound, properties: traits },
        { ...sound, attributes },
      ]) {
        expect(readDocument(Buffer.from(JSON.stringify(document)), "")).toMatchObject({
          document: { metadata: { traits: expected }, issues: [], complete: true },
        });
      }
    }
    expect(all).toHaveLength(tokens);
  });

  it("noun-parts.json are kept as written, numbers in words and odd signs included", () => {
    const values = (readJson("datasets/noun-parts.json") as string[][]).flat();
    const attributes = values.map((value) => ({ trait_type: "Part", value }));

    expect(readDocument(Buffer.from(JSON.stringify({ ...sound, attributes })), "")).toMatchObject({
      document: { metadata: { traits: values.map((value) => ({ value })) }, issues: [] },
    });
  });
});

describe("every fixture", () => {
  it.each(["documents", "uris", "bodies", "datasets"])("of %s is in its index, and none twice", (folder) => {
    const index = Object.values(readJson(`${folder}/index.json`) as Record<string, unknown>).find(
      Array.isArray,
    ) as Provenance[];
    const named = index.flatMap(({ file }) => (file === undefined ? [] : [file]));

    expect(named.sort()).toEqual(filesOf(folder));
  });

  it("says where it comes from, and nothing is copied from a project under the GPL", () => {
    const { licences, gpl } = readJson("sources.json") as { licences: Record<string, string>; gpl: string[] };
    const rows = ["documents", "uris", "bodies", "datasets"].flatMap((folder) =>
      Object.values(readJson(`${folder}/index.json`) as Record<string, Provenance[]>)
        .filter(Array.isArray)
        .flat(),
    );

    for (const row of rows) {
      const { repository, commit, path } = "like" in row ? row.like : row;
      expect([commit, path].every(Boolean), JSON.stringify(row)).toBe(true);
      expect("like" in row ? gpl : Object.keys(licences)).toContain(repository);
    }
  });

  it("stands for the cases that are like it and were not written anew", () => {
    const { covered } = readJson("documents/index.json") as { covered: { by: string }[] };

    for (const { by } of covered) expect(readFixture(by).length, by).toBeGreaterThan(0);
  });
});
