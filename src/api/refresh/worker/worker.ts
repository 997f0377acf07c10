/** Works through the refresh queue: claims due tokens, resolves them, and records each outcome in one transaction. */

import type { ReadBlock } from "../../chain/contract/read-block.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { isHostFault } from "../../fetch/host-fault.ts";
import type { Logger } from "../../http/logger.ts";
import { createHostConcurrency } from "../../jobs/host-concurrency.ts";
import type { NoteHost } from "../../jobs/hosts.ts";
import { LeaseLost, type LeaseRun, type LeaseWorker, startLeaseWorker } from "../../jobs/lease-worker.ts";
import { retryPolicies } from "../../jobs/retry-policies.ts";
import { burnedIn } from "../../metadata/rules.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { Resolution } from "../../metadata/uri/resolve.ts";
import type { RefreshMetrics } from "../metrics.ts";
import { claim, nextDueMs, type Share } from "../queue/claim.ts";
import { askProbes, awaitHost } from "../queue/hosts.ts";
import { complete, type Lease, release, renew } from "../queue/queue.ts";
import { settle } from "../receipts/receipts.ts";
import type { EnqueueMedia } from "../triggers/seen-tokens.ts";
import { createRecorder } from "./recorder.ts";

const RENEW_MS = 5_000;
// How many fetches may wait to be recorded while others start.
const RECORDING_MAX = 256;
const IDLE_POLL_MS = 5_000;
// A due token may wait for a host that other processes keep busy.
const BUSY_POLL_MS = 200;
const PROBES_EVERY_MS = 1_000;
const INTERNAL_REASON = "internal_error: the document could not be recorded; the operator's log says why";

const hasFailedHost = (resolution: Resolution | undefined): boolean =>
  resolution?.kind === "failed" && isHostFault(resolution.host, resolution.reason, resolution.transient);

/** A fetch that ended before any request. */
const unread = (reason: "burned" | "rpc_unavailable", message: string, transient: boolean): Resolution => ({
  kind: "failed",
  reason,
  message,
  transient,
  uri: null,
  block: 0,
  durationMs: 0,
});

export interface WorkerDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly metadata: MetadataService;
  readonly media?: EnqueueMedia | undefined;
  readonly noteHost: NoteHost;
  readonly readBlock: ReadBlock;
  readonly chainIds: readonly number[];
  /** Concurrent fetches; 0 makes this process leave the queue to others. */
  readonly concurrency: number;
  readonly metrics?: RefreshMetrics | undefined;
  readonly logger: Logger;
}

export function startRefreshWorker(deps: WorkerDeps): LeaseWorker {
  const { database, tables, metadata, readBlock, chainIds, concurrency, logger } = deps;
  // One host, slow or dead, never takes all slots.
  const share: Share = { chainIds, perHost: Math.ceil(concurrency / 2) };
  const hostConcurrency = createHostConcurrency(database, share.perHost);
  const recorder = createRecorder(deps);
  let probesAskedAt = 0;

  async function claimDue(free: number): Promise<Lease[]> {
    if (Date.now() - probesAskedAt > PROBES_EVERY_MS) {
      probesAskedAt = Date.now();
      await askProbes(database);
    }
    const { waiting } = hostConcurrency;
    const unread = waiting === 0 ? free : Math.max(0, share.perHost - waiting);
    return claim(database, tables, { ...share, unread }, free);
  }

  async function run(lease: Lease, { signal, freePlace }: LeaseRun): Promise<void> {
    const entered: string[] = [];
    const leave = (): void => entered.splice(0).forEach(hostConcurrency.leave);
    try {
      const resolution = await resolve(lease, entered, signal);
      freePlace();
      // Tokens that wait for a host that failed learn of it first.
      if (!hasFailedHost(resolution)) leave();
      // Released to wait for its host, which was busy or paused.
      if (signal.aborted || resolution === undefined) return;
      if ((await recorder.record({ lease, resolution })) === "lost") throw new LeaseLost();
      if (hasFailedHost(resolution)) hostConcurrency.forgetPaused();
    } finally {
      leave();
    }
  }

  /** Otherwise a document that can't be recorded would be fetched again forever, and its receipts would never end. */
  async function giveUp(lease: Lease): Promise<void> {
    if (lease.attempts < retryPolicies.documentFetch.attempts) return;
    await database.transaction(async (tx) => {
      const completed = await complete(tx, [lease], () => ({ status: "failed" }));
      await settle(
        tx,
        completed.map((each) => ({ lease: each, status: "failed", reason: INTERNAL_REASON })),
      );
    }, "byKey");
  }

  /** Undefined for a token that was released to wait for its host. `entered` receives the host that was asked. */
  async function resolve(
    lease: Lease,
    entered: string[],
    signal: AbortSignal,
  ): Promise<Resolution | undefined> {
    if (lease.burnedBlock !== undefined) return unread("burned", burnedIn(lease.burnedBlock), false);
    let block: number;
    try {
      block = await readBlock(lease.chainId, lease.minBlock);
    } catch (error) {
      const message = `the chain's head can't be read (${(error as Error).name})`;
      return unread("rpc_unavailable", message, true);
    }
    let isReleased = false;
    const admit = async (host: string): Promise<boolean> => {
      if (await hostConcurrency.enter(host, host === lease.host)) {
        entered.push(host);
        return true;
      }
      if (!(await awaitHost(database, lease, host))) throw new LeaseLost();
      isReleased = true;
      return false;
    };
    const resolution = await metadata.resolve(lease, lease.standard, block, signal, admit, lease.known);
    return isReleased ? undefined : resolution;
  }

  return startLeaseWorker({
    work: "refresh",
    concurrency,
    finishingMax: RECORDING_MAX,
    // A fetch that waits for its host frees its slot.
    idlePlaces: () => hostConcurrency.waiting,
    pollMs: IDLE_POLL_MS,
    busyPollMs: BUSY_POLL_MS,
    renewMs: RENEW_MS,
    logger,
    claim: claimDue,
    nextDueMs: () => nextDueMs(database, share),
    renew: (leases) => renew(database, leases),
    release: (leases) => release(database, leases),
    run,
    onFault: giveUp,
    describe: ({ collection, tokenId }) => ({ collection, token_id: tokenId }),
  });
}
