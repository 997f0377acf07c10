import { createConfig } from "ponder";
import { zeroAddress } from "viem";
import { delegateRegistryAbi } from "./abis/delegate-registry.ts";
import { tokenEventsAbi } from "./abis/token-events.ts";
import { requireFreePort, stopOnBootError } from "./src/api/boot.ts";
import { lockSchemaForProcess } from "./src/api/chain/index/schema-lock.ts";
import { ponderTransport } from "./src/api/chain/rpc/ponder-transport.ts";
import { verifyChainIds } from "./src/api/chain/rpc/verify-chain-ids.ts";
import { loadServingConfig } from "./src/api/config.ts";
import { isDatabaseAway } from "./src/api/db/database-away.ts";
import { ponderRuntime } from "./src/api/ponder-runtime.ts";
import { databaseUrl } from "./src/api/postgres/database-url.ts";
import { BootError } from "./src/boot-error.ts";
import { loadIndexConfig } from "./src/config.ts";

const LOCAL_CHAIN_ID = 31337;
// Ponder's own exit code for "restart me"; the supervisor restarts on it.
const TRY_AGAIN_CODE = 75;
const POLLING_MS = 1_000;
// Together with our own pool (10), four processes stay under PostgreSQL's default of 100 connections.
const POOL_CONNECTIONS_MAX = 12;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

// Checks everything that can prevent a start before Ponder locks its schema.
const { chains, collections, registries, connectionString } = await stopOnBootError(async () => {
  const config = loadIndexConfig(process.env);
  loadServingConfig(process.env);
  const { command, port, hostname, schema } = ponderRuntime();
  if (schema === "vitrine") {
    throw new BootError(
      'Schema "vitrine" holds what a re-index must not touch; set DATABASE_SCHEMA to another name.',
    );
  }
  if (command === "start" || command === "serve") await requireFreePort(port, hostname);
  await verifyChainIds(config.chains);
  const connectionString = await databaseUrl(process.env);
  if (command === "start") {
    await lockSchemaForProcess({
      connectionString,
      schema,
      onLine: say,
      onTaken: () => {
        say(
          `vitrine: another process has taken schema "${schema}", to which the connection was lost; ending.`,
        );
        // Skip Ponder's own shutdown: it would unlock the schema under its new owner.
        process.exit(TRY_AGAIN_CODE);
      },
    }).catch((error: Error) => {
      if (!isDatabaseAway(error)) throw error;
      say(`vitrine: PostgreSQL can't be reached (${error.message || String(error)}).`);
      process.exit(TRY_AGAIN_CODE);
    });
  }
  return { ...config, connectionString };
});

const indexed = chains.filter((chain) => collections.some((each) => each.chainId === chain.id));

// The lists are part of Ponder's build id: reordering the file must not cause a reindex.
const collectionsByChain = Object.fromEntries(
  indexed.map(({ id }) => {
    const own = collections.filter((each) => each.chainId === id);
    const address = own.map((each) => each.address as `0x${string}`).sort();
    return [String(id), { address, startBlock: Math.min(...own.map((each) => each.startBlock)) }];
  }),
);

// Ponder rejects handlers for a contract that no chain has. "Off" is therefore the zero address and one empty block.
const registriesByChain = Object.fromEntries(
  indexed.map(({ id }) => {
    const registry = registries.find((each) => each.chainId === id);
    return [
      String(id),
      registry
        ? { address: registry.address as `0x${string}`, startBlock: registry.startBlock }
        : { address: zeroAddress, startBlock: 0, endBlock: 0 },
    ];
  }),
);

export default createConfig({
  database: { kind: "postgres", connectionString, poolConfig: { max: POOL_CONNECTIONS_MAX } },
  chains: Object.fromEntries(
    indexed.map((chain) => [
      String(chain.id),
      {
        id: chain.id,
        rpc: ponderTransport(chain),
        pollingInterval: POLLING_MS,
        // A local chain can restart with different blocks under the same numbers.
        disableCache: chain.id === LOCAL_CHAIN_ID,
      },
    ]),
  ),
  contracts: {
    Collection: { abi: tokenEventsAbi, chain: collectionsByChain },
    DelegateRegistry: { abi: delegateRegistryAbi, chain: registriesByChain },
  },
});
