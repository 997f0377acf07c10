/** Keeps what contracts say of their collections current: after their events, on a schedule, and when asked. */

import { LRUCache } from "lru-cache";
import { toEventSelector } from "viem";
import type { CollectionConfig, RegistryConfig } from "../../../config.ts";
import type { LatestBlock, ReadBlock } from "../../chain/contract/read-block.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import { NodeAway, type ReadContract } from "./contract-reader.ts";
import {
  addContracts,
  claimDue,
  type DueContract,
  noteWatched,
  postponeContract,
  readWatched,
  recordContract,
} from "./contract-store.ts";
import { createEntryFaults } from "./entry-faults.ts";

const POLL_MS = 5_000;
const AT_ONCE = 10;
// Longer than any fetch with its redirects and gateways.
const LEASE_MS = 5 * 60_000;
const NODE_AWAY_MS = 30_000;
const RETRY_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
// With RESAMPLE_HOURS off, contracts are read again only when something asks for it.
const NEVER_MS = 100 * 365 * 24 * HOUR_MS;
// Of one request for logs; many endpoints refuse more.
const BLOCKS_MAX = 500;
// A longer gap is not searched: every contract of the chain is read again instead.
const GAP_MAX = 5_000;
// Blocks that are searched again with the next one: a reorganisation replaces them, and an endpoint may not have had them.
const AGAIN_BLOCKS = 64;
const LOGS_KNOWN = 10_000;

// ERC-7572, and the form with the old and the new URI. Only the topic counts: whatever the rest holds is never decoded.
const TOPICS = [
  toEventSelector("event ContractURIUpdated()"),
  toEventSelector("event ContractURIUpdated(string prevURI, string newURI)"),
];

/** What counts of a log, which may be of any shape. */
interface SeenLog {
  readonly address?: unknown;
  readonly blockHash?: unknown;
  readonly logIndex?: unknown;
}

export interface ContractLoopDeps {
  readonly database: Database;
  readonly clients: ChainClients;
  readonly latestBlock: LatestBlock;
  readonly readBlock: ReadBlock;
  readonly readContract: ReadContract;
  /** A few existing tokens, whose royalty is asked for. */
  readonly sampleTokens: (db: Queryable, chainId: number, collection: string) => Promise<readonly string[]>;
  readonly collections: readonly CollectionConfig[];
  readonly registries: readonly RegistryConfig[];
  /** The time between two reads that nothing asked for; 0 is off. */
  readonly hours: number;
  readonly logger: Logger;
  /** False if this process leaves background work to others. */
  readonly isOn: boolean;
}

export function createContractPass(deps: ContractLoopDeps) {
  const { database, clients, latestBlock, collections, hours, logger } = deps;
  const nextMs = hours === 0 ? NEVER_MS : hours * HOUR_MS;
  const faults = createEntryFaults(deps);
  /** The logs of which this process knows, by block and place. */
  const known = new LRUCache<string, true>({ max: LOGS_KNOWN });

  /** Looks through the logs since the last time; a node that is away is asked again at the next pass. */
  async function watch(chainId: number, addresses: readonly string[]): Promise<void> {
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
  }

  async function readOne(due: DueContract, signal: AbortSignal): Promise<void> {
    const { chainId, address, minBlock } = due;
    try {
      const [block, tokenIds] = await Promise.all([
        deps.readBlock(chainId, minBlock),
        deps.sampleTokens(database, chainId, address),
      ]);
      // Most contracts answer for any id, also before the first mint.
      const read = await deps.readContract(due, tokenIds.length > 0 ? tokenIds : ["1"], block, signal);
      const isLater = read.fields !== undefined && tokenIds.length > 0;
      await recordContract(database, due, read, isLater ? nextMs : Math.min(RETRY_MS, nextMs));
      await Promise.all([
        faults.warnOfLateStart(due),
        tokenIds.length === 0 && faults.explainEmpty(due, block),
      ]);
    } catch (error) {
      if (!(error instanceof NodeAway))
        logger.warn({ msg: "Could not read a contract's metadata", collection: address, error });
      await postponeContract(database, due, NODE_AWAY_MS);
    }
  }

  return {
    async pass(signal: AbortSignal): Promise<void> {
      if (collections.length === 0) return;
      await addContracts(database, collections);
      for (const chainId of new Set(collections.map((each) => each.chainId))) {
        const addresses = collections.flatMap((each) => (each.chainId === chainId ? each.address : []));
        await watch(chainId, addresses).catch((error) => {
          logger.debug({ msg: "Could not look for changed contracts", chain: chainId, error });
        });
      }
      while (!signal.aborted) {
        const due = await claimDue(database, collections, LEASE_MS, AT_ONCE);
        if (due.length === 0) return;
        await Promise.all(due.map((each) => readOne(each, signal)));
      }
    },
  };
}

export function startContractReads(deps: ContractLoopDeps): PassLoop {
  const { logger, isOn } = deps;
  return startPassLoop({
    task: "read what contracts say of their collections",
    pollMs: POLL_MS,
    isOn,
    logger,
    pass: createContractPass(deps).pass,
  });
}
