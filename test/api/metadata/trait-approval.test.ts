import { beforeEach, describe, expect, it } from "vitest";
import { createTraitApproval } from "../../../src/api/metadata/traits/trait-approval.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countWaiting } from "../../support/database/keep-locked.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import { emptyTables } from "../../support/refresh/refresh.ts";
import { collectionRef, createTraitsHarness, number, OPERATOR_CONTACT, text } from "./traits-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const { record, recordIn, forget, approve, pending, served, count, highest } = createTraitsHarness(test);

const shown = async (tokenId: string) =>
  (await served(tokenId))?.metadata?.traits.map(({ trait_type, value }) => [trait_type, value]);
const issueCodes = async (tokenId: string) => (await served(tokenId))?.issues.map(({ code }) => code);

beforeEach(() => emptyTables(database));

describe("an approval", () => {
  it("shows the entries of its type and hides those of the type before, in their documents' order", async () => {
    await record("1", [text("A", "first"), text("Level", "five"), text("Z", "last")]);
    await record("2", [text("A", "first"), number("Level", 5), number("Level", 6), text("Z", "last")]);
    expect(await shown("2")).toEqual([
      ["A", "first"],
      ["Z", "last"],
    ]);

    expect(await approve("Level", "number")).toEqual({ kind: "approved", was: "string" });

    expect(await shown("2")).toEqual([
      ["A", "first"],
      ["Level", 5],
      ["Level", 6],
      ["Z", "last"],
    ]);
    expect(await issueCodes("2")).toEqual([]);
    expect(await shown("1")).toEqual([
      ["A", "first"],
      ["Z", "last"],
    ]);
    expect((await served("1"))?.issues).toMatchObject([
      { code: "display_type_conflict", message: expect.stringContaining("is known as number") },
    ]);
  });

  it("can be undone by the opposite one, which leaves everything as it was", async () => {
    await record("1", [text("Level", "five"), number("Level", 5)]);
    await record("2", [number("Level", 7), text("Class", "Mage"), text("Level", "seven")]);
    const before = [await served("1"), await served("2"), await pending()];

    await approve("Level", "number");
    expect(await shown("2")).toEqual([
      ["Level", 7],
      ["Class", "Mage"],
    ]);
    await approve("Level", "string");

    expect([await served("1"), await served("2"), await pending()]).toEqual(before);
  });

  it("fetches nothing and makes no version: numbers and hashes stay", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 5)]);
    const versions = () => database.query("select * from vitrine.version order by id");
    const before = await versions();

    await approve("Level", "number");

    expect(await versions()).toEqual(before);
    expect(await database.query("select from vitrine.refresh")).toEqual([]);
  });

  it("moves the counts with the entries", async () => {
    const five = { trait_type: "Level", display_type: "string", value: "5" } as const;
    await record("1", [text("Level", "5")]);
    await record("2", [number("Level", 5)]);
    expect((await count([five])).counts).toMatchObject([{ value: "5", count: 1 }]);

    await approve("Level", "number");

    const { counts } = await count([{ ...five, display_type: "number", value: 5 }]);
    expect(counts).toEqual([{ traitType: "Level", value: "5", count: 1 }]);
    expect(await pending()).toEqual({ "Level: number -> string": 1 });
  });

  it("is one trait type's and one collection's own", async () => {
    await record("1", [text("Level", "five"), text("Power", "one")]);
    await record("2", [number("Level", 5), number("Power", 1)]);

    const elsewhere = { ...collectionRef, chainId: collectionRef.chainId + 1 };
    const other = await createTraitApproval(database).approve(
      elsewhere,
      "Level",
      "number",
      async () => undefined,
    );
    await approve("Power", "number");

    expect(other).toEqual({ kind: "unknown_trait_type" });
    expect(await shown("2")).toEqual([["Power", 1]]);
  });

  it("pins the type for what comes later", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 5)]);
    await approve("Level", "number");

    await record("3", [number("Level", 8)]);
    await record("4", [text("Level", "eight")]);

    expect(await shown("3")).toEqual([["Level", 8]]);
    expect(await shown("4")).toEqual([]);
    expect(await pending()).toEqual({ "Level: number -> string": 2 });
  });

  it("converts nothing: a value of another JSON type than the approved one stays out", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 5), { trait_type: "Level", display_type: "number", value: "6" }]);

    await approve("Level", "number");

    expect(await shown("2")).toEqual([["Level", 5]]);
    expect(await issueCodes("2")).toEqual(["value_mismatch"]);
  });

  it("of what does not wait changes nothing and says what does", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 5)]);

    expect(await approve("Level", "string")).toEqual({
      kind: "not_pending",
      known: "string",
      conflicting: ["number"],
    });
    expect(await approve("Level", "bool")).toMatchObject({ kind: "not_pending", conflicting: ["number"] });
    expect(await approve("level", "number")).toEqual({ kind: "unknown_trait_type" });
    expect(await shown("1")).toEqual([["Level", "five"]]);
  });

  it("is void when its audit row can't be written", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 5)]);

    const approval = createTraitApproval(database).approve(collectionRef, "Level", "number", async () => {
      throw new Error("no audit");
    });

    await expect(approval).rejects.toThrow("no audit");
    expect(await shown("1")).toEqual([["Level", "five"]]);
  });
});

describe("what is pending", () => {
  it("counts the tokens that hold such entries now, each once", async () => {
    await record("1", [text("Level", "five"), text("Shiny", "yes")]);
    await record("2", [number("Level", 5), number("Level", 6)]);
    await record("3", [number("Level", 7)]);
    await record("4", [{ trait_type: "Shiny", display_type: "bool", value: false }]);
    expect(await pending()).toEqual({ "Level: string -> number": 2, "Shiny: string -> bool": 1 });

    await record("2", [text("Level", "repaired")]);
    await forget("4");
    expect(await pending()).toEqual({ "Level: string -> number": 1 });

    await record("3", []);
    expect(await pending()).toEqual({});
    expect(await approve("Level", "number")).toMatchObject({ kind: "not_pending", conflicting: [] });
  });

  it("names the contact who can approve to the token's owner", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 5)]);

    expect((await served("2"))?.issues[0]?.message).toBe(
      `"Level" with value 5 has display_type number; the trait type is known as string; ask ${OPERATOR_CONTACT} to approve`,
    );
  });
});

describe("the highest value", () => {
  it("counts a number once it is shown, and none that was repaired before", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 999)]);
    await record("2", [number("Level", 5)]);
    await record("3", [number("Level", 7)]);
    expect(await highest("Level")).toBeUndefined();

    await approve("Level", "number");

    expect(await highest("Level")).toBe(7);
  });

  it("survives a time as another type", async () => {
    await record("1", [number("Level", 90)]);
    await record("2", [text("Level", "five")]);
    await approve("Level", "string");
    await record("1", [number("Level", 3)]);
    await record("3", [number("Level", 400)]);
    await record("3", [number("Level", 4)]);

    await approve("Level", "number");

    expect(await highest("Level")).toBe(90);
  });

  it("is no lower than a hidden number that is being recorded when the approval comes", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 50)]);
    const recorded = createBarrier();
    const commit = createBarrier();
    const recording = database.transaction(async (tx) => {
      await recordIn(tx, "3", [number("Level", 99)]);
      recorded.open();
      await commit.opened;
    });
    await recorded.opened;

    const approving = track(approve("Level", "number"));
    await eventually(async () => approving.isDone() || (await countWaiting(database)) > 0, Boolean);
    commit.open();
    await Promise.all([recording, approving.end]);

    expect(await shown("3")).toEqual([["Level", 99]]);
    expect(await highest("Level")).toBe(99);
  });

  it("is no lower than a number that is recorded while the approval runs", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 50)]);
    const approved = createBarrier();
    const commit = createBarrier();
    const approving = createTraitApproval(database).approve(collectionRef, "Level", "number", async () => {
      approved.open();
      await commit.opened;
    });
    await approved.opened;

    const recording = track(record("3", [number("Level", 99)]));
    await eventually(async () => recording.isDone() || (await countWaiting(database)) > 0, Boolean);
    commit.open();
    await Promise.all([approving, recording.end]);

    expect(await highest("Level")).toBe(99);
  });
});

function track(end: Promise<unknown>) {
  let done = false;
  const mark = (): void => {
    done = true;
  };
  end.then(mark, mark);
  return { end, isDone: () => done };
}
