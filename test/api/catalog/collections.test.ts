import { describe, expect, it } from "vitest";
import { createCollections } from "../../../src/api/catalog/collections.ts";
import type { ApiError } from "../../../src/api/http/errors.ts";

const HERE = "0x00000000000000000000000000000000000000a1";
const THERE = "0x00000000000000000000000000000000000000a2";
const BOTH = "0x00000000000000000000000000000000000000a3";

const collections = createCollections({
  chains: [1, 2, 3].map((id) => ({ id, rpcUrls: [] })),
  collections: [
    { chainId: 2, address: BOTH, startBlock: 0, name: "first" },
    { chainId: 1, address: HERE, startBlock: 0 },
    { chainId: 1, address: BOTH, startBlock: 0 },
    { chainId: 2, address: THERE, startBlock: 0 },
  ],
});
const codeOf = (find: () => unknown): string | undefined => {
  try {
    find();
  } catch (error) {
    return (error as ApiError).code;
  }
};

describe("a collection", () => {
  it("is the one on the chain that is named", () => {
    expect(collections.find(BOTH, 1)).toMatchObject({ chainId: 1 });
    expect(collections.find(BOTH, 2)).toMatchObject({ chainId: 2 });
  });

  it("without a chain is the one that has the address, the first in the operator's order among several", () => {
    expect(collections.find(THERE)).toMatchObject({ chainId: 2 });
    expect(collections.find(BOTH)).toMatchObject({ chainId: 2, name: "first" });
  });

  it("on a chain that is served but has no such address is not found", () => {
    expect(codeOf(() => collections.find(HERE, 2))).toBe("COLLECTION_NOT_FOUND");
    expect(codeOf(() => collections.find(HERE, 3))).toBe("COLLECTION_NOT_FOUND");
    expect(codeOf(() => collections.find("0x0"))).toBe("COLLECTION_NOT_FOUND");
  });

  it("on a chain that is not served is a mistake of the request; the error lists the chains that are", () => {
    expect(codeOf(() => collections.find(HERE, 4))).toBe("INVALID_REQUEST");
    try {
      collections.find(HERE, 4);
    } catch (error) {
      expect((error as ApiError).details).toEqual([
        { path: "chain_id", message: "chain 4 is not served here; known chains are 1, 2, 3" },
      ]);
    }
  });
});

describe("a collection by its slug", () => {
  const named = createCollections(
    {
      chains: [1, 2, 3].map((id) => ({ id, rpcUrls: [] })),
      collections: [
        { chainId: 1, address: HERE, startBlock: 0, slug: "here" },
        { chainId: 2, address: THERE, startBlock: 0, slug: "same" },
        { chainId: 1, address: BOTH, startBlock: 0 },
        { chainId: 2, address: BOTH, startBlock: 0 },
      ],
    },
    async (slugs) => {
      const ofMakers = [
        { chainId: 1, address: BOTH, slug: "same" },
        { chainId: 1, address: BOTH, slug: "here" },
        { chainId: 1, address: THERE, slug: "gone" },
      ];
      return ofMakers.filter(({ slug }) => slugs.includes(slug));
    },
  );

  it.each([
    ["here", undefined, HERE, 1],
    ["same", 1, BOTH, 1],
    ["same", 2, THERE, 2],
    [HERE, undefined, HERE, 1],
  ] as const)(
    "%s on chain %s is %s on %i: the configured slug comes before a maker's",
    async (name, on, address, chainId) => {
      expect(await named.findNamed(name, on)).toMatchObject({ address, chainId });
    },
  );

  it.each([
    ["same", undefined, "INVALID_REQUEST"],
    ["same", 3, "COLLECTION_NOT_FOUND"],
    ["same", 4, "INVALID_REQUEST"],
    ["gone", undefined, "COLLECTION_NOT_FOUND"],
    ["", undefined, "COLLECTION_NOT_FOUND"],
  ] as const)("%j on chain %s: %s", async (name, on, code) => {
    await expect(named.findNamed(name, on)).rejects.toMatchObject({ code });
    await expect(named.findAllNamed([HERE, name], on)).rejects.toThrow();
  });

  it.each([
    ["here", undefined, HERE, 1],
    ["same", 2, THERE, 2],
    [BOTH, 2, BOTH, 2],
  ] as const)("a text that names %s after chain %s is %s on %i", async (name, chainId, address, on) => {
    expect(await named.findRef({ name, chainId }, "collection")).toMatchObject({ address, chainId: on });
  });

  it.each([
    ["same", undefined, "INVALID_REQUEST", 'must name one of several chains with the slug "same": 2, 1'],
    ["same", 4, "INVALID_REQUEST", "chain 4 is not served here; known chains are 1, 2, 3"],
    ["gone", undefined, "COLLECTION_NOT_FOUND", "is not a collection served here"],
    [HERE, 2, "COLLECTION_NOT_FOUND", "is not a collection served here"],
  ] as const)(
    "a text that names %s after chain %s is refused at its place",
    async (name, chainId, code, message) => {
      await expect(named.findRef({ name, chainId }, "collection")).rejects.toMatchObject({
        code,
        details: [{ path: "collection", message }],
      });
      await expect(
        named.findRefs([
          { name: HERE, chainId: 1 },
          { name, chainId },
        ]),
      ).rejects.toMatchObject({
        code,
        details: [{ path: "collections[1]", message }],
      });
    },
  );

  it("several that a body names are found once each", async () => {
    const found = await named.findRefs([
      { name: "here", chainId: undefined },
      { name: THERE, chainId: undefined },
      { name: HERE, chainId: 1 },
    ]);

    expect(found.map(({ address }) => address)).toEqual([HERE, THERE]);
  });

  it("several are found in their order, each by its own name", async () => {
    const found = await named.findAllNamed(["same", HERE, "here", "same"], 1);

    expect(found.map(({ address }) => address)).toEqual([BOTH, HERE, HERE, BOTH]);
  });
});
