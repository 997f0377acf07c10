/** The trait columns of an export, where names of trait types are as long as a document may be. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { runExport } from "../../../src/api/catalog/exports/export-run.ts";
import { readTraitNames } from "../../../src/api/metadata/module.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { makePrivateFolder } from "../../support/folder.ts";
import { createTestApp } from "../../support/processes/app.ts";
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
const folder = makePrivateFolder();
const api = createTestApp(test, { config: { dataFolder: folder }, connectionString: test.url });
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
const heroes = { chainId: CHAIN_ID, collection: COLLECTION };

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`delete from ${tables.tokenState}`);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

async function record(tokenId: number, traitType: string): Promise<void> {
  await test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId: BigInt(tokenId),
    standard: "erc721",
    owner: `0x${"a1".repeat(20)}`,
    burned: false,
    lockCount: 0,
  });
  const document = found({
    name: "Hero",
    image: "https://img.example/1.png",
    attributes: [{ trait_type: traitType, value: "x" }],
  });
  await database.transaction((tx) => recordOne(metadata, tx, ref(String(tokenId)), "rest", document));
}

async function exportAs(format: string): Promise<string> {
  const path = `/market/collections/${COLLECTION}/export?chain_id=${CHAIN_ID}&format=${format}`;
  const answer = await api.app.request(path, { headers: { "x-api-key": await api.createKey() } });
  expect(answer.status).toBe(200);
  return answer.text();
}
const headOf = async (): Promise<string[]> => (await exportAs("csv")).split("\r\n")[0]?.split(",") ?? [];

it("are one per trait type whose name has up to 1,000 characters", async () => {
  const name = "🦄".repeat(1_000);
  await record(1, name);
  expect((await headOf()).at(-1)).toBe(`trait:${name}`);
});

it("become one column of JSON where a name is longer", async () => {
  await record(1, "Class");
  await record(2, "n".repeat(1_001));
  const head = await headOf();
  expect(head.at(-1)).toBe("traits");
  expect(head.filter((column) => column.startsWith("trait:"))).toEqual([]);
});

it("read no more of a name than shows that it is too long", async () => {
  await record(1, "Class");
  await record(2, "n".repeat(1_000_000));
  await record(3, "Level");
  const read = (limit: number, characters: number) => readTraitNames(database, heroes, { limit, characters });
  expect(await read(2, 5)).toEqual(["Class", "nnnnn"]);
  const lengths = (await read(201, 1_001)).map(({ length }) => length);
  expect(lengths).toEqual([5, 1_001, 5]);
});

it("are not read for NDJSON, which has none", async () => {
  await record(1, "Class");
  const file = await open(join(folder, "rows"), "w+");
  const reads = {
    ...api,
    ...api.catalogModule,
    database,
    tables,
    findQueued: async () => new Set<string>(),
    metadata: {
      ...metadata,
      readTraitNames: async () => {
        throw new Error("names were read");
      },
    },
  };
  const collection = api.collections.find(COLLECTION);
  const job = {
    collection,
    query: { format: "ndjson", what: "tokens" },
    firstBlock: 0,
    fd: file.fd,
  } as const;
  await runExport(reads, job, { onOpen() {}, onWritten() {} }, new AbortController().signal);
  expect(JSON.parse(await file.readFile("utf8"))).toMatchObject({ token_id: "1" });
  await file.close();
});
