/** The best tokens of many collections, chosen without stopping the event loop. */
import { expect, it, onTestFinished, vi } from "vitest";
import { createAcross } from "../../../src/api/catalog/across/across.ts";
import { foundBy } from "../../../src/api/search/rules.ts";
import type { FoundTokens } from "../../../src/api/search/service.ts";

type Token = FoundTokens["found"][number];

const LIMIT = 20;
const WORDS = ["dragon", "Dragon", "ÉGG", "egg", "ß", "Ζ", "𐐀", ""];

/** As `findNamed` answers: the best `LIMIT` of each collection, in its order. */
function foundIn(collections: number): { readonly configs: Token["collection"][]; readonly found: Token[] } {
  const configs = Array.from({ length: collections }, (_, nth) => ({
    chainId: 1,
    address: `0x${nth.toString(16).padStart(40, "0")}`,
    startBlock: 0,
    name: `Collection ${nth}`,
  }));
  const found = configs.flatMap((collection, nth) =>
    Array.from({ length: (nth * 7) % (LIMIT + 1) }, (_, at): Token => {
      const word = WORDS[(nth * 5 + at * 3) % WORDS.length] as string;
      const match = foundBy[(nth + at) % foundBy.length] as Token["match"];
      return {
        tokenId: String(at),
        name: word === "" ? null : `${word} ${(at * 13) % 5}`,
        match,
        collection,
      };
    }).sort(order),
  );
  return { configs, found };
}

const keyOf = ({ name }: Token): Buffer => Buffer.from((name ?? "").normalize("NFC").toLowerCase());
const order = (a: Token, b: Token): number =>
  foundBy.indexOf(a.match) - foundBy.indexOf(b.match) || Buffer.compare(keyOf(a), keyOf(b));

/** The ids of the tokens that a search answers, each with its collection. */
async function search({ configs, found }: ReturnType<typeof foundIn>): Promise<string[]> {
  const across = createAcross({
    collections: { all: configs, chainIds: () => [1] },
    catalog: {
      countFitting: async (tokens: readonly unknown[]) => tokens.length,
      listTokens: async ({ address }: Token["collection"], ids: readonly string[]) =>
        ids.map((id) => ({ token_id: id, collection_address: address })),
    },
    search: { findNamed: async () => ({ found, unsearched: 0 }) },
    holdings: {
      figures: async (of: readonly unknown[]) => of.map(() => null),
      anomalies: async (of: readonly unknown[]) => of.map(() => []),
    },
    information: { readAll: async (of: readonly unknown[]) => of.map(() => null) },
    readContracts: async (of: readonly unknown[]) => of.map(() => undefined),
  } as never);
  const { tokens } = await across.find("dragon", { limit: LIMIT });
  return tokens.map(({ collection_address, token_id }) => `${collection_address} ${token_id}`);
}

it.each([0, 1, 2, 40])(
  "of %i collections are those of one sort of all, equal ones in their order",
  async (many) => {
    const answered = foundIn(many);
    const best = answered.found.toSorted(order).slice(0, LIMIT);
    expect(await search(answered)).toEqual(
      best.map(({ collection, tokenId }) => `${collection.address} ${tokenId}`),
    );
  },
);

it("fold each name at most once", async () => {
  const answered = foundIn(200);
  const folds = vi.spyOn(String.prototype, "normalize");
  onTestFinished(() => folds.mockRestore());
  await search(answered);
  expect(folds.mock.calls.length).toBeLessThanOrEqual(answered.found.length + 4 * answered.configs.length);
});
