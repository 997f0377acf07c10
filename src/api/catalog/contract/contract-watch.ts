/**
 * Finds contracts that announce other metadata of themselves (ERC-7572). The logs are read from the node here, and not
 * by the chain index: one more event there would build every index anew.
 */

import { LRUCache } from "lru-cache";
import { toEventSelector } from "viem";
import type { LatestBlock } from "../../chain/contract/read-block.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import type { Database } from "../../db/database.ts";
import { noteWatched, readWatched } from "./contract-store.ts";

// Of one request for logs; many endpoints refuse more.
const BLOCKS_MAX = 500;
// A longer gap is not searched: every contract of the chain is read again instead.
const GAP_MAX = 5_000;
// Blocks that are searched again with the next one: a reorganisation replaces them, and an endpoint may not have had them.
const AGAIN_BLOCKS = 64;
const LOGS_KNOWN = 10_000;

// ERC-7572, and the forms with the new URI (SeaDrop) and with the old and the new one. Only the topic counts: whatever the rest holds is never decoded.
const TOPICS = [
  toEventSelector("event ContractURIUpdated()"),
  toEventSelector("event ContractURIUpdated(string newContractURI)"),
  toEventSelector("event ContractURIUpdated(string prevURI, string newURI)"),
];

/** What counts of a log, which may be of any shape. */
interface SeenLog {
  readonly address?: unknown;
  readonly blockHash?: unknown;
  readonly logIndex?: unknown;
}

export interface ContractWatchDeps {
  readonly database: Database;
  readonly clients: ChainClients;
  readonly latestBlock: LatestBlock;
}

/**
 * Returns what looks through the logs since the last time, and marks the contracts that named another URI as due. Rejects
 * if the node is away: the next call begins where this one did.
 */
export function createContractWatch({ database, clients, latestBlock }: ContractWatchDeps) {
  /** The logs of which this process knows, by block and place. */
  const known = new LRUCache<string, true>({ max: LOGS_KNOWN });

  return async function watch(chainId: number, addresses: readonly string[]): Promise<void> {
    const client = clients.get(chainId);
    if (!client) return;
    const head = await latestBlock(chainId);
    const watched = await readWatched(database, chainId, addresses);
    if (watched === undefined || head - watched > GAP_MAX)
      return noteWatched(database, chainId, addresses, head, addresses);
    if (head <= watched) return;
    for (let from = Math.max(0, watched + 1 - AGAIN_BLOCKS); from <= head; from += BLOCKS_MAX) {
      const to = Math.min(head, from + BLOCKS_MAX - 1);
      const logs = (await client.request({
        method: "eth_getLogs",
        params: [
          {
            address: [...addresses] as `0x${string}`[],
            topics: [TOPICS],
            fromBlock: `0x${from.toString(16)}`,
            toBlock: `0x${to.toString(16)}`,
          },
        ],
      })) as readonly SeenLog[];
      const found = logs.map(({ address, blockHash, logIndex }) => ({
        address: String(address).toLowerCase(),
        name: `${chainId} ${blockHash} ${logIndex}`,
      }));
      const changed = found.filter(({ name }) => !known.has(name)).map(({ address }) => address);
      await noteWatched(database, chainId, addresses, to, changed);
      for (const { name } of found) known.set(name, true);
    }
  };
}
