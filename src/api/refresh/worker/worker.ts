/** Works through the refresh queue: claims due tokens, resolves them, and records each outcome in one transaction. */

import { randomUUID } from "node:crypto";
import type { ReadBlock } from "../../chain/contract/read-block.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { signalOf } from "../../fetch/host-fault.ts";
import { createHostConcurrency, type HostTurn } from "../../jobs/host-concurrency.ts";
import type { HostSignal } from "../../jobs/host-limit.ts";
import type { NoteHost } from "../../jobs/hosts.ts";
import { LeaseLost, type LeaseRun, type LeaseWorker, startLeaseWorker } from "../../jobs/lease-worker.ts";
import { retryPolicies } from "../../jobs/retry-policies.ts";
import type { Logger } from "../../logging/logger.ts";
import { burnedIn } from "../../metadata/rules.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { Resolution } from "../../metadata/uri/resolve.ts";
import { inSpan } from "../../tracing/spans.ts";
import type { RefreshMetrics } from "../metrics.ts";
import { claim, nextDueMs } from "../queue/claim.ts";
import { awaitHost, countWorkers, enqueueProbes } from "../queue/hosts.ts";
import { complete, type Lease, release, renew, returnExpired } from "../queue/leases.ts";
import { settle } from "../receipts/receipts.ts";
import { inProcessSpan, requestIdsOf } from "../refresh-spans.ts";
import type { EnqueueMedia } from "../triggers/seen-tokens.ts";
import { createRecorder } from "./recorder.ts";

const RENEW_MS = 5_000;
// How many fetches may wait to be recorded while others start.
const RECORDING_MAX = 256;
const IDLE_POLL_MS = 5_000;
// A due token may wait for a host that other processes keep busy.
const BUSY_POLL_MS = 200;
const HOSTS_EVERY_MS = 1_000;
// Leases before their fetch has ended, in multiples of the concurrency: tokens are claimed, and their URIs read, ahead.
const LEASES_SHARE = 8;
const INTERNAL_REASON = "internal_error: the document could not be recorded; the operator's log says why";

/** What a fetch says about its host's capacity; undefined if nothing. Anybody may name any number of tokens that fail. */
export function signalFrom(
  { isUnproven }: Pick<Lease, "isUnproven">,
  resolution: Resolution,
): HostSignal | undefined {
  if (resolution.kind !== "failed") return "answered";
  // Not even as answers: those that come late lower the limit.
  if (isUnproven) return undefined;
  const signal = signalOf(resolution.host, resolution);
  return signal ?? (resolution.transient ? undefined : "answered");
}

/** One lease's share of its hosts. */
interface HostUse {
  /** To be called once the document is fetched, or won't be. */
  readonly expected: (() => void)[];
  turn?: HostTurn | undefined;
  /** For a second gateway, asked beside the first one. */
  readonly besides: HostTurn[];
}

function arrive({ expected, besides }: HostUse): void {
  for (const end of expected.splice(0)) end();
  for (const turn of besides.splice(0)) turn.leave();
}

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
  const hosts = createHostConcurrency(database, concurrency, (priority) => recorder.hasSpace(priority));
  const worker = randomUUID();
  let fetching = 0;
  const recorder = createRecorder({
    ...deps,
    answeredLately: hosts.answeredLately,
    isMoreComing: () => fetching > 0,
    onSpace: hosts.retryWaiting,
  });
  let hostsReadAt = Number.NEGATIVE_INFINITY;

  async function claimDue(free: number): Promise<Lease[]> {
    if (performance.now() - hostsReadAt > HOSTS_EVERY_MS) {
      hostsReadAt = performance.now();
      await enqueueProbes(database);
      hosts.shareWith(await countWorkers(database, worker));
    }
    return claim(database, tables, { chainIds, worker, ...hosts.quota() }, free);
  }

  async function run(lease: Lease, { signal, freePlace }: LeaseRun): Promise<void> {
    const use: HostUse = { expected: lease.host === "" ? [] : [hosts.expect(lease.host)], besides: [] };
    try {
      fetching++;
      const resolution = await resolve(lease, use, signal).finally(() => fetching--);
      arrive(use);
      freePlace();
      // Released to wait for its host, which was busy or paused.
      if (signal.aborted || resolution === undefined) return;
      const hostSignal = signalFrom(lease, resolution);
      if (hostSignal) use.turn?.ended(hostSignal);
      const isFault = hostSignal !== undefined && hostSignal !== "answered";
      const isAnswering = resolution.host !== undefined && hosts.answeredLately(resolution.host) > 0;
      // Requests that wait for a host that may be down learn of it first.
      if (!isFault || isAnswering) use.turn?.leave();
      const isLoad = isAnswering && isFault && hostSignal !== "failed";
      const recording = () => recorder.record({ lease, resolution, isLoad });
      if ((await inSpan("record", () => ({}), recording)) === "lost") throw new LeaseLost();
      if (isFault) hosts.forgetPaused();
    } finally {
      arrive(use);
      use.turn?.leave();
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

  /** Undefined for a token that was released to wait for its host. */
  async function resolve(lease: Lease, use: HostUse, signal: AbortSignal): Promise<Resolution | undefined> {
    if (lease.burnedBlock !== undefined) return unread("burned", burnedIn(lease.burnedBlock), false);
    let block: number;
    try {
      block = await readBlock(lease.chainId, lease.minBlock);
    } catch (error) {
      const message = `the chain's head can't be read (${(error as Error).name})`;
      return unread("rpc_unavailable", message, true);
    }
    let isReleased = false;
    const admit = async (host: string, beside?: AbortSignal): Promise<boolean> => {
      if (beside) return admitBeside(lease, use, host, beside);
      const isClaimed = host === lease.host;
      if (!isClaimed) use.expected.push(hosts.expect(host));
      use.turn = await hosts.enter(host, { priority: lease.priority, isClaimed, signal });
      if (use.turn) return true;
      if (!signal.aborted && !(await awaitHost(database, lease, host))) throw new LeaseLost();
      isReleased = true;
      return false;
    };
    const resolution = await inSpan(
      "resolve",
      () => ({}),
      async (span) => {
        const { standard, known } = lease;
        const found = await metadata.resolve(lease, standard, block, { signal, admit, known });
        span?.setAttribute("refresh.outcome", found.kind === "failed" ? found.reason : found.kind);
        return found;
      },
    );
    return isReleased ? undefined : resolution;
  }

  /** A second request takes a turn of its own, and none while the host has no turn free. */
  async function admitBeside(
    lease: Lease,
    use: HostUse,
    host: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    // One for a gateway that has failed since serves for the next one.
    if (use.besides.length > 0) return true;
    const turn = await hosts.enter(host, { priority: lease.priority, isClaimed: true, signal });
    if (signal.aborted) turn?.leave();
    else if (turn) use.besides.push(turn);
    return !signal.aborted && turn !== undefined;
  }

  return startLeaseWorker({
    work: "refresh",
    concurrency: LEASES_SHARE * concurrency,
    finishingMax: RECORDING_MAX,
    // A burst would end with a claim for each batch that is recorded, while both cores are busy.
    gathersWhenEmpty: true,
    pollMs: IDLE_POLL_MS,
    busyPollMs: BUSY_POLL_MS,
    renewMs: RENEW_MS,
    logger,
    claim: claimDue,
    nextDueMs: () => nextDueMs(database, { chainIds }),
    renew: (leases) => renew(database, leases),
    release: (leases) => release(database, leases),
    returnExpired: () => returnExpired(database),
    run: (lease, given) => inProcessSpan(lease, () => run(lease, given)),
    onFault: giveUp,
    describe(lease) {
      const request_id = requestIdsOf(lease);
      return {
        collection: lease.collection,
        token_id: lease.tokenId,
        ...(request_id !== undefined && { request_id }),
      };
    },
  });
}
