import { type Hex, zeroHash } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { delegation } from "../../ponder.schema.ts";
import { type DelegationType, delegationHash } from "../../src/domain/delegation-hash.ts";
import { createEventSource, createFakeChainStore } from "../support/chain/fake-chain-store.ts";
import "../../src/indexing/delegations.ts";

const FROM: Hex = `0x${"11".repeat(20)}`;
const TO: Hex = `0x${"22".repeat(20)}`;
const CONTRACT: Hex = `0x${"33".repeat(20)}`;

describe("the hash", () => {
  // Computed with the registry's own library (RegistryHashes.sol).
  it.each<[DelegationType, bigint | undefined, string]>([
    ["ALL", undefined, "0x56514577b6ef75d2bf838df5172161f41521dccefc58e797b3f2eef5c085ac01"],
    ["CONTRACT", undefined, "0x0270d0b24f129c0143478a4542efd93b3c53910c99d57301d2867d972adc7802"],
    ["ERC721", 0n, "0x03357f25868dc6f245f2e99621b33984c36d94e28e7a432877c7a192957fbc03"],
    ["ERC721", 7n, "0x65d6d04cba6292e58feff9af006285e6e2bdbb9aa74bf9bd6c8c9de1133ac403"],
    ["ERC20", undefined, "0x0270d0b24f129c0143478a4542efd93b3c53910c99d57301d2867d972adc7804"],
    ["ERC1155", 7n, "0x65d6d04cba6292e58feff9af006285e6e2bdbb9aa74bf9bd6c8c9de1133ac405"],
  ])("of %s (token %s) is the registry's", (type, tokenId, hash) => {
    const contract = type === "ALL" ? {} : { contract: CONTRACT };
    const token = tokenId === undefined ? {} : { tokenId };

    expect(delegationHash({ type, rights: zeroHash, from: FROM, to: TO, ...contract, ...token })).toBe(hash);
  });
});

describe("the projection", () => {
  let store: ReturnType<typeof createFakeChainStore>;
  let chain: ReturnType<typeof createEventSource>;
  beforeEach(() => {
    store = createFakeChainStore();
    chain = createEventSource(store);
  });
  const emit = (name: string, args: object) =>
    chain.emit(`DelegateRegistry:${name}`, {
      from: FROM,
      to: TO,
      rights: zeroHash,
      contract_: CONTRACT,
      ...args,
    });
  const rows = () => store.rows(delegation);

  it("is the last event per hash", async () => {
    await emit("DelegateAll", { enable: true });
    await emit("DelegateAll", { enable: false });
    await emit("DelegateAll", { enable: true });

    expect(rows()).toMatchObject([
      { type: "ALL", enabled: true, contract: null, tokenId: null, amount: null, blockNumber: 3n },
    ]);
  });

  it("keeps a disabling of what never was as a disabled row", async () => {
    await emit("DelegateContract", { enable: false });

    expect(rows()).toMatchObject([{ type: "CONTRACT", contract: CONTRACT, enabled: false }]);
  });

  it("takes an amount of zero for a revocation, and a new amount for a replacement", async () => {
    await emit("DelegateERC20", { amount: 5n });
    await emit("DelegateERC20", { amount: 9n });
    await emit("DelegateERC1155", { tokenId: 2n, amount: 5n });
    await emit("DelegateERC1155", { tokenId: 2n, amount: 0n });

    expect(rows()).toMatchObject([
      { type: "ERC20", amount: 9n, enabled: true, tokenId: null },
      { type: "ERC1155", amount: 0n, enabled: false, tokenId: 2n },
    ]);
  });

  it("distinguishes rights, tokens and contracts, token 0 included", async () => {
    await emit("DelegateERC721", { tokenId: 0n, enable: true });
    await emit("DelegateERC721", { tokenId: 2n ** 255n, enable: true });
    await emit("DelegateERC721", { tokenId: 0n, enable: true, rights: `0x${"ab".repeat(32)}` });

    expect(rows().map(({ tokenId }) => tokenId)).toEqual([0n, 2n ** 255n, 0n]);
  });
});
