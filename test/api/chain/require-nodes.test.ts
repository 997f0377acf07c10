import { resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { IndexAtStart } from "../../../src/api/chain/index/index-at-start.ts";
import { type IndexInputs, readIndexInputs } from "../../../src/api/chain/index/index-inputs.ts";
import { NodeAwayError } from "../../../src/api/chain/index/node-away.ts";
import { requireNodes } from "../../../src/api/chain/index/require-nodes.ts";
import type { IndexConfig } from "../../../src/config.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const PROJECT = resolve(import.meta.dirname, "../../..");
const FINALIZED = 50;
const COLLECTION = {
  address: `0x${"1".repeat(40)}`,
  startBlock: 0,
};

/** Two endpoints of one chain; `undefined` heads don't answer. */
let endpoints: LocalServer[];
let heads: (number | undefined)[];
let servedChain: number;
let config: IndexConfig;
let asked: number;
let inputs: IndexInputs;

beforeAll(async () => {
  endpoints = await Promise.all(
    [0, 1].map((nth) =>
      startLocalServer(async (request, response) => {
        asked++;
        const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
        const head = heads[nth];
        if (head === undefined) return void response.destroy();
        const result = `0x${(method === "eth_chainId" ? servedChain : head).toString(16)}`;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }),
    ),
  );
  config = {
    chains: [{ id: 2020, rpcUrls: endpoints.map(({ url }) => url) }],
    collections: [{ chainId: 2020, ...COLLECTION }],
    registries: [],
  } as unknown as IndexConfig;
  // As PostgreSQL returns them.
  inputs = JSON.parse(JSON.stringify(readIndexInputs(PROJECT, config)));
});
afterAll(() => Promise.all(endpoints.map((each) => each.close())));

beforeEach(() => {
  heads = [undefined, undefined];
  servedChain = 2020;
  asked = 0;
});

afterEach(() => void vi.restoreAllMocks());

const indexOf = (recorded: IndexInputs | undefined, more: readonly number[] = []): IndexAtStart => ({
  schema: "chain",
  content: { kind: "index", buildId: "0123456789", isInUse: false, inputs: recorded },
  finalized: [2020, ...more].map((chainId) => ({ chainId, block: FINALIZED, timestamp: 1 })),
});
const check = (index: IndexAtStart, graceMs = 0): Promise<unknown> =>
  requireNodes(index, config, PROJECT, graceMs).then(
    () => "starts",
    (error: unknown) => error,
  );

it.each([
  ["both endpoints have gone", [undefined, undefined], false],
  ["the head is one block below the finalized one", [FINALIZED - 1, undefined], false],
  ["the head is the finalized block", [FINALIZED, undefined], true],
  ["the head is above it", [FINALIZED + 1, undefined], true],
  ["the second endpoint has it", [FINALIZED - 1, FINALIZED], true],
])("where %s, an index of this code is served, or else goes on", async (_where, reached, starts) => {
  heads = reached;

  const outcome = await check(indexOf(inputs));

  if (starts) expect(outcome).toBe("starts");
  else {
    expect(outcome).toBeInstanceOf(NodeAwayError);
    expect(String(outcome)).toContain(
      "No endpoint in PONDER_RPC_URL_2020 answers with block 50 or a later one, which the chain index has finalized.",
    );
  }
});

it("an endpoint of another chain is no node", async () => {
  heads = [FINALIZED, FINALIZED];
  servedChain = 1;

  expect(await check(indexOf(inputs))).toBeInstanceOf(NodeAwayError);
});

it("names each chain that lacks one", async () => {
  expect(String(await check(indexOf(inputs, [1])))).toContain(
    "No endpoint in PONDER_RPC_URL_2020 answers with block 50 or a later one, and none in PONDER_RPC_URL_1 answers with block 50",
  );
});

it("waits for a node that comes up a moment later", async () => {
  const outcome = check(indexOf(inputs), 30_000);
  const asking = setInterval(() => {
    if (asked > 0) heads = [FINALIZED, undefined];
  }, 10);

  expect(await outcome).toBe("starts");
  clearInterval(asking);
});

it("waits no longer where the clock is set back meanwhile", async () => {
  let now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => {
    now -= 3_600_000;
    return now;
  });

  expect(await check(indexOf(inputs))).toBeInstanceOf(NodeAwayError);
});

it.each(["abis/token-reads.ts", "ponder.config.ts"])(
  "an index stays of this code when the text of %s changes, which Ponder does not hash",
  async (file) => {
    const { [file]: digest, ...others } = inputs.files;
    expect(digest).toBeDefined();

    const outcomes = [
      await check(indexOf({ ...inputs, files: { ...others, [file]: "0" } })),
      await check(indexOf({ ...inputs, files: others })),
    ];

    for (const outcome of outcomes) expect(outcome).toBeInstanceOf(NodeAwayError);
  },
);

it.each<[string, () => IndexAtStart]>([
  ["no index", () => ({ schema: "chain", content: { kind: "empty" }, finalized: [] })],
  ["something that is not Ponder's", () => ({ ...indexOf(inputs), content: { kind: "foreign" } })],
  ["an index of unrecorded code", () => indexOf(undefined)],
  ["an index of other code", () => indexOf({ ...inputs, files: { ...inputs.files, "src/x.ts": "0" } })],
  ["an index of other collections", () => indexOf({ ...inputs, chains: {} })],
])("a schema with %s is not for this code to serve: Ponder is left to say so", async (_content, index) => {
  expect(await check(index())).toBe("starts");
  expect(asked).toBe(0);
});
