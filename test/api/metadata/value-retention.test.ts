import { beforeEach, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import type { Trait } from "../../../src/api/metadata/document/traits.ts";
import { textKey } from "../../../src/api/metadata/traits/text-key.ts";
import { readTraitTypes } from "../../../src/api/metadata/traits/trait-type-store.ts";
import { createRememberedValues, internValues } from "../../../src/api/metadata/traits/trait-value-store.ts";
import { forgetUnusedValues } from "../../../src/api/metadata/traits/value-retention.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { emptyTables } from "../../support/refresh/refresh.ts";
import { collectionRef, createTraitsHarness, number, text } from "./traits-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const { record, recordDuring, recordIn, count } = createTraitsHarness(test);

const values = async (): Promise<string[]> =>
  (
    await database.query<{ value: string }>(
      "select value_text as value from vitrine.trait_value order by value_text",
    )
  ).map(({ value }) => value);

const heldBy = (tokenId: string) =>
  database.query(
    `select v.value_text as value from vitrine.token t join vitrine.trait_value v on v.id = any(t.traits)
      where t.token_id = $1`,
    [tokenId],
  );

beforeEach(() => emptyTables(database));

describe("a trait value", () => {
  it("is forgotten once no token holds it, be it shown or hidden, and the highest stays", async () => {
    await record("1", [number("Level", 9), text("Class", "Mage")]);
    await record("2", [text("Level", "nine"), text("Class", "Mage")]);
    await record("1", [number("Level", 3), text("Class", "Knight")]);

    expect(await forgetUnusedValues.run(database)).toBe(1);

    expect(await values()).toEqual(["3", "Knight", "Mage", "nine"]);
    const { highest } = await count([{ trait_type: "Level", display_type: "number", value: 3 }]);
    expect(highest.get("Level")).toBe(9);
  });

  it("that was forgotten gets a new row when a token has it again, though its id was remembered", async () => {
    await record("1", [text("Class", "Mage")]);
    await record("2", [text("Class", "Mage")]);
    await record("1", [text("Class", "Knight")]);
    await record("2", [text("Class", "Knight")]);
    expect(await forgetUnusedValues.run(database)).toBe(1);

    await record("1", [text("Class", "Mage")]);

    expect(await heldBy("1")).toEqual([{ value: "Mage" }]);
  });

  it("is not remembered past a restore of its table, in which its id may be another value's", async () => {
    await record("1", [text("Class", "Mage")]);
    await record("2", [text("Class", "Mage")]);
    await database.query(`
      create table vitrine.restored as select * from vitrine.trait_value;
      truncate vitrine.trait_value;
      insert into vitrine.trait_value (id, trait_type_id, display_type, key, value_text, value_number) overriding system value
        select id, trait_type_id, display_type, '=Bard', 'Bard', value_number from vitrine.restored;
      drop table vitrine.restored`);

    await record("3", [text("Class", "Mage")]);

    expect(await heldBy("3")).toEqual([{ value: "Mage" }]);
  });

  it("is remembered while it is among the last used; any other is read again, with the same id", async () => {
    const names = Array.from({ length: 12 }, (_, nth) => `Class ${nth}`);
    await record(
      "1",
      names.map((name) => text("Class", name)),
    );
    const classes = names.map((value): Trait => ({ trait_type: "Class", display_type: "string", value }));
    const remembered = createRememberedValues(5);
    const looked: unknown[] = [];
    const idsOf = (traits: readonly Trait[]) =>
      database.transaction(async (tx) => {
        const types = await readTraitTypes(tx, collectionRef, ["Class"]);
        const noting: Queryable = {
          query(sql, parameters = [], name) {
            if (name === "find values") looked.push(parameters[2]);
            return tx.query(sql, parameters, name);
          },
        };
        return traits.map(await internValues(noting, types, traits, remembered));
      });

    const ids = await idsOf(classes);
    expect(new Set(ids).size).toBe(12);
    expect(ids).not.toContain(undefined);
    expect(remembered.size).toBe(5);
    expect(await idsOf(classes)).toEqual(ids);
    expect(remembered.size).toBe(5);
    const keys = names.map(textKey);
    expect(looked).toEqual([keys, keys.slice(0, 7)]);
  });

  it("is remembered among 100,000 at most", () => {
    const remembered = createRememberedValues();
    for (let id = 0; id <= 100_000; id++) remembered.set(`1:string:=${id}`, id);

    expect(remembered.size).toBe(100_000);
    expect(remembered.has("1:string:=0")).toBe(false);
    expect(remembered.get("1:string:=100000")).toBe(100_000);
  });

  it("whose transaction was rolled back is not remembered", async () => {
    await record("1", [text("Class", "Knight")]);
    const aborted = database.transaction(async (tx) => {
      await recordIn(tx, "1", [text("Class", "Mage")]);
      await recordIn(tx, "2", [text("Class", "Mage")]);
      throw new Error("aborted");
    });
    await expect(aborted).rejects.toThrow("aborted");

    await record("1", [text("Class", "Mage")]);

    expect(await values()).toEqual(["Knight", "Mage"]);
  });

  it("that a version found while it is being recorded is kept", async () => {
    await record("1", [text("Class", "Mage")]);
    await record("1", [text("Class", "Knight")]);

    await recordDuring("2", [text("Class", "Mage")], () => forgetUnusedValues.run(database));

    expect(await values()).toEqual(["Knight", "Mage"]);
  });
});

it("a collection whose values can't be read keeps no other from losing its unused ones", async () => {
  const other = "0x0000000000000000000000000000000000000001";
  const useOne = async () => {
    await record("1", [text("Class", "Mage")]);
    await record("1", [text("Class", "Knight")]);
  };
  await useOne();
  for (const table of ["token", "version", "trait_type"])
    await database.query(`update vitrine.${table} set collection = $1`, [other]);
  await useOne();
  const failing = {
    ...database,
    async query<Row>(sql: string, parameters: readonly unknown[] = [], name?: string): Promise<Row[]> {
      if (parameters.includes(other)) throw new Error("canceling statement due to statement timeout");
      return database.query<Row>(sql, parameters, name);
    },
  };

  await expect(forgetUnusedValues.run(failing)).rejects.toThrow(
    `1 collections failed; first, ${collectionRef.chainId}:${other}: canceling statement`,
  );
  expect(await values()).toEqual(["Knight", "Knight", "Mage"]);

  expect(await forgetUnusedValues.run(database)).toBe(1);
  expect(await values()).toEqual(["Knight", "Knight"]);
});
