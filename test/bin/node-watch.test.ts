import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { untilNodesAnswer } from "../../bin/node-watch.ts";
import { CHAIN_SCHEMA, createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { eventually } from "../support/eventually.ts";
import { makeFolder } from "../support/folder.ts";
import { type LocalServer, startLocalServer } from "../support/servers/local-server.ts";

const CHAIN_ID = 31337;
const FINALIZED = 50;
const EVERY_MS = 20;

let db: TestDatabase;
let folder: string;
let node: LocalServer;
/** How often the node answers with the finalized block before it is away again. */
let answersLeft: number;
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
    const isHead = call.method === "eth_blockNumber";
    if (isHead) probes++;
    const reached = isHead && answersLeft > 0 ? FINALIZED : head;
    if (isHead && answersLeft > 0) answersLeft--;
    // Its id alone is no answer.
    if (isHead && reached === undefined) return void response.destroy();
    const result = `0x${(isHead ? (reached ?? 0) : CHAIN_ID).toString(16)}`;
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
  answersLeft = 0;
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
  const say = (line: string): void => void lines.push(line);
  return untilNodesAnswer(ended.signal, environment, CHAIN_SCHEMA, say, EVERY_MS).then(() => {
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

it("takes a node for back that has answered six times in a row, and none that answers five", async () => {
  const watching = watch();
  await untilProbed(2);
  for (let round = 0; round < 3; round++) {
    answersLeft = 5;
    await untilProbed(9);
    expect(answersLeft).toBe(0);
    expect(isBack).toBe(false);
  }

  answersLeft = 6;

  await watching;
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
