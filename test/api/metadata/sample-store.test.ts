/** Which tokens are sampled: spread over all ids, each in turn. */

import { beforeEach, describe, expect, it } from "vitest";
import {
  chooseSample,
  findServed,
  type SamplePosition,
} from "../../../src/api/metadata/records/sample-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";

const UINT256_MAX = (2n ** 256n - 1n).toString();
const { database } = await createTestDatabase();
const collection = { chainId: CHAIN_ID, collection: COLLECTION };

beforeEach(() => emptyTables(database));

/** Tokens with a served document. */
const serve = (tokenIds: readonly string[], address = COLLECTION) =>
  database.query(
    `insert into vitrine.token (chain_id, collection, token_id, served_version)
     select $1, $2, id, 1 from unnest($3::numeric[]) as id`,
    [CHAIN_ID, address, tokenIds],
  );
const range = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1));

/** The tokens that each of so many rounds chooses. */
async function choose(rounds: number, count: number, part: number): Promise<string[][]> {
  const chosen: string[][] = [];
  let position: SamplePosition = { cursor: null, laps: 0 };
  for (let round = 0; round < rounds; round++) {
    const { tokenIds, next } = await chooseSample(database, collection, position, count, part);
    chosen.push([...tokenIds]);
    position = next;
  }
  return chosen;
}

describe("of a collection", () => {
  it("with no more tokens than that, all are chosen in every round", async () => {
    await serve(["0", "7", UINT256_MAX]);

    expect(await choose(2, 5, 1_000)).toEqual([
      ["0", "7", UINT256_MAX],
      ["0", "7", UINT256_MAX],
    ]);
  });

  it("none is chosen without an indexed transfer: anybody may have had it read, and write what it answers", async () => {
    await serve(range(60));
    await database.query("update vitrine.token set unseen = true where token_id % 2 = 0");

    for (const part of [1_000, 20]) {
      const chosen = (await choose(6, 20, part)).flat();
      expect(chosen.length).toBeGreaterThan(20);
      expect(chosen.filter((id) => Number(id) % 2 === 0)).toEqual([]);
    }
  });

  it("with more, others are chosen in each round, evenly spread, until each one was", async () => {
    await serve(range(95));

    const rounds = await choose(10, 10, 1_000);

    for (const chosen of rounds) {
      expect(chosen.length).toBeLessThanOrEqual(10);
      const gaps = chosen.slice(1).map((id, index) => Number(id) - Number(chosen[index]));
      expect(new Set(gaps)).toEqual(new Set([10]));
    }
    expect(new Set(rounds.flat()).size).toBe(95);
  });

  it("too large for one lap, a part after the other is gone through, and some of all are chosen in each round", async () => {
    await serve(range(300));

    const rounds = await choose(4 * 10, 20, 100);

    for (const chosen of rounds) {
      expect(chosen.length).toBeLessThanOrEqual(20);
      // Ten equal ranges of all ids contain one each.
      expect(new Set(chosen.map((id) => Math.floor((Number(id) - 1) / 30))).size).toBeGreaterThanOrEqual(8);
    }
    expect(new Set(rounds.flat()).size).toBe(300);
  });

  it("whose ids lie far apart, no token is left out", async () => {
    await serve([...range(200), UINT256_MAX]);

    const rounds = await choose(3 * 10, 20, 100);

    expect(new Set(rounds.flat()).size).toBe(201);
  });

  it("tokens that were never read are not chosen", async () => {
    await serve(["1", "2"]);
    await database.query("update vitrine.token set served_version = null where token_id = 2");

    expect(await choose(1, 10, 1_000)).toEqual([["1"]]);
    expect(await choose(1, 2, 1)).toEqual([["1"]]);
  });

  it("of which nothing is known, nothing is chosen", async () => {
    await serve(["1"], "0xother");

    expect(await choose(2, 10, 1_000)).toEqual([[], []]);
    expect(await choose(2, 10, 0)).toEqual([[], []]);
    const others = [collection, { ...collection, collection: "0xother" }];
    expect(await findServed(database, others)).toEqual([others[1]]);
  });
});
