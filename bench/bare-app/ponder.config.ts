import { createConfig } from "ponder";
import { tokenEventsAbi } from "../../abis/token-events.ts";

export default createConfig({
  database: { kind: "postgres", poolConfig: { max: 12 } },
  chains: {
    "31337": { id: 31337, rpc: process.env.PONDER_RPC_URL_31337, pollingInterval: 200, disableCache: true },
  },
  contracts: {
    Collection: {
      abi: tokenEventsAbi,
      chain: "31337",
      address: process.env.BENCH_ADDRESS as `0x${string}`,
      startBlock: 0,
    },
  },
});
