import { describe, expect, it } from "vitest";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/app.ts";
import { createTestDatabase } from "../../support/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh.ts";

const api = createTestApp(await createTestDatabase());
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
      },
      { chain_id: FAR_CHAIN_ID, collection_address: FAR_COLLECTION, standard: null, name: null, slug: null },
      {
        chain_id: FAR_CHAIN_ID,
        collection_address: COLLECTION,
        standard: null,
        name: "Far heroes",
        slug: null,
      },
    ]);
  });

  it("are answered one by one, by address and chain", async () => {
    const { body } = await api.call(`/market/collections/${COLLECTION}?chain_id=${FAR_CHAIN_ID}`, { key });

    expect(body.name).toBe("Far heroes");
  });
});
