import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import { explorerTabs } from "../../../src/api/app/explorer-tabs.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string): Buffer => readFileSync(new URL(path, root));

it("draws the reference with the published file, unchanged", () => {
  expect(createHash("sha256").update(read("vendor/scalar/standalone.js")).digest("hex")).toBe(
    "81b8d2bdab4a42ab81465386441b9a0f928b68631364360f00e8cce620cc1efb",
  );
});

it("hides languages and clients by names that the reference knows", () => {
  const script = read("src/api/app/client/reference.js").toString();
  const hidden = script.split("const HIDDEN = {")[1]?.split("\n};")[0] ?? "";
  const names = [...hidden.matchAll(/^ {2}(\w+):|"(\w+)"/gm)].map(([, a, b]) => a ?? b ?? "");
  const scalar = read("vendor/scalar/standalone.js").toString();
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !scalar.includes(`"${name}"`))).toEqual([]);
});

describe("the explorer's tabs", () => {
  const schema = buildSchema(read("schema.graphql").toString());
  const address = "0x32950db2a7164ae833121501c797d79e7b79d74c";

  it("are valid queries, with variables of a served collection", () => {
    const tabs = explorerTabs([{ chainId: 2020, address }]);
    expect(tabs.flatMap(({ query }) => validate(schema, parse(query)))).toEqual([]);
    expect(tabs.slice(1).map(({ variables }) => JSON.parse(variables))).toEqual([
      { tokenAddress: address, chainId: 2020 },
      { tokenAddress: address, chainId: 2020, tokenIds: ["1"] },
    ]);
  });
});
