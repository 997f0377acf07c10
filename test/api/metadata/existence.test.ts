import { describe, expect, it } from "vitest";
import { createExistence, type IndexedContract } from "../../../src/api/metadata/uri/existence.ts";
import type { UriRead } from "../../../src/api/metadata/uri/read-uri.ts";
import { type AskedFunction, createFakeCalls, type FakeAnswer } from "../../support/chain/fake-contract.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const HEAD = 500;
/** Has an owner in the chain index. */
const OWNED = "1";
/** Just minted. */
const NEW = "7";
/** Never minted. */
const PHANTOM = "900";

type Functions = Partial<Record<AskedFunction, (tokenId: string) => FakeAnswer>>;
const exists = (tokenId: string): boolean => tokenId === OWNED || tokenId === NEW;
const uriOfAny = (): boolean => true;

interface Setting {
  readonly standard?: "erc721" | "erc1155" | null;
  readonly owned?: readonly string[];
  readonly hasUri?: (tokenId: string) => boolean;
  readonly configured?: "erc721" | "erc1155";
}

function serve(
  functions: Functions,
  { standard = "erc1155", owned = [OWNED], hasUri = uriOfAny, configured }: Setting = {},
) {
  const { calls, asked } = createFakeCalls(
    CHAIN_ID,
    (name, tokenId) => functions[name]?.(tokenId) ?? "reverts",
  );
  const contract: IndexedContract = { standard, owned };
  const ask = createExistence({
    calls,
    readUri: async ({ tokenId }, as = "erc721"): Promise<UriRead> =>
      hasUri(tokenId)
        ? { kind: "read", uri: `https://meta.example/${tokenId}`, standard: as }
        : { kind: "reverted", message: "reverted" },
    latestBlock: async () => HEAD,
    readContract: async () => contract,
  });
  const collection = {
    chainId: CHAIN_ID,
    address: COLLECTION,
    startBlock: 0,
    ...(configured && { standard: configured }),
  };
  return {
    asked,
    kindOf: async (tokenId: string) => (await ask(collection, [tokenId])).get(tokenId)?.kind,
    ask: (...tokenIds: readonly string[]) => ask(collection, tokenIds),
  };
}

const word = (value: boolean | number | bigint): bigint => BigInt(value);
const offersExists: Functions = { exists: (id) => word(exists(id)) };
const offersSupply: Functions = { totalSupply: (id) => (exists(id) ? 5n : 0n) };
const answersAnything: Functions = Object.fromEntries(
  (["ownerOf", "exists", "totalSupply", "nobody"] as const).map((name) => [name, () => 1n]),
);

describe("a token without an indexed transfer", () => {
  it.each<[string, Functions, Setting, new_: string, phantom: string]>([
    ["ERC-1155 with a URI for any id", {}, {}, "unproven", "unproven"],
    ["ERC-1155 with exists", offersExists, {}, "exists", "absent"],
    ["ERC-1155 with totalSupply", offersSupply, {}, "exists", "absent"],
    [
      "ERC-1155 with both, which exists decides",
      { ...offersSupply, exists: (id) => word(id === OWNED) },
      {},
      "absent",
      "absent",
    ],
    [
      "ERC-1155 whose exists reverts for what is not there",
      { exists: (id) => (exists(id) ? 1n : "reverts") },
      {},
      "exists",
      "absent",
    ],
    [
      "ERC-1155 whose exists knows nothing of a token with a holder",
      { exists: () => 0n, ...offersSupply },
      {},
      "exists",
      "absent",
    ],
    ["ERC-1155 whose exists answers no boolean", { exists: () => 77n }, {}, "unproven", "unproven"],
    [
      "ERC-1155 whose totalSupply answers two words",
      { totalSupply: () => `0x${"01".repeat(64)}` },
      {},
      "unproven",
      "unproven",
    ],
    ["ERC-1155 with a fallback function that answers anything", answersAnything, {}, "unproven", "unproven"],
    [
      "ERC-1155 with a fallback function that answers nothing",
      { ...offersExists, nobody: () => "0x" },
      {},
      "exists",
      "absent",
    ],
    [
      "ERC-1155 with exists, of which no token has a holder yet",
      offersExists,
      { owned: [] },
      "exists",
      "absent",
    ],
    ["ERC-1155 without a URI for what is not there", {}, { hasUri: exists }, "unproven", "absent"],
    [
      "ERC-721",
      { ownerOf: (id) => (exists(id) ? 0xa1n : "reverts") },
      { standard: "erc721", hasUri: exists },
      "exists",
      "absent",
    ],
    [
      "ERC-721 that names the owner of nothing as zero",
      { ownerOf: (id) => (exists(id) ? 0xa1n : 0n) },
      { standard: "erc721" },
      "exists",
      "absent",
    ],
    [
      "ERC721Wrapper, with a URI of tokens that were never wrapped",
      { ownerOf: (id) => (exists(id) ? 0xa1n : "reverts") },
      { standard: "erc721" },
      "exists",
      "absent",
    ],
    [
      "ERC-721 whose owners are no addresses",
      { ownerOf: () => 2n ** 160n },
      { standard: "erc721" },
      "absent",
      "absent",
    ],
    [
      "ERC-721 with an owner and no URI",
      { ownerOf: () => 0xa1n },
      { standard: "erc721", hasUri: () => false },
      "absent",
      "absent",
    ],
    [
      "a contract before its first transfer that is an ERC-721",
      { ownerOf: (id) => (exists(id) ? 0xa1n : "reverts") },
      { standard: null, owned: [], hasUri: exists },
      "exists",
      "absent",
    ],
    [
      "a contract before its first transfer that is an ERC-1155 with exists",
      offersExists,
      { standard: null, owned: [] },
      "exists",
      "absent",
    ],
    [
      "a contract before its first transfer that has a URI for any id",
      {},
      { standard: null, owned: [] },
      "unproven",
      "unproven",
    ],
    [
      "a contract that the configuration calls ERC-721",
      {},
      { standard: null, owned: [], configured: "erc721" },
      "absent",
      "absent",
    ],
  ])("of %s", async (_what, functions, setting, ofNew, ofPhantom) => {
    const { kindOf } = serve(functions, setting);

    expect([await kindOf(NEW), await kindOf(PHANTOM)]).toEqual([ofNew, ofPhantom]);
  });

  it("is asked of at the node's head", async () => {
    const answers = await serve(offersExists).ask(NEW);

    expect(answers.get(NEW)).toEqual({ kind: "exists", block: HEAD });
  });

  it.each<[string, Functions, Setting]>([
    ["ownerOf", { ownerOf: () => "unavailable" }, { standard: "erc721" }],
    ["exists", { exists: (id) => (id === OWNED ? 1n : "unavailable") }, {}],
    ["what is offered", { ...offersExists, nobody: () => "unavailable" }, {}],
  ])("is left open while the node does not answer %s", async (_what, functions, setting) => {
    expect(await serve(functions, setting).kindOf(NEW)).toBe("unavailable");
  });

  it("is asked of again at the same block once the node answers", async () => {
    let isAway = true;
    const { kindOf } = serve({ ...offersExists, nobody: () => (isAway ? "unavailable" : "reverts") });
    expect(await kindOf(NEW)).toBe("unavailable");
    isAway = false;

    expect(await kindOf(NEW)).toBe("exists");
  });

  it("costs one question about what the contract offers, however many ask at one block", async () => {
    const { ask, asked } = serve(offersExists);

    await Promise.all(Array.from({ length: 50 }, (_, index) => ask(String(1_000 + index))));

    expect(asked.filter((call) => call.startsWith("nobody"))).toHaveLength(1);
    expect(asked.filter((call) => call.startsWith("totalSupply"))).toHaveLength(1);
  });
});
