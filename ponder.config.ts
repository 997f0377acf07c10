import { createConfig } from "ponder";
import { zeroAddress } from "viem";
import { delegateRegistryAbi } from "./abis/delegate-registry.ts";
import { tokenEventsAbi } from "./abis/token-events.ts";

const LOCAL_CHAIN_ID = 31337;
const POLLING_MS = 1_000;
// With our own, a process has as many as docs/scaling.md says.
const POOL_CONNECTIONS_MAX = 12;

// As in src/api/index.ts; without a bundle, the config needs this part only.
const bundle = process.env.VITRINE_SERVING_BUNDLE;
const { bootIndex }: typeof import("./src/api/boot-index.ts") = bundle
  ? await import(bundle)
  : await import("./src/api/boot-index.ts");

const { chains, collections, registries, connectionString, ponderTransport } = await bootIndex();

const indexed = chains.filter((chain) => collections.some((each) => each.chainId === chain.id));

// The lists are part of Ponder's build id: reordering the file must not cause a reindex.
const collectionsByChain = Object.fromEntries(
  indexed.map(({ id }) => {
    const own = collections.filter((each) => each.chainId === id);
    const address = own.map((each) => each.address as `0x${string}`).sort();
    return [String(id), { address, startBlock: Math.min(...own.map((each) => each.startBlock)) }];
  }),
);

// Ponder rejects handlers for a contract that no chain has. "Off" is therefore the zero address and one block, in
// which it emits nothing: the collections' first, since a node may have deleted the logs of earlier ones.
const registriesByChain = Object.fromEntries(
  indexed.map(({ id }) => {
    const registry = registries.find((each) => each.chainId === id);
    const startBlock = collectionsByChain[String(id)]?.startBlock;
    return [
      String(id),
      registry
        ? { address: registry.address as `0x${string}`, startBlock: registry.startBlock }
        : { address: zeroAddress, startBlock, endBlock: startBlock },
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
