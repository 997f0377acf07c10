/** Keeps what contracts say of their collections current: after their events, on a schedule, and when asked. */

import type { CollectionConfig, RegistryConfig } from "../../../config.ts";
import type { ReadBlock } from "../../chain/contract/read-block.ts";
import type { Queryable } from "../../db/database.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import { NodeAway, type ReadContract } from "./contract-reader.ts";
import {
  addContracts,
  claimDue,
  type DueContract,
  postponeContract,
  recordContract,
} from "./contract-store.ts";
import { type ContractWatchDeps, createContractWatch } from "./contract-watch.ts";
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

export interface ContractLoopDeps extends ContractWatchDeps {
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
  const { database, collections, hours, logger } = deps;
  const nextMs = hours === 0 ? NEVER_MS : hours * HOUR_MS;
  const faults = createEntryFaults(deps);
  const watch = createContractWatch(deps);

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
