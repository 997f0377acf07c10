/** Works the queue: claims due tokens, resolves them, and records each end in one transaction. */

import { setMaxListeners } from "node:events";
import type { ReadBlock } from "../../chain/contract/read-block.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { isHostFault } from "../../fetch/host-fault.ts";
import type { Logger } from "../../http/logger.ts";
import { burnedIn } from "../../metadata/rules.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { Resolution } from "../../metadata/uri/resolve.ts";
import { createHostConcurrency } from "../hosts/host-concurrency.ts";
import { askProbes } from "../hosts/hosts.ts";
import type { RefreshMetrics } from "../metrics.ts";
import { claim, nextDueMs, type Share } from "../queue/claim.ts";
import { complete, type Lease, release, renew } from "../queue/queue.ts";
import { settle } from "../receipts/receipts.ts";
import type { EnqueueMedia } from "../triggers/seen-tokens.ts";
import { ATTEMPTS_MAX, createRecorder } from "./recorder.ts";

const RENEW_MS = 5_000;
// One claim for each fetch costs more than the fetch: free places are gathered for a moment, or until no more than this
// share of them is taken.
const CLAIM_DELAY_MS = 20;
const CLAIM_SHARE = 1 / 4;
// How many fetches may wait to be recorded while others go on.
const RECORDING_MAX = 256;
const IDLE_POLL_MS = 5_000;
// What is due may wait for a host that other processes keep busy.
const BUSY_POLL_MS = 200;
const AFTER_FAULT_MS = 1_000;
const PROBES_EVERY_MS = 1_000;
const INTERNAL_REASON = "internal_error: the document could not be recorded; the operator's log says why";

class LeaseLost extends Error {}

const hasFailedHost = (resolution: Resolution | undefined): boolean =>
  resolution?.kind === "failed" && isHostFault(resolution.host, resolution.reason, resolution.transient);

/** A fetch that ended before anything was asked. */
const unread = (reason: "burned" | "rpc_unavailable", message: string, transient: boolean): Resolution => ({
  kind: "failed",
  reason,
  message,
  transient,
  uri: null,
  block: 0,
  durationMs: 0,
});

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
  readonly media?: EnqueueMedia | undefined;
  readonly readBlock: ReadBlock;
  readonly chainIds: readonly number[];
  /** Fetches at once; 0 makes this process leave the queue to others. */
  readonly concurrency: number;
  readonly metrics?: RefreshMetrics | undefined;
  readonly logger: Logger;
}

export function startRefreshWorker(deps: WorkerDeps): RefreshWorker {
  const { database, tables, metadata, media, readBlock, chainIds, concurrency, metrics, logger } = deps;
  // One host, slow or dead, never takes all there is.
  const share: Share = { chainIds, perHost: Math.ceil(concurrency / 2) };
  const hostConcurrency = createHostConcurrency(database, share.perHost);
  const recorder = createRecorder({ database, metadata, media, metrics });
  const running = new Map<Lease, Promise<void>>();
  let fetching = 0;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  let polling: Promise<void> | undefined;
  let pollAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let shortTimer: NodeJS.Timeout | undefined;
  let probesAskedAt = 0;

  const pollIn = (ms: number): void => {
    clearTimeout(timer);
    if (!stopping.signal.aborted) timer = setTimeout(wake, Math.min(ms, IDLE_POLL_MS));
  };

  async function look(): Promise<void> {
    // One that waits for its host leaves its place to others.
    const busy = fetching - hostConcurrency.waiting;
    const free = Math.min(concurrency - busy, concurrency + RECORDING_MAX - running.size);
    if (free <= 0) return;
    if (Date.now() - probesAskedAt > PROBES_EVERY_MS) {
      probesAskedAt = Date.now();
      await askProbes(database);
    }
    const { waiting } = hostConcurrency;
    const unread = waiting === 0 ? free : Math.max(0, share.perHost - waiting);
    const leases = await claim(database, tables, { ...share, unread }, free);
    if (stopping.signal.aborted) return release(database, leases);
    for (const lease of leases) {
      const work = run(lease).finally(() => {
        running.delete(lease);
        wakeSoon();
      });
      running.set(lease, work);
    }
    if (running.size > 0) pollIn(BUSY_POLL_MS);
    else pollIn(Math.max((await nextDueMs(database, share)) ?? IDLE_POLL_MS, BUSY_POLL_MS));
  }

  function wake(): void {
    if (concurrency === 0 || stopping.signal.aborted) return;
    if (polling) {
      pollAgain = true;
      return;
    }
    polling = look()
      .catch((error: Error) => {
        logger.warn({ msg: "Could not read the refresh queue", reason: error.message });
        pollIn(AFTER_FAULT_MS);
      })
      .finally(() => {
        polling = undefined;
        if (!pollAgain) return;
        pollAgain = false;
        wake();
      });
  }

  /** Claims by handfuls while there is enough to do. */
  function wakeSoon(): void {
    if (running.size === 0 || fetching <= concurrency * CLAIM_SHARE) {
      wake();
      return;
    }
    shortTimer ??= setTimeout(() => {
      shortTimer = undefined;
      wake();
    }, CLAIM_DELAY_MS);
  }

  /** Never rejects: a fault of ours leaves the lease to run out, and the token is tried again for a while. */
  async function run(lease: Lease): Promise<void> {
    const entered: string[] = [];
    const leave = (): void => entered.splice(0).forEach(hostConcurrency.leave);
    try {
      fetching++;
      const resolution = await resolve(lease, entered).finally(() => {
        fetching--;
        wakeSoon();
      });
      // Whoever waits for a host that failed is told of it first.
      if (!hasFailedHost(resolution)) leave();
      // Put back when its host was found busy or paused.
      if (stopping.signal.aborted || resolution === undefined) return;
      if ((await recorder.record({ lease, resolution })) === "lost") throw new LeaseLost();
      if (hasFailedHost(resolution)) hostConcurrency.forgetPaused();
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
    } finally {
      leave();
    }
  }

  /** A document that can't be recorded would otherwise be fetched again for ever, and its receipts never end. */
  async function giveUp(lease: Lease): Promise<void> {
    try {
      await database.transaction(async (tx) => {
        const held = await complete(tx, [lease], () => ({ status: "failed" }));
        await settle(
          tx,
          held.map((each) => ({ lease: each, status: "failed", reason: INTERNAL_REASON })),
        );
      }, "byKey");
    } catch (error) {
      logger.error({ msg: "Could not end a refresh", token_id: lease.tokenId, error });
    }
  }

  /** Undefined for a token that was put back. `entered` takes the host that was asked. */
  async function resolve(lease: Lease, entered: string[]): Promise<Resolution | undefined> {
    if (lease.burnedBlock !== undefined) return unread("burned", burnedIn(lease.burnedBlock), false);
    let block: number;
    try {
      block = await readBlock(lease.chainId, lease.minBlock);
    } catch (error) {
      const message = `the chain's head can't be read (${(error as Error).name})`;
      return unread("rpc_unavailable", message, true);
    }
    let isPutBack = false;
    const admit = async (host: string): Promise<boolean> => {
      const isAdmitted = await hostConcurrency.enter(lease, host);
      if (isAdmitted === undefined) throw new LeaseLost();
      if (isAdmitted) entered.push(host);
      isPutBack = !isAdmitted;
      return isAdmitted;
    };
    const resolution = await metadata.resolve(
      lease,
      lease.standard,
      block,
      stopping.signal,
      admit,
      lease.known,
    );
    return isPutBack ? undefined : resolution;
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
      clearTimeout(shortTimer);
      clearInterval(renewal);
      await polling;
      // Before the wait for what runs: another process may have these tokens while it winds down.
      await release(database, [...running.keys()]).catch((error: Error) =>
        logger.warn({ msg: "Could not give back refresh leases", reason: error.message }),
      );
      await Promise.all(running.values());
    },
  };
}
