import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readBuildId } from "../../../bin/index/build.ts";
import { checkIndex, compareBuild } from "../../../bin/index/check.ts";
import { recordIndexBuild } from "../../../src/api/chain/index/index-build.ts";
import { readIndexInputs } from "../../../src/api/chain/index/index-inputs.ts";
import { BootError } from "../../../src/boot-error.ts";
import { loadIndexConfig } from "../../../src/config.ts";
import { CHAIN_SCHEMA, createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

const PROJECT = resolve(import.meta.dirname, "../../..");
const HEROES = { chainId: 31337, address: "0x5fbdb2315678afecb367f032d93f642f64180aa3", startBlock: 20 };
const ITEMS = { chainId: 31337, address: "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512", startBlock: 30 };
const NEW = { chainId: 31337, address: "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0", startBlock: 7 };

let folder: string;
let root: string;
let test: TestDatabase;
let environment: Record<string, string>;
let builtId: string;

beforeAll(async () => {
  test = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "vitrine-check-"));
  // A copy, so that the project under test is never edited.
  root = join(folder, "project");
  mkdirSync(root);
  for (const part of ["src", "abis", "ponder.config.ts", "ponder.schema.ts", "package.json", "tsconfig.json"])
    cpSync(join(PROJECT, part), join(root, part), { recursive: true });
  symlinkSync(join(PROJECT, "node_modules"), join(root, "node_modules"));
  environment = {
    ...(process.env as Record<string, string>),
    // The check reads the sources of the tree.
    VITRINE_SERVING_BUNDLE: "file:///no-such-bundle.mjs",
    // Overrides the test runner's BASE_URL.
    BASE_URL: "",
    // Nothing listens there: the check needs no node.
    PONDER_RPC_URL_31337: "http://127.0.0.1:9",
    COLLECTIONS_FILE: join(folder, "collections.json"),
    DATABASE_URL: test.url,
    DATABASE_SCHEMA: CHAIN_SCHEMA,
  };
  writeCollections([HEROES, ITEMS]);
  builtId = await readBuildId(root, environment);
  await setBuild(CHAIN_SCHEMA, builtId);
  await recordIndexBuild(test.database, test.tables, readIndexInputs(root, loadIndexConfig(environment)));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => writeCollections([HEROES, ITEMS]));

const writeCollections = (collections: readonly object[]): void =>
  writeFileSync(join(folder, "collections.json"), JSON.stringify(collections));

/** The rows that Ponder leaves in a chain index's schema. */
async function setBuild(schema: string, buildId: string, { isInUse = false } = {}): Promise<void> {
  await test.database.query(`create schema if not exists ${schema}`);
  await test.database.query(
    `create table if not exists ${schema}._ponder_meta (key text primary key, value jsonb not null)`,
  );
  await test.database.query(
    `insert into ${schema}._ponder_meta values ('app', $1) on conflict (key) do update set value = excluded.value`,
    [JSON.stringify({ build_id: buildId, is_locked: isInUse ? 1 : 0, heartbeat_at: Date.now() })],
  );
}

describe("the check of the index", () => {
  it.each([
    ["a".repeat(50), `Schema "${"a".repeat(50)}" is longer than 45 characters, or 63 bytes`],
    ["pg_chain", 'Schema "pg_chain" is reserved'],
  ])("refuses a schema with the name %s, as a start does", async (schema, fault) => {
    await expect(checkIndex(root, { ...environment, DATABASE_SCHEMA: schema })).rejects.toThrow(
      new BootError(`${fault}; set DATABASE_SCHEMA to another name.`),
    );
  });

  it("refuses a DATABASE_URL that names no database, as a start does", async () => {
    await expect(checkIndex(root, { ...environment, DATABASE_URL: "nonsense:SECRET@x" })).rejects.toThrow(
      /^DATABASE_URL must be postgresql:/,
    );
  });

  it("resumes after edits of the serving half, of the order, names, standards and locks of collections, and of endpoints", async () => {
    appendFileSync(join(root, "src/api/boot.ts"), "\n// edited\n");
    writeCollections([
      { ...ITEMS, standard: "erc1155" },
      { ...HEROES, name: "Heroes", slug: "heroes", locks: "boolean" },
    ]);

    const check = await checkIndex(root, { ...environment, PONDER_RPC_URL_31337: "http://127.0.0.1:10" });

    expect(check).toEqual({
      verdict: "resumes",
      schema: CHAIN_SCHEMA,
      build_id: builtId,
      index_build_id: builtId,
      reasons: [],
      next: null,
    });
  });

  it("re-indexes for another list, start block and registry, names them, and the schema that comes next", async () => {
    writeCollections([HEROES, NEW]);

    const check = await checkIndex(root, { ...environment, DELEGATE_REGISTRY_31337: "off" });

    expect(check).toMatchObject({ verdict: "reindexes", schema: CHAIN_SCHEMA, index_build_id: builtId });
    expect(check.build_id).not.toBe(builtId);
    expect(check.reasons).toEqual([
      `collection ${ITEMS.address} on chain 31337 is gone`,
      `collection ${NEW.address} on chain 31337 is new`,
      "the lowest start block of chain 31337 is 7 and was 20",
      "the delegate registry of chain 31337 is off and was 0x00000000000000447e69651d841bd8d104bed493@20",
    ]);
    expect(check.next).toEqual({ schema: `${CHAIN_SCHEMA}_2`, state: "free" });
  });

  it("re-indexes for an edit under src/domain and names the file, and finds where that build is already", async () => {
    appendFileSync(join(root, "src/domain/lock-count.ts"), "\n// edited\n");
    await setBuild(`${CHAIN_SCHEMA}_2`, "0000000000");
    const first = await checkIndex(root, environment);
    await setBuild(`${CHAIN_SCHEMA}_3`, first.build_id, { isInUse: true });

    const second = await compareBuild(first.build_id, root, environment);

    expect(first).toMatchObject({
      verdict: "reindexes",
      reasons: ["src/domain/lock-count.ts has changed"],
      next: { schema: `${CHAIN_SCHEMA}_3`, state: "free" },
    });
    expect(second.next).toEqual({ schema: `${CHAIN_SCHEMA}_3`, state: "in_use" });
  });

  it("finds the index of this build in an earlier schema too, to which a rollback goes back", async () => {
    await setBuild("moved_2", "0000000000");
    const back = () => compareBuild(builtId, root, { ...environment, DATABASE_SCHEMA: "moved_2" });

    const begun = await back();
    await setBuild(CHAIN_SCHEMA, builtId, { isInUse: true });
    const used = await back();
    await setBuild(CHAIN_SCHEMA, "0000000001");
    const overwritten = await back();
    await setBuild(CHAIN_SCHEMA, builtId);

    expect(begun).toMatchObject({ verdict: "reindexes", next: { schema: CHAIN_SCHEMA, state: "begun" } });
    expect(used.next).toEqual({ schema: CHAIN_SCHEMA, state: "in_use" });
    expect(overwritten.next).toEqual({ schema: "moved_3", state: "free" });
  });

  it("names a schema without another index, and rejects where it can't look", async () => {
    await setBuild("taken", "0000000000");
    await setBuild("taken_2", "0000000000");
    const of = { ...environment, DATABASE_SCHEMA: "taken" };
    const away = { ...of, DATABASE_URL: "postgresql://127.0.0.1:9/x" };

    expect((await checkIndex(root, of)).next).toEqual({ schema: "taken_3", state: "free" });
    await expect(checkIndex(root, away)).rejects.toThrow("the database can't be reached");
  });

  it("names a free schema after one whose number is a time in milliseconds", async () => {
    await setBuild("timed_20261201120000124", "0000000000");
    await setBuild("timed_20261201120000124_2", "0000000000");
    const of = { ...environment, DATABASE_SCHEMA: "timed_20261201120000124" };

    const check = await compareBuild("0000000001", root, of);

    expect(check.next).toEqual({ schema: "timed_20261201120000124_3", state: "free" });
  });

  it("only says that it differs where no record says what the index was built", async () => {
    await setBuild("unrecorded", "0000000000");

    const check = await compareBuild(builtId, root, { ...environment, DATABASE_SCHEMA: "unrecorded" });

    expect(check).toMatchObject({
      verdict: "reindexes",
      reasons: ["an older Vitrine built it and did not record of what"],
    });
  });

  it("takes an empty schema for a first index, and makes no embedded database to find that out", async () => {
    const data = join(folder, "data");

    const check = await compareBuild(builtId, root, { ...environment, DATABASE_URL: "", VITRINE_DATA: data });

    expect(check).toMatchObject({ verdict: "first", schema: CHAIN_SCHEMA, index_build_id: null });
    expect(() => rmSync(data, { recursive: true })).toThrow("ENOENT");
  });

  it("makes no secret for a service that would make one at its start", async () => {
    const unset = { VITRINE_SECRET: "", VITRINE_OPERATOR_TOKEN: "", VITRINE_DATA: join(folder, "secrets") };

    await checkIndex(root, { ...environment, ...unset });
    await checkIndex(root, { ...environment, ...unset, BASE_URL: "http://127.0.0.1:8080" });
    const isPublic = checkIndex(root, { ...environment, ...unset, BASE_URL: "https://market.example" });

    await expect(isPublic).rejects.toThrow("VITRINE_SECRET must be set where BASE_URL is public");
    expect(() => rmSync(unset.VITRINE_DATA, { recursive: true })).toThrow("ENOENT");
  });

  it("says in one sentence why a tree or a configuration would not start", async () => {
    const badPort = checkIndex(root, { ...environment, PORT: "none" });
    await expect(badPort).rejects.toThrow(/^PORT must be a whole number from 1 to 65535; it is "none"\..*$/);

    const away = compareBuild(builtId, root, { ...environment, DATABASE_URL: "postgresql://127.0.0.1:9/x" });
    await expect(away).rejects.toThrow(/^the database can't be reached \(.*ECONNREFUSED/);
  });
});
