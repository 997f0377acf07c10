import { expect, it } from "vitest";
import { createYield } from "../../../src/api/async/yield-to-event-loop.ts";
import { emptyBits, setBit } from "../../../src/api/search/columns/bits.ts";
import { countValues } from "../../../src/api/search/columns/value-counts.ts";
import {
  type CollectionIndex,
  createCollectionIndex,
} from "../../../src/api/search/index/collection-index.ts";
import { pageOf } from "../../../src/api/search/index/page.ts";
import { createRarityCache, RANKED_AT_ONCE_MAX } from "../../../src/api/search/rarity-cache.ts";
import { eventually } from "../../support/eventually.ts";

const [COMMON, RARE] = [10, 11];
const row = (id: number, value: number) => ({
  tokenId: String(id),
  name: null,
  description: null,
  servedAt: null,
  sinceBlock: null,
  document: null,
  traits: [value],
});

/** Token 0 is rare, all others are common. */
async function createLarge(): Promise<CollectionIndex> {
  const index = createCollectionIndex();
  index.table.addType({ id: 1, key: "=Class", name: "Class", displayType: "string", highest: null });
  for (const id of [COMMON, RARE]) {
    const text = String(id);
    index.table.addValue({ id, typeId: 1, displayType: "string", text, longKey: null, number: null });
  }
  for (let id = 0; id <= RANKED_AT_ONCE_MAX; id++) index.append(row(id, id === 0 ? RARE : COMMON));
  await index.finish(createYield());
  return index;
}

function listed(index: CollectionIndex) {
  const slots = emptyBits(index.ids.size);
  for (let slot = 0; slot < index.ids.size; slot++) setBit(slots, slot);
  return { slots, total: index.ids.size, counts: countValues(index, slots) };
}

it("ranks of a large collection are of one moment, and follow its changes without a search that waits", async () => {
  const index = await createLarge();
  const cache = createRarityCache();
  const rankOf = async (id: number) => (await cache.current(index, listed(index)))?.of(id)?.rank;
  const rarest = async (limit: number) => {
    const rarity = await cache.current(index, listed(index));
    const query = { filter: { criteria: [], ranges: [] }, sort: { by: "rarity" } as const, limit };
    return pageOf(index, query, listed(index).slots, rarity);
  };
  const last = RANKED_AT_ONCE_MAX + 1;
  expect([await rankOf(0), await rankOf(1)]).toEqual([1, 2]);

  index.change([row(0, COMMON), row(7, RARE), row(last, RARE)], []);

  expect([await rankOf(0), await rankOf(7), await rankOf(last)]).toEqual([1, 2, undefined]);
  expect((await rarest(2)).tokenIds).toEqual(["0", "1"]);
  // The newest token is on a page all the same: the last.
  const { total } = await rarest(1);
  const end = await rarest(total);
  expect([total, end.tokenIds.length, end.tokenIds.at(-1)]).toEqual([last + 1, last + 1, String(last)]);

  await eventually(
    () => rankOf(7),
    (rank) => rank === 1,
  );
  expect([await rankOf(0), await rankOf(last)]).toEqual([3, 1]);
  expect((await rarest(3)).tokenIds).toEqual(["7", String(last), "0"]);
});
