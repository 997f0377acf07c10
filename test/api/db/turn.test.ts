/** Of several transactions, one at a time has a turn. */

import { expect, it } from "vitest";
import { takeTurn } from "../../../src/api/db/turn.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { database } = await createTestDatabase();

it("has it until it ends, and no other turn is affected", async () => {
  await database.transaction(async (first) => {
    expect(await takeTurn(first, "a")).toBe(true);
    await database.transaction(async (second) => {
      expect([await takeTurn(second, "a"), await takeTurn(second, "b")]).toEqual([false, true]);
    });
  });

  expect(await database.transaction((next) => takeTurn(next, "a"))).toBe(true);
});
