/** Real documents from other projects' tests: how many traits are kept of each, and what is said of the rest. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { normalise } from "../../../src/api/metadata/normalise.ts";

const folder = new URL("../../fixtures/documents/", import.meta.url);
const readJson = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), "utf8"));

const incomplete = ["missing_name", "missing_image"];
const outcomes: { file: string; traits: number; codes: string[] }[] = [
  { file: "axie", traits: 23, codes: [] },
  { file: "bored-ape-attributes-only", traits: 6, codes: incomplete },
  { file: "crash-punk", traits: 6, codes: ["invalid_property", "invalid_property", "invalid_property"] },
  { file: "cryptovoxels-parcel", traits: 0, codes: ["attributes_not_array"] },
  { file: "duskbreaker", traits: 10, codes: [] },
  { file: "ens-name", traits: 4, codes: ["invalid_date", "unknown_display_type", "invalid_date"] },
  { file: "id-placeholder", traits: 0, codes: ["missing_image"] },
  { file: "lazy-lion", traits: 8, codes: [] },
  {
    file: "mutant-monkey",
    traits: 1,
    codes: ["attributes_and_properties", "unknown_display_type", "value_mismatch"],
  },
  { file: "quoted-numbers", traits: 2, codes: ["value_mismatch", "value_mismatch"] },
  {
    file: "schema-as-document",
    traits: 0,
    codes: [...incomplete, "invalid_property", "invalid_property", "invalid_property"],
  },
  { file: "yat-emoji", traits: 4, codes: [] },
];

it.each(outcomes)("keeps $traits traits of $file", ({ file, traits, codes }) => {
  const normalised = normalise(readJson(`${file}.json`));

  expect(normalised?.metadata.traits).toHaveLength(traits);
  expect(normalised?.issues.map(({ code }) => code)).toEqual(codes);
});

it("refuses the one that is an array", () => {
  expect(normalise(readJson("array-root.json"))).toBeUndefined();
});

it("knows where every document comes from, and tests each", () => {
  const { documents } = readJson("index.json") as { documents: { file: string; repository: string }[] };
  const files = readdirSync(folder).filter((file) => file !== "index.json");

  expect(documents.map(({ file }) => file).sort()).toEqual(files.sort());
  expect([...outcomes.map(({ file }) => `${file}.json`), "array-root.json"].sort()).toEqual(files);
});
