/** Works the queue: claims due tokens, resolves them, and records each end in one transaction. */

import type { ReadBlock } from "../chain/read-block.ts";
import type { ChainTables } from "../chain/tables.ts";
import type { Logger } from "../contract/logger.ts";
import type { Resolution } from "../metadata/resolve.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { Database, Queryable } from "../store/database.ts";
import { admit, claim, nextDueMs, type Share } from "./claim.ts";
import { isHostFault, noteHost } from "./hosts.ts";
import { finish, type Lease, postpone, release, renew, settleLooks } from "./queue.ts";
import { settle } from "./receipts.ts";

const RENEW_MS = 5_000;
const IDLE_POLL_MS = 5_000;
// What is due may wait for a host that other processes keep busy.
const BUSY_POLL_MS = 200;
const AFTER_FAULT_MS = 1_000;
// Origin faults end after about a minute of tries; a token is asked for again by the next request or event.
const ATTEMPTS_MAX = 5;
const INTERNAL_REASON = "internal_error: the document could not be recorded; the operator's log says why";
const BACKOFF_BASE_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;

class LeaseLost extends Error {}

export interface RefreshWorker {
  /** Looks for work now rather than at the next poll. */
  wake(): void;
  /** Stops claiming, gives back what is not finished, and resolves when nothing runs. */
  stop(): Promise<void>;
}

export interface WorkerDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly metadata: MetadataService;
  readonly readBlock: ReadBlock;
  readonly chainIds: readonly number[];
  /** Fetches at once; 0 makes this process leave the queue to others. */
  readonly concurrency: number;
  readonly logger: Logger;
}

export function startRefreshWorker(deps: WorkerDeps): RefreshWorker {
  const { database, tables, metadata, readBlock, chainIds, concurrency, logger } = deps;
  // One host, slow or dead, never takes all there is.
  const share: Share = { chainIds, perHost: Math.ceil(concurrency / 2) };
  const running = new Map<Lease, Promise<void>>();
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let timer: NodeJS.Timeout | undefined;

  const lookIn = (ms: number): void => {
    clearTimeout(timer);
    if (!stopping.signal.aborted) timer = setTimeout(wake, Math.min(ms, IDLE_POLL_MS));
  };

  async function look(): Promise<void> {
    const free = concurrency - running.size;
    if (free === 0) return;
    const leases = await claim(database, tables, share, free);
    if (stopping.signal.aborted) return release(database, leases);
    for (const lease of leases) {
      const work = run(lease).finally(() => {
        running.delete(lease);
        wake();
      });
      running.set(lease, work);
    }
    if (leases.length < free)
      lookIn(Math.max((await nextDueMs(database, share)) ?? IDLE_POLL_MS, BUSY_POLL_MS));
  }

  function wake(): void {
    if (concurrency === 0 || stopping.signal.aborted) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = look()
      .catch((error: Error) => {
        logger.warn({ msg: "Could not read the refresh queue", reason: error.message });
        lookIn(AFTER_FAULT_MS);
      })
      .finally(() => {
        looking = undefined;
        if (!lookAgain) return;
        lookAgain = false;
        wake();
      });
  }

  /** Never rejects: a fault of ours leaves the lease to run out, and the token is tried again for a while. */
  async function run(lease: Lease): Promise<void> {
    try {
      const resolution = await resolve(lease);
      // Put back when its host was found busy or paused.
      if (stopping.signal.aborted || resolution === undefined) return;
      await database.transaction((tx) => record(tx, lease, resolution));
    } catch (error) {
      if (error instanceof LeaseLost) {
        logger.info({ msg: "Another worker took over a refresh", token_id: lease.tokenId });
      } else if (!stopping.signal.aborted) {
        logger.error({
          msg: "Refresh failed unexpectedly",
          collection: lease.collection,
          token_id: lease.tokenId,
          error,
        });
        if (lease.attempts >= ATTEMPTS_MAX) await giveUp(lease);
      }
    }
  }

  /** A document that can't be recorded would otherwise be fetched again for ever, and its receipts never end. */
  async function giveUp(lease: Lease): Promise<void> {
    try {
      await database.transaction(async (tx) => {
        if (await finish(tx, lease)) await settle(tx, lease, "failed", INTERNAL_REASON);
      });
    } catch (error) {
      logger.error({ msg: "Could not end a refresh", token_id: lease.tokenId, error });
    }
  }

  async function resolve(lease: Lease): Promise<Resolution | undefined> {
    let block: number;
    try {
      block = await readBlock(lease.chainId, lease.minBlock);
    } catch (error) {
      const message = `the chain's head can't be read (${(error as Error).name})`;
      return {
        kind: "failed",
        reason: "rpc_unavailable",
        message,
        transient: true,
        uri: null,
        block: 0,
        durationMs: 0,
      };
    }
    let isPutBack = false;
    const admitHost = async (host: string): Promise<boolean> => {
      // The claim has looked at the host that it knew of.
      if (host === lease.host) return true;
      const admitted = await admit(database, lease, host, share.perHost);
      if (admitted === undefined) throw new LeaseLost();
      isPutBack = !admitted;
      return admitted;
    };
    const resolution = await metadata.resolve(lease, lease.standard, block, stopping.signal, admitHost);
    return isPutBack ? undefined : resolution;
  }

  async function record(tx: Queryable, lease: Lease, resolution: Resolution) {
    await recordEnd(tx, lease, resolution);
    const { host } = resolution;
    // After all else, so that no transaction holds a host's row while it waits for a token's.
    if (host === undefined) return;
    if (resolution.kind === "failed" && isHostFault(resolution.reason, resolution.transient)) {
      const { reason, message, retryAfterMs } = resolution;
      await noteHost(tx, host, { kind: "failed", reason: `${reason}: ${message}`, retryAfterMs });
    } else await noteHost(tx, host, { kind: "answered" });
  }

  async function recordEnd(tx: Queryable, lease: Lease, resolution: Resolution) {
    if (resolution.kind === "failed" && resolution.transient) {
      // Nothing is known of a token while the node is away, so that fault never ends a request.
      const goesOn = resolution.reason === "rpc_unavailable" || lease.attempts < ATTEMPTS_MAX;
      if (goesOn) {
        const delayMs = Math.max(backoffMs(lease.attempts), resolution.retryAfterMs ?? 0);
        const reason = `${resolution.reason}: ${resolution.message}; trying again`;
        if (!(await postpone(tx, lease, delayMs, reason))) throw new LeaseLost();
        // A node that is away was no fetch, and may be away for long.
        if (resolution.reason !== "rpc_unavailable")
          await metadata.recordAttempt(tx, lease, lease.trigger, resolution);
        return;
      }
    }
    if (!(await finish(tx, lease))) throw new LeaseLost();
    const outcome = await metadata.record(tx, lease, lease.trigger, resolution);
    await settle(tx, lease, outcome.status, outcome.reason);
    await settleLooks(tx, lease, outcome.status);
  }

  const renewal = setInterval(() => {
    if (running.size === 0) return;
    renew(database, [...running.keys()]).catch((error: Error) =>
      logger.warn({ msg: "Could not renew refresh leases", reason: error.message }),
    );
  }, RENEW_MS);
  wake();

  return {
    wake,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      clearInterval(renewal);
      await looking;
      // Before the wait for what runs: another process may have these tokens while it winds down.
      await release(database, [...running.keys()]).catch((error: Error) =>
        logger.warn({ msg: "Could not give back refresh leases", reason: error.message }),
      );
      await Promise.all(running.values());
    },
  };
}

/** Doubles from two seconds to a minute, with half of it left to chance so that tokens of one host spread out. */
function backoffMs(attempts: number): number {
  const full = Math.min(BACKOFF_BASE_MS * 2 ** attempts, BACKOFF_MAX_MS);
  return full / 2 + (Math.random() * full) / 2;
}
