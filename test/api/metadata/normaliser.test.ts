/**
 * The rules' version identifies their results: test/fixtures/normaliser.json has, for each version, the digest of its
 * results for all fixtures.
 */

import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { issueTable } from "../../../src/api/metadata/document/issues.ts";
import { NORMALISER } from "../../../src/api/metadata/document/normalise.ts";
import { readDocument } from "../../../src/api/metadata/uri/resolve.ts";
import { bodies, documents, entries, readFixture, readJson } from "./fixtures.ts";

/** Forms of numbers that no project's documents contain. */
const NUMBERS = [
  "0",
  "-0",
  "1.10",
  "1e3",
  "9007199254740993",
  "1000000000000000000",
  "12345678901234567890",
  "1e999",
  "0.1234567890123456789",
];

/** Cases without a fixture, so that the results include every issue. */
const FAULTS = [
  '{"name": 0, "image": "", "description": 7, "video": false, "animation_url": [], "external_url": {}}',
  '{"name": " ", "image": "javascript:alert(1)", "video": "ar://x", "description": "", "attributes": null, "properties": null}',
  '{"attributes": {}, "properties": []}',
  '{"properties": []}',
  '{"attributes": [0, [], {}, {"trait_type": " "}, {"trait_type": "T"}, {"trait_type": "T", "value": null}]}',
  '{"attributes": [{"trait_type": "T", "display_type": "number", "value": 2, "max_value": 1}]}',
  '{"attributes": [{"trait_type": "T", "display_type": "number", "value": 2, "max_value": "3", "other": 1}]}',
  '{"attributes": [{"trait_type": "T", "display_type": "date", "value": 1.5}, {"trait_type": "T", "display_type": "Date"}]}',
  '{"properties": {"": "v", "P": null, "Q": 1e999, "R": "{id}", "R": [], "__proto__": 0}}',
  `{"properties": {${Array.from({ length: 1_001 }, (_, index) => `"P${index}": "v"`)}}}`,
  `{"properties": {"P": 0.${"1".repeat(98)}, "Q": 0.${"1".repeat(99)}}}`,
  `{"attributes": [${Array.from({ length: 250 }, () => "0")}]}`,
  '{"properties": {"Type": "t", "Caf\\\\": "v"}}',
  '{"properties": {"Type": "t", "Caf\\u00e9": "v"}}',
  '{"properties": {"\\uE0000": 1, "a\\n": 2}}',
  '{"name": "a\\u0000b\\ud800", "image": "ipfs://ipfs/QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco/{id}"}',
  '{"name": "n", "image": "ipfs://ipfs://QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco", "video": "dweb:/ipfs/QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco/1"}',
  '{"name": "first", "name": "last", "image": "https://img.example/{id}.png"}',
];

const wrap = (fields: string): Buffer =>
  Buffer.from(`{"name": "n", "image": "https://img.example/1.png", ${fields}}`);
const entry = (fields: string): Buffer => wrap(`"attributes": [{"trait_type": "T", ${fields}}]`);

function* inputs(): Generator<Buffer> {
  for (const { file } of documents) yield readFixture(`documents/${file}`);
  for (const { file } of bodies) yield readFixture(`bodies/${file}`);
  for (const { display_type, value } of entries)
    yield entry(`"display_type": ${JSON.stringify(display_type)}, "value": ${JSON.stringify(value)}`);
  for (const json of NUMBERS) {
    yield wrap(`"properties": {"P": ${json}}`);
    for (const type of ["number", "date"]) yield entry(`"display_type": "${type}", "value": ${json}`);
    yield entry(`"display_type": "number", "value": 0, "max_value": ${json}`);
  }
  for (const json of FAULTS) yield Buffer.from(json);
  for (const file of ["forgotten-warriors.json", "forgotten-souls.json"]) {
    for (const traits of Object.values(readJson(`datasets/${file}`) as object))
      yield wrap(`"properties": ${JSON.stringify(traits)}`);
  }
}

function digest(): string {
  const hash = createHash("sha256");
  for (const body of inputs()) {
    for (const tokenId of ["", "314592"]) {
      const answer = readDocument(body, tokenId);
      // The engine words JSON errors.
      if (answer.kind === "failed") hash.update(answer.reason);
      else {
        const { metadata, issues, complete } = answer.document;
        hash.update(JSON.stringify([metadata, issues, complete]));
      }
    }
  }
  return hash.digest("hex");
}

it("the results hold every issue that a document can have", () => {
  const codes = [...inputs()].flatMap((body) => {
    const answer = readDocument(body, "");
    return answer.kind === "failed" ? [answer.reason] : answer.document.issues.map(({ code }) => code);
  });

  // It depends on the collection's known types, not on the document.
  const { display_type_conflict: _, ...others } = issueTable;
  expect(Object.keys(others).filter((code) => !(codes as string[]).includes(code))).toEqual([]);
});

const recorded = readJson("normaliser.json") as { readonly version: number; readonly digest: string }[];

it("the rules have the version whose results these are", () => {
  const made = digest();

  expect(
    recorded.at(-1),
    `What is made of the fixtures is ${made}. If the rules or the fixtures changed on purpose: where a rule changed, raise ` +
      "NORMALISER in src/api/metadata/document/normalise.ts, say there what is new, and add a row to test/fixtures/normaliser.json; " +
      "where only fixtures did, replace the digest of the last row.",
  ).toEqual({ version: NORMALISER, digest: made });
});

it("every version of the rules has its row, and no two have the same results", () => {
  expect(recorded.map(({ version }) => version)).toEqual(recorded.map((_row, index) => index + 1));
  expect(new Set(recorded.map((row) => row.digest)).size).toBe(recorded.length);
});
