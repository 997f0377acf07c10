import { describe, expect, it } from "vitest";
import { createCollections } from "../../../src/api/catalog/collections.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();

describe("collections", () => {
  it("are listed in the operator's order", async () => {
    const { body } = await api.call("/market/collections", { key });

    expect(body.items).toEqual([
      {
        chain_id: CHAIN_ID,
        collection_address: COLLECTION,
        standard: "erc721",
        name: "Heroes",
        slug: "heroes",
        items: null,
        owners: null,
        information: null,
        information_source: expect.objectContaining({ name: "configuration", description: null }),
        royalty: null,
        anomalies: [],
      },
      expect.objectContaining({ chain_id: FAR_CHAIN_ID, collection_address: FAR_COLLECTION, name: null }),
      expect.objectContaining({ chain_id: FAR_CHAIN_ID, collection_address: COLLECTION, name: "Far heroes" }),
    ]);
  });

  it.each(["chain_id", "chainId"])("are listed of one chain by %s", async (name) => {
    const namesOf = async (chain: number) => {
      const { status, body } = await api.call(`/market/collections?${name}=${chain}`, { key });
      expect(status).toBe(200);
      return body.items.map((each: { name: string | null }) => each.name);
    };

    expect(await namesOf(CHAIN_ID)).toEqual(["Heroes"]);
    expect(await namesOf(FAR_CHAIN_ID)).toEqual([null, "Far heroes"]);
    const { status, body } = await api.call(`/market/collections?${name}=9`, { key });
    expect([status, body.code, body.details]).toEqual([
      400,
      "INVALID_REQUEST",
      [{ path: "chain_id", message: expect.stringContaining("chain 9 is not served here") }],
    ]);
  });

  it("are answered one by one, by address and chain", async () => {
    const { body } = await api.call(`/market/collections/${COLLECTION}?chain_id=${FAR_CHAIN_ID}`, { key });

    expect(body.name).toBe("Far heroes");
  });

  it("say how many tokens and holders there are, and of which standard, once the index has seen a transfer", async () => {
    const figures = { chainId: FAR_CHAIN_ID, standard: "erc1155", items: 7, owners: 3 };
    await test.insert("collectionState", { ...figures, collectionAddress: FAR_COLLECTION });

    const { body } = await api.call(`/market/collections/${FAR_COLLECTION}`, { key });

    expect(body).toMatchObject({ standard: "erc1155", items: 7, owners: 3 });
  });

  it("that are configured no more are found nowhere, and keep what is known of them", async () => {
    const without = createTestApp(test, {
      collections: createCollections({
        chains: [{ id: CHAIN_ID, rpcUrls: [] }],
        collections: [{ chainId: CHAIN_ID, address: FAR_COLLECTION, startBlock: 0 }],
      }),
    });
    const information = `/market-partner/collections/${COLLECTION}/information`;
    expect((await api.call(information, { method: "PUT", key, body: { name: "Kept" } })).status).toBe(200);

    for (const path of ["", "/tokens", "/tokens/1", "/traits"]) {
      const { status, body } = await without.call(`/market/collections/${COLLECTION}${path}`, { key });
      expect([path, status, body.code]).toEqual([path, 404, "COLLECTION_NOT_FOUND"]);
    }
    expect((await without.call(information, { key })).status).toBe(404);
    expect((await without.call("/market/collections", { key })).body.items).toHaveLength(1);
    expect((await api.call(information, { key })).body.information.name).toBe("Kept");
  });
});
