/** The cost of an untrusted document is bounded: traits, issues and names of any length. */

import { beforeEach, expect, it } from "vitest";
import { ISSUES_MAX } from "../../../src/api/metadata/document/issues.ts";
import { normalise } from "../../../src/api/metadata/document/normalise.ts";
import { TRAITS_MAX } from "../../../src/api/metadata/document/traits.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
const record = (json: unknown, tokenId = "1") =>
  database.transaction((tx) => recordOne(metadata, tx, ref(tokenId), "rest", found(json)));
const served = async (tokenId = "1") =>
  (await metadata.readServed(database, CHAIN_ID, COLLECTION, [tokenId])).get(tokenId);
const hero = (fields: object) => ({ name: "Hero", image: "https://img.example/1.png", ...fields });
const entries = (count: number, entry: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => entry(index));

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}`);
});

it.each([
  [TRAITS_MAX - 1, TRAITS_MAX - 1, []],
  [TRAITS_MAX, TRAITS_MAX, []],
  [TRAITS_MAX + 1, TRAITS_MAX, ["too_many_traits"]],
])("of %d traits, %d are read", (given, kept, codes) => {
  const attributes = entries(given, (index) => ({ trait_type: `T${index}`, value: "v" }));
  const properties = Object.fromEntries(
    attributes.map(({ trait_type }: { trait_type?: string }) => [trait_type, "v"]),
  );

  for (const document of [hero({ attributes }), hero({ properties })]) {
    const normalised = normalise(document);
    expect(normalised?.metadata.traits).toHaveLength(kept);
    expect(normalised?.issues.map(({ code }) => code)).toEqual(codes);
  }
});

it("a trait name and a value longer than an index entry are stored all the same", async () => {
  const long = Array.from({ length: 8_000 }, (_, index) => (index * 7_919).toString(36)).join("");

  expect(await record(hero({ attributes: [{ trait_type: long, value: long }] }))).toMatchObject({
    status: "updated",
  });
  expect((await served())?.metadata?.traits).toEqual([
    { trait_type: long, display_type: "string", value: long },
  ]);
});

it("conflicting entries are listed up to the limit of issues, each by name and value", async () => {
  await record(hero({ attributes: [{ trait_type: "Class", value: "Mage" }] }), "1");

  await record(
    hero({
      attributes: entries(TRAITS_MAX, (value) => ({ trait_type: "Class", display_type: "number", value })),
    }),
    "2",
  );

  const issues = (await served("2"))?.issues ?? [];
  expect(issues).toHaveLength(ISSUES_MAX);
  expect(issues[0]?.message).toBe(
    '"Class" with value 0 has display_type number; the trait type is known as string',
  );
  expect(issues.at(-1)?.message).toContain(`${TRAITS_MAX - ISSUES_MAX} more are not listed`);
});

it("a token whose mint a reorg reverted is no longer found, and starts anew when it comes back", async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 10 });
  await record(hero({ attributes: [{ trait_type: "Class", value: "Mage" }] }));

  expect(await recordEnd(failed("token_reverted"), "reorg")).toMatchObject({ status: "not_found" });
  expect(await served()).toBeUndefined();
  expect(await database.query("select 1 from vitrine.token")).toEqual([]);

  expect(await record(hero({}))).toMatchObject({ status: "updated" });
  expect(await served()).toMatchObject({ status: "current", version: 2 });
});

const insertState = (state: Record<string, unknown>) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: 1n,
    standard: "erc721",
    burned: false,
    lockCount: 0,
    ...state,
  });

it("a token that the chain still has is kept when its contract reverts", async () => {
  await record(hero({}));
  await insertState({});

  expect(await recordEnd(failed("token_reverted"), "reorg")).toMatchObject({ status: "failed" });
  expect(await served()).toMatchObject({ metadata: { name: "Hero" } });
});

it.each([
  ["reverts", failed("token_reverted")],
  ["answers something new", found(hero({ name: "A ghost" }))],
])(
  "a token that burns while it waits ends as burned where its contract %s, and keeps what was read",
  async (_how, end) => {
    await record(hero({}));
    await insertState({ burned: true, burnedBlock: 12n });

    const outcome = await recordEnd(end, "rest");

    expect(outcome).toEqual({ status: "not_found", reason: "burned: in block 12", isBurned: true });
    expect(await served()).toMatchObject({ status: "current", version: 1, metadata: { name: "Hero" } });
  },
);

function recordEnd(resolution: ReturnType<typeof failed>, trigger: string) {
  return database.transaction((tx) => recordOne(metadata, tx, ref("1"), trigger, resolution));
}
