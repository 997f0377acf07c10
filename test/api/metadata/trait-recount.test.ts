import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { DisplayType, Trait } from "../../../src/api/metadata/document/traits.ts";
import { valueText } from "../../../src/api/metadata/document/traits.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countWaiting } from "../../support/database/keep-locked.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import { documentOf, emptyTables } from "../../support/refresh/refresh.ts";
import { createTraitsHarness, number, pendingName, text } from "./traits-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const traits = createTraitsHarness(test);
// Each replica has a pool of its own.
const replicas = [database, createDatabase(test.url, silentLogger)] as const;
afterAll(() => replicas[1].close());

beforeEach(() => emptyTables(database));

type Operation =
  | { readonly kind: "record"; readonly tokenId: string; readonly attributes: readonly object[] }
  | { readonly kind: "forget"; readonly tokenId: string }
  | { readonly kind: "approve"; readonly traitType: string; readonly displayType: DisplayType };

const traitType = fc.constantFrom("Level", "level", "Élan ");
const tokenId = fc.constantFrom("0", "1", "2", "3", (2n ** 256n - 1n).toString());
const typed = <Value>(display_type: DisplayType, value: fc.Arbitrary<Value>) =>
  fc.record({ trait_type: traitType, display_type: fc.constant(display_type), value });
const attribute = fc.oneof(
  typed("string", fc.constantFrom("", "0", "mage", "Mage", "%", "\\", "💎", "x".repeat(5_000))),
  typed("number", fc.constantFrom(0, -7.5, 3, 1e21)),
  typed("date", fc.constantFrom(0, -1)),
  typed("bool", fc.boolean()),
);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      tokenId,
      attributes: fc.array(attribute, { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), tokenId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("approve" as const),
      traitType,
      displayType: fc.constantFrom("string", "number", "date", "bool"),
    }),
  },
);

/** Runs one operation and returns the trait type that it re-typed, if any. */
async function run(each: Operation, replica: number): Promise<string | undefined> {
  const on = replicas[replica % replicas.length];
  if (each.kind === "record") await traits.record(each.tokenId, each.attributes, on);
  else if (each.kind === "forget") await traits.forget(each.tokenId, on);
  else {
    const { kind } = await traits.approve(each.traitType, each.displayType, on);
    if (kind === "approved") return each.traitType;
  }
  return undefined;
}

interface Known {
  readonly displayType: DisplayType;
  readonly highest: number | null;
}

async function readKnown(): Promise<ReadonlyMap<string, Known>> {
  const rows = await database.query<Known & { name: string }>(
    `select trait_type as name, display_type as "displayType", highest from vitrine.trait_type`,
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/** The entries of every served document, re-read from its bytes. */
async function readEntries(): Promise<ReadonlyMap<string, readonly Trait[]>> {
  const rows = await database.query<{ tokenId: string; body: Buffer }>(
    `select t.token_id as "tokenId", d.body from vitrine.token t
       join vitrine.version v on v.id = t.served_version join vitrine.document d on d.hash = v.content_hash`,
  );
  return new Map(rows.map(({ tokenId, body }) => [tokenId, documentOf(body.toString()).metadata.traits]));
}

/** Compares all answers with a count over the bytes of the served documents. */
async function expectRecount(): Promise<void> {
  const known = await readKnown();
  const entries = await readEntries();
  const isShown = (each: Trait): boolean => known.get(each.trait_type)?.displayType === each.display_type;

  for (const [id, all] of entries) {
    const { metadata, issues } = (await traits.served(id)) ?? {};
    expect(metadata?.traits).toEqual(all.filter(isShown));
    const conflicts = issues?.filter(({ code }) => code === "display_type_conflict");
    expect(conflicts).toHaveLength(all.filter((each) => !isShown(each)).length);
  }

  const shown = [...entries.values()].flat().filter(isShown);
  const { counts, total, highest } = await traits.count(shown);
  const same = (a: Trait, b: Trait): boolean => a.trait_type === b.trait_type && a.value === b.value;
  const expected = shown.map((trait) => ({
    traitType: trait.trait_type,
    value: valueText(trait.value),
    count: [...entries.values()].filter((all) => all.some((each) => isShown(each) && same(each, trait)))
      .length,
  }));
  expect(total).toBe(entries.size);
  expect(new Set(counts.map((each) => JSON.stringify(each)))).toEqual(
    new Set(expected.map((each) => JSON.stringify(each))),
  );
  for (const { trait_type, display_type, value } of shown) {
    if (display_type === "number") expect(highest.get(trait_type)).toBeGreaterThanOrEqual(Number(value));
  }

  const waiting: Record<string, number> = {};
  for (const all of entries.values()) {
    const conflicts = all.filter((each) => !isShown(each)).map((each) => pendingName(nameParts(each, known)));
    for (const name of new Set(conflicts)) waiting[name] = (waiting[name] ?? 0) + 1;
  }
  expect(await traits.pending()).toEqual(waiting);
}

const nameParts = ({ trait_type, display_type }: Trait, known: ReadonlyMap<string, Known>) => ({
  traitType: trait_type,
  known: known.get(trait_type)?.displayType ?? "none",
  proposed: display_type,
});

describe("counts, entries and what is pending", () => {
  it("equal a recount after any operations, run by two replicas at the same time", async () => {
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    });

    await fc.assert(
      fc.asyncProperty(batches, async (sequence) => {
        await emptyTables(database);
        for (const batch of sequence) {
          const before = await readKnown();
          const retyped = await Promise.all(batch.map(run));

          await expectRecount();
          const after = await readKnown();
          for (const [name, { displayType, highest }] of before) {
            if (!retyped.includes(name)) expect(after.get(name)?.displayType).toBe(displayType);
            if (highest !== null) expect(after.get(name)?.highest).toBeGreaterThanOrEqual(highest);
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it("come with the highest number that was ever shown, and no other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (sequence) => {
        await emptyTables(database);
        const expected = new Map<string, number>();
        for (const [step, each] of sequence.entries()) {
          await run(each, step);

          const known = await readKnown();
          for (const { trait_type, display_type, value } of [...(await readEntries()).values()].flat()) {
            if (display_type !== "number" || known.get(trait_type)?.displayType !== "number") continue;
            expected.set(trait_type, Math.max(expected.get(trait_type) ?? -Infinity, Number(value)));
          }
          const highest = [...known].flatMap(([name, row]) =>
            row.highest === null ? [] : [[name, row.highest] as const],
          );
          expect(new Map(highest)).toEqual(expected);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe("versions of one collection", () => {
  it("that name the same new trait types in opposite order wait for each other one way only", async () => {
    const first = createBarrier();
    const commit = createBarrier();
    const before = database.transaction(async (tx) => {
      await traits.recordIn(tx, "0", [text("M", "x")]);
      first.open();
      await commit.opened;
    });
    await first.opened;
    let runs = 0;
    const recordings = ["AMZ", "ZMA"].map((names, index) =>
      database.transaction((tx) => {
        runs++;
        return traits.recordIn(
          tx,
          String(index + 1),
          [...names].map((name) => text(name, "x")),
        );
      }),
    );
    await eventually(
      () => countWaiting(database),
      (waiting) => waiting === 2,
    );
    commit.open();
    await Promise.all([before, ...recordings]);

    // A deadlocked transaction is retried.
    expect(runs).toBe(2);
  });

  it("that bring the same new trait types in any order end without a deadlock", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `Trait ${index}`);
    let runs = 0;
    const record = (index: number): Promise<unknown> | undefined => {
      const order = index % 2 ? names : names.toReversed();
      const attributes = order.flatMap((name, at) => [
        (at + index) % 3 ? number(name, index + at) : text(name, "held or not"),
        number(name, index - at),
      ]);
      return replicas[index % 2]?.transaction((tx) => {
        runs++;
        return traits.recordIn(tx, String(index), attributes);
      });
    };

    // As many at once as both pools have connections: on a busy machine, others would wait for one for too long.
    for (const first of [0, 20, 40])
      await Promise.all(Array.from({ length: 20 }, (_, offset) => record(first + offset)));

    expect(runs).toBe(60);
    await expectRecount();
  });

  it("do not wait for each other over trait types that both know", async () => {
    const attributes = (value: number) => [text("Class", "Mage"), number("Level", value), text("Level", "x")];
    await traits.record("0", attributes(9));

    await database.transaction(async (tx) => {
      await traits.recordIn(tx, "1", attributes(8));
      await replicas[1].transaction(async (other) => {
        await other.query("set local lock_timeout = '1s'");
        await traits.recordIn(other, "2", attributes(9));
      });
    });

    expect((await traits.served("2"))?.metadata?.traits).toHaveLength(2);
  });
});
