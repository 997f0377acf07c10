import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { encodeFunctionData, type HDAccount } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, startChain } from "../../demo/chain.ts";
import {
  type Cast,
  castStory,
  claimEveryToken,
  collectionsOf,
  playStory,
} from "../support/chain/chain-story.ts";
import { createSite, onchainTables, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { eventually } from "../support/processes/world.ts";

// Minted ranges and lock defaults: test/e2e/strange-contracts.test.ts and lock-standards.test.ts index those.
const NOT_IN_THE_STORY: ReadonlySet<string> = new Set(["token_range", "collection_ranges", "lock_default"]);
const ROUNDS = 10n;
const TOKENS_PER_ROUND = 120n;
const FIRST_ID = 1_000n;
// Ponder requests 26 blocks and then 26 more, in which the rounds end.
const LAST_BLOCK_ANSWERED = 30;

let chain: Chain;
let site: Site;
beforeAll(async () => {
  chain = await startChain();
  const registry = await chain.deploy("DelegateRegistryV2");
  const cast = await castStory(chain, registry, { first: 1, crowd: 500n });
  await claimEveryToken(chain, cast);
  await fillBlocks(cast);
  await playStory(chain, cast);
  site = await createSite([{ chain, collections: collectionsOf(cast), registry: lower(registry) }]);
});
afterAll(() => site.close());

type Call = readonly [name: string, ...args: unknown[]];

/** Some 400 events a round, in three blocks; a round unlocks the tokens that the previous one locked. */
async function fillBlocks({ heroes, ada, ben, cy, game }: Cast): Promise<void> {
  const send = (sender: HDAccount, calls: readonly Call[]) => {
    const data = calls.map(([functionName, ...args]) =>
      encodeFunctionData({ abi: heroes.abi, functionName, args }),
    );
    return chain.write(heroes, "multicall", [data], sender);
  };
  const owner = chain.account(0);
  await chain.write(heroes, "updateApprovedContracts", [[game.address], [true]]);
  let locked: bigint[] = [];
  for (let round = 0n; round < ROUNDS; round++) {
    const first = FIRST_ID + round * TOKENS_PER_ROUND;
    const ids = Array.from({ length: Number(TOKENS_PER_ROUND) }, (_, index) => first + BigInt(index));
    const to = round % 2n === 0n ? ben.address : cy.address;
    const released = locked;
    locked = ids.slice(60);
    await send(owner, [
      ["mintRange", ada.address, first, TOKENS_PER_ROUND],
      ["emitBatchMetadataUpdate", first, first + 9n],
      ...ids.slice(0, 60).map((id): Call => ["emitMetadataUpdate", id]),
    ]);
    await send(ada, [
      ...ids.slice(0, 40).map((id): Call => ["transferFrom", ada.address, to, id]),
      ...ids.slice(40, 50).map((id): Call => ["burn", id]),
    ]);
    await send(game, [
      ...locked.map((id): Call => ["lockId", id]),
      ...released.map((id): Call => ["unlockId", id]),
    ]);
  }
}

/** An RPC endpoint that never answers a request for logs past a block. */
async function startLimitedEndpoint(
  rpcUrl: string,
  lastBlock: number,
): Promise<{ url: string; server: Server }> {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await request.toArray()).join("");
    const { method, params } = JSON.parse(body) as { method: string; params?: { toBlock?: string }[] };
    if (method === "eth_getLogs" && Number(params?.[0]?.toBlock) > lastBlock) return;
    const answer = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const countLocks = async (schema: string): Promise<number> => {
  const [found] = await site.query<{ table: string | null }>(
    `select to_regclass('${schema}.lock_event') as table`,
  );
  if (!found?.table) return 0;
  const [row] = await site.query<{ rows: number }>(`select count(*)::int as rows from ${schema}.lock_event`);
  return row?.rows ?? 0;
};

it("a backfill that was killed in its middle ends with the rows of one that never was", async () => {
  const rateLimits = await startLimitedEndpoint(chain.rpcUrl, LAST_BLOCK_ANSWERED);
  const victim = await site.spawn("crashed", { [`PONDER_RPC_URL_${chain.chainId}`]: rateLimits.url });
  const locksAtDeath = await eventually(
    () => countLocks("crashed"),
    (locks) => locks > 0,
  );
  await victim.stop("SIGKILL");
  rateLimits.server.closeAllConnections();
  rateLimits.server.close();

  const [crashed, calm] = await Promise.all([site.start("crashed"), site.start("calm")]);
  await Promise.all([untilIndexed(crashed, chain), untilIndexed(calm, chain)]);

  expect(crashed.log()).toContain("Detected crash recovery");
  expect(locksAtDeath).toBeLessThan(await countLocks("calm"));
  for (const table of onchainTables) {
    const [a, b] = [`crashed.${table}`, `calm.${table}`];
    const [rows] = await site.query<{ rows: number }>(`select count(*)::int as rows from ${b}`);
    const onlyThere = await site.query(`select * from ${a} except select * from ${b}`);
    const onlyHere = await site.query(`select * from ${b} except select * from ${a}`);
    if (!NOT_IN_THE_STORY.has(table)) expect(rows?.rows, table).toBeGreaterThan(0);
    expect({ table, onlyThere, onlyHere }).toEqual({ table, onlyThere: [], onlyHere: [] });
  }
});
