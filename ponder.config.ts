import { createConfig } from "ponder";
import { tokenEventsAbi } from "./abis/token-events.ts";
import { requireFreePort, stopOnBootError } from "./src/api/boot.ts";
import { verifyChainIds } from "./src/api/chain/verify.ts";
import { loadServingConfig } from "./src/api/config.ts";
import { ponderRuntime } from "./src/api/ponder-runtime.ts";
import { databaseUrl } from "./src/api/store/database-url.ts";
import { loadIndexConfig } from "./src/config.ts";

const LOCAL_CHAIN_ID = 31337;
const LOCAL_POLLING_MS = 200;
// Below one second a hanging RPC lets polls pile up for minutes.
const POLLING_MS = 1_000;
// With ours (10) this stays under PostgreSQL's default of 100 connections for four processes.
const POOL_CONNECTIONS_MAX = 12;

// Everything that can stop a start is checked here, before Ponder locks its schema.
const { chains, collections, connectionString } = await stopOnBootError(async () => {
  const config = loadIndexConfig(process.env);
  loadServingConfig(process.env);
  const { command, port, hostname } = ponderRuntime();
  if (command === "start" || command === "serve") await requireFreePort(port, hostname);
  await verifyChainIds(config.chains);
  return { ...config, connectionString: await databaseUrl(process.env) };
});

const indexed = chains.filter((chain) => collections.some((each) => each.chainId === chain.id));

export default createConfig({
  database: { kind: "postgres", connectionString, poolConfig: { max: POOL_CONNECTIONS_MAX } },
  chains: Object.fromEntries(
    indexed.map(({ id, rpcUrls }) => [
      String(id),
      {
        id,
        rpc: [...rpcUrls],
        pollingInterval: id === LOCAL_CHAIN_ID ? LOCAL_POLLING_MS : POLLING_MS,
        // A local chain starts over with other blocks under the same numbers.
        disableCache: id === LOCAL_CHAIN_ID,
      },
    ]),
  ),
  contracts: {
    Collection: {
      abi: tokenEventsAbi,
      chain: Object.fromEntries(
        indexed.map(({ id }) => {
          const own = collections.filter((each) => each.chainId === id);
          return [
            String(id),
            {
              // The list is part of Ponder's build id: the file's order must not re-index.
              address: own.map((each) => each.address as `0x${string}`).sort(),
              startBlock: Math.min(...own.map((each) => each.startBlock)),
            },
          ];
        }),
      ),
    },
  },
});
