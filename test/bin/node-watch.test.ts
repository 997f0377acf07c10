import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createNodeWatch } from "../../bin/node-watch.ts";
import { type LocalServer, startLocalServer } from "../api/metadata/local-server.ts";
import { CHAIN_SCHEMA, createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { makeFolder } from "../support/folder.ts";

const CHAIN_ID = 31337;
const FINALIZED = 50;
const EVERY_MS = 20;

let db: TestDatabase;
let folder: string;
let node: LocalServer;
/** The node's head; undefined while it is away. */
let head: number | undefined;
let probes: number;
let lines: string[];
let isBack: boolean;
let ended: AbortController;

beforeAll(async () => {
  db = await createTestDatabase();
  await db.setHead({ chainId: CHAIN_ID, block: FINALIZED, safeBlock: FINALIZED });
  folder = makeFolder();
  node = await startLocalServer(async (request, response) => {
    const call = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (call.method === "eth_blockNumber") probes++;
    if (head === undefined) return void response.destroy();
    const result = `0x${(call.method === "eth_chainId" ? CHAIN_ID : head).toString(16)}`;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result }));
  });
});
afterAll(async () => {
  await node.close();
  rmSync(folder, { recursive: true });
});

const writeCollections = (text: string): void => writeFileSync(join(folder, "collections.json"), text);
const COLLECTIONS = JSON.stringify([{ chainId: CHAIN_ID, address: `0x${"1".repeat(40)}`, startBlock: 0 }]);

beforeEach(() => {
  head = undefined;
  probes = 0;
  lines = [];
  isBack = false;
  ended = new AbortController();
  writeCollections(COLLECTIONS);
  return () => ended.abort();
});

function watch(): Promise<void> {
  const environment = {
    COLLECTIONS_FILE: join(folder, "collections.json"),
    DATABASE_URL: db.url,
    [`PONDER_RPC_URL_${CHAIN_ID}`]: node.url,
  };
  const watchNodes = createNodeWatch(environment, CHAIN_SCHEMA, (line) => lines.push(line), EVERY_MS);
  return watchNodes(ended.signal).then(() => {
    isBack = true;
  });
}
const untilProbed = async (more: number): Promise<void> => {
  const enough = probes + more;
  await eventually(
    async () => probes,
    (count) => count >= enough,
  );
};

it("waits while a node is away, or has not reached what the index has finalized", async () => {
  const watching = watch();
  await untilProbed(8);
  head = FINALIZED - 1;
  await untilProbed(8);
  expect(isBack).toBe(false);

  head = FINALIZED;

  await watching;
  expect(lines).toEqual([]);
});

it("takes no node for back that comes and goes", async () => {
  void watch();

  for (let round = 0; round < 4; round++) {
    head = FINALIZED;
    await untilProbed(3);
    head = undefined;
    await untilProbed(2);
  }

  expect(isBack).toBe(false);
});

it("waits for a configuration that can't be read, and says so once", async () => {
  head = FINALIZED;
  writeCollections("[{");
  const watching = watch();
  await eventually(
    async () => lines.length,
    (count) => count > 0,
  );
  await new Promise((resolve) => setTimeout(resolve, 10 * EVERY_MS));
  expect(isBack).toBe(false);

  writeCollections(COLLECTIONS);

  await watching;
  expect(lines).toEqual([expect.stringMatching(/^The indexer can't be started: .*collections\.json/)]);
});

it("ends with the replica", async () => {
  const watching = watch();
  await untilProbed(2);

  ended.abort();

  await watching;
});
