/** A chain, an RPC endpoint, a metadata host, a database and the service as processes that a test can break. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { encodeFunctionData, type TransactionReceipt } from "viem";
import { type Chain, type Contract, startChain } from "../../../demo/chain.ts";
import { freePort, type Service, startService } from "../../../demo/service.ts";
import { lower } from "../../support/chain/contract-answers.ts";
import { createDatabaseOf } from "../../support/database/run-database.ts";
import { makeFolder } from "../../support/folder.ts";
import { createPartner, eventually } from "../../support/processes/world.ts";
import { createKey, OPERATOR_TOKEN } from "../../support/service-key.ts";
import { type Endpoint, startEndpoint } from "./endpoint.ts";
import { type Origin, startOrigin } from "./origin.ts";

const SCHEMA = "faults";
// A transaction may use 2^24 gas (EIP-7825), and a mint takes some 30,000.
const MINTS_PER_CALL = 400;
// Ponder treats a chain's last 30 blocks as unsettled, and goes back up to twice as far at a start.
const SETTLED_AFTER_BLOCKS = 61;
const AGE_SECONDS = 3_600;
const ENDS_WITHIN_MS = 240_000;

/** How a process runs: `npm start`, `ponder start` without a supervisor, or `ponder serve` beside one of them. */
export type Role = "supervised" | "indexer" | "replica";

export type Partner = ReturnType<typeof createPartner>;

export interface PlantOptions {
  /** Tokens 1 to this are minted, and each has a document at the origin's `/t/{id}`. */
  readonly tokens: number;
  /** More origins, for faults that must not affect the first one's host. */
  readonly moreOrigins?: readonly Origin[];
  /** Tokens whose documents are elsewhere, by id. */
  readonly uris?: ReadonlyMap<number, string>;
  /** A separate database instead of one in the shared server. */
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Plant {
  readonly chain: Chain;
  readonly rpc: Endpoint;
  readonly origin: Origin;
  readonly heroes: Contract;
  /** The contract's address as every route returns it. */
  readonly address: string;
  /** Starts a process of this role and waits until it is ready. A role reuses its port. */
  start(role: Role, env?: Record<string, string>): Promise<Service>;
  /** A partner of a running service; all share one key. */
  partner(service: Service): Promise<Partner>;
  /** Calls the contract many times in one transaction. */
  callAll(name: string, argsOfEach: readonly (readonly unknown[])[]): Promise<TransactionReceipt>;
  query<Row>(sql: string): Promise<Row[]>;
  /** Waits until every token has been read successfully at least once and nothing is due. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function createPlant(options: PlantOptions): Promise<Plant> {
  const folder = makeFolder();
  const past = Math.floor(Date.now() / 1_000) - AGE_SECONDS;
  const [chain, origin] = await Promise.all([
    startChain({ extraArgs: [`--timestamp=${past}`] }),
    startOrigin(),
  ]);
  const rpc = await startEndpoint(chain.rpcUrl);
  const heroes = await chain.deploy("VitrineHeroes", [`${origin.url}/t/`]);
  const address = lower(heroes);
  for (let first = 1; first <= options.tokens; first += MINTS_PER_CALL) {
    const count = Math.min(MINTS_PER_CALL, options.tokens - first + 1);
    await chain.write(heroes, "mintRange", [chain.account(1).address, BigInt(first), BigInt(count)]);
  }
  for (const [id, uri] of options.uris ?? []) await chain.write(heroes, "setTokenURI", [BigInt(id), uri]);
  // An hour ago, in blocks that no reorg reaches: a test's actions must not mix with the creation of its tokens.
  await chain.mine(SETTLED_AFTER_BLOCKS);
  await chain.rpc("evm_setTime", [Date.now()]);
  await chain.mine();
  writeFileSync(
    join(folder, "collections.json"),
    JSON.stringify([{ chainId: chain.chainId, address, startBlock: 0 }]),
  );

  const own = options.databaseUrl === undefined ? await createDatabaseOf() : undefined;
  const databaseUrl = options.databaseUrl ?? own?.url ?? "";
  const ports = { indexer: await freePort(), replica: await freePort() };
  const services: Service[] = [];
  let key: string | undefined;

  const plant: Plant = {
    chain,
    rpc,
    origin,
    heroes,
    address,

    async start(role, env = {}) {
      const port = role === "replica" ? ports.replica : ports.indexer;
      const service = await startService({
        port,
        env: {
          [`PONDER_RPC_URL_${chain.chainId}`]: rpc.url,
          [`DELEGATE_REGISTRY_${chain.chainId}`]: "off",
          COLLECTIONS_FILE: join(folder, "collections.json"),
          DATABASE_URL: databaseUrl,
          DATABASE_SCHEMA: SCHEMA,
          VITRINE_DATA: folder,
          BASE_URL: `http://localhost:${port}`,
          VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN,
          ALLOW_PRIVATE_HOSTS: [origin, ...(options.moreOrigins ?? [])].map(({ host }) => host).join(","),
          ...options.env,
          ...env,
        },
        logFile: join(folder, `${role}.log`),
        ...(role !== "supervised" && {
          ponderArgs: [role === "indexer" ? "start" : "serve", "--schema", SCHEMA],
        }),
      });
      services.push(service);
      return service;
    },

    async partner(service) {
      key ??= await createKey(service);
      return createPartner(service.baseUrl, key);
    },

    callAll(name, argsOfEach) {
      const calls = argsOfEach.map((args) =>
        encodeFunctionData({ abi: heroes.abi, functionName: name, args: [...args] }),
      );
      return chain.write(heroes, "multicall", [calls]);
    },

    async query<Row>(sql: string) {
      const client = new pg.Client({ connectionString: databaseUrl });
      client.on("error", () => undefined);
      await client.connect();
      try {
        return (await client.query(sql)).rows as Row[];
      } finally {
        await client.end();
      }
    },

    async settled() {
      await eventually(
        () =>
          plant.query<{ read: number; waiting: number }>(
            `select (select count(*)::int from vitrine.token where served_version is not null) as read,
                    (select count(*)::int from vitrine.refresh
                      where wanted > done and trigger <> 'recheck') as waiting`,
          ),
        ([row]) => row !== undefined && row.read >= options.tokens && row.waiting === 0,
        ENDS_WITHIN_MS,
      );
    },

    async close() {
      await Promise.all(services.map((service) => service.stop()));
      await rpc.close();
      await Promise.all([
        own?.drop(),
        chain.close(),
        origin.close(),
        ...(options.moreOrigins ?? []).map((each) => each.close()),
      ]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return plant;
}
