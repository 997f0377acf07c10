import { expect, it } from "vitest";
import { differences } from "../../../bin/index/differences.ts";
import type { IndexInputs } from "../../../src/api/chain/index/index-inputs.ts";

const inputs = (changes: Partial<IndexInputs> = {}): IndexInputs => ({
  files: { "abis/a.ts": "1", "ponder.config.ts": "1", "ponder.schema.ts": "1", "src/domain/a.ts": "1" },
  chains: { "1": { collections: ["0xaa"], startBlock: 0, registry: "off" } },
  ...changes,
});

it("names files that came, went or changed, and separates texts that count from texts that may", () => {
  const after = {
    "abis/a.ts": "2",
    "ponder.config.ts": "1",
    "ponder.schema.ts": "2",
    "src/domain/b.ts": "1",
  };

  expect(differences(inputs(), inputs({ files: after }))).toEqual([
    "abis/a.ts has changed, which counts where it changes events or blocks of a contract",
    "ponder.schema.ts has changed",
    "src/domain/a.ts is gone",
    "src/domain/b.ts is new",
  ]);
});

it("names a start block that is or was 0", () => {
  const later = inputs({ chains: { "1": { collections: ["0xaa"], startBlock: 5, registry: "off" } } });

  expect(differences(inputs(), later)).toEqual(["the lowest start block of chain 1 is 5 and was 0"]);
  expect(differences(later, inputs())).toEqual(["the lowest start block of chain 1 is 0 and was 5"]);
});

it("names the collections of a chain that came or went", () => {
  const chain = { collections: ["0xbb"], startBlock: 0, registry: "off" };

  expect(differences(inputs(), inputs({ chains: { ...inputs().chains, "2": chain } }))).toEqual([
    "collection 0xbb on chain 2 is new",
  ]);
  expect(differences(inputs(), inputs({ chains: {} }))).toEqual(["collection 0xaa on chain 1 is gone"]);
});

it("finds nothing where nothing differs", () => {
  expect(differences(inputs(), inputs())).toEqual([]);
});
