/** Records fetches in one transaction: the queue, the token's history, the receipts and the state of the host. */

import type { Queryable } from "../../db/database.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import { isHostFault } from "../../fetch/host-fault.ts";
import type { HostAnswer, NoteHost } from "../../jobs/hosts.ts";
import { backoffMs, type RetryPolicy, retryPolicies } from "../../jobs/retry-policies.ts";
import type { RecordedOutcome } from "../../metadata/records/decide.ts";
import type { MetadataService, Served } from "../../metadata/service.ts";
import type { Resolution } from "../../metadata/uri/resolve.ts";
import type { FetchReport } from "../metrics.ts";
import { rememberHosts } from "../queue/hosts.ts";
import { complete, type Lease, lockLeases, reschedule } from "../queue/leases.ts";
import type { EnqueueMedia } from "../triggers/seen-tokens.ts";
import { answerReceipts, readShown } from "./answer-receipts.ts";

export interface FetchedLease {
  readonly lease: Lease;
  readonly resolution: Resolution;
  /** The host only asked for fewer requests, and gets them: no failure of the host. */
  readonly isLoad?: boolean;
}

const noMedia: EnqueueMedia = {
  enqueue: async () => undefined,
  fateOf: () => ({ status: "none" }),
  readFiles: async () => new Map(),
};

export interface BatchDeps {
  readonly metadata: MetadataService;
  readonly media?: EnqueueMedia | undefined;
  readonly noteHost: NoteHost;
  /** How many good answers a host has given lately, including those of the batch. 0 by default. */
  readonly answeredLately?: (host: string) => number;
}

/**
 * A sample is not a request: if the host or the node could not be asked, a later round tries again, and the token is
 * not affected.
 */
const isMissedSample = ({ lease, resolution }: FetchedLease): boolean =>
  lease.trigger === "sample" && resolution.kind === "failed" && resolution.transient;

/** What was recorded of a batch. */
interface Recorded {
  readonly lost: ReadonlySet<Lease>;
  /** What metrics count of the others. */
  readonly reports: readonly FetchReport[];
  readonly statuses: readonly { readonly lease: Lease; readonly status: string }[];
}

/** Records all of them in this transaction, or none. Leases that were lost to another worker are left out. */
export async function recordBatch(
  tx: Queryable,
  { metadata, media = noMedia, ...hosts }: BatchDeps,
  batch: readonly FetchedLease[],
): Promise<Recorded> {
  const leases = batch.map(({ lease }) => lease);
  const names = new Set(batch.flatMap(({ resolution: { host } }) => host ?? []));
  const [holding, served] = await Promise.all([
    lockLeases(tx, leases, [...names]),
    metadata.lockServed(tx, leases),
  ]);
  const current = new Set(holding.current);
  const kept = batch.filter(({ lease }) => current.has(lease));
  const again = kept.filter(isRetried);
  const over = kept.filter((each) => !isRetried(each));
  const retried = await rescheduleAll(tx, metadata, again);
  const { awaited } = holding;
  const { ends, reports } = await endFetches(tx, { metadata, media, batch: over, awaited, served });
  await noteHosts(tx, hosts, kept, holding.faultyHosts);
  return {
    lost: new Set(leases.filter((lease) => !current.has(lease))),
    reports: [...retried, ...reports],
    statuses: [...again.map(({ lease }) => ({ lease, status: "retried" })), ...ends],
  };
}

async function rescheduleAll(
  tx: Queryable,
  metadata: MetadataService,
  batch: readonly FetchedLease[],
): Promise<FetchReport[]> {
  const attempts: FetchedLease[] = [];
  const reports: FetchReport[] = [];
  for (const each of batch) {
    const { lease, resolution } = each;
    if (resolution.kind !== "failed") continue;
    const delayMs = backoffMs(policyFor(resolution), lease.attempts, resolution.retryAfterMs);
    await reschedule(tx, lease, delayMs, `${explainFailure(resolution)}; trying again`);
    // There was no fetch, and a node may be unreachable for long.
    if (isNodeAway(resolution)) continue;
    attempts.push(each);
    reports.push({ status: "retried", reason: resolution.reason, durationMs: resolution.durationMs });
  }
  if (attempts.length > 0) await metadata.recordAttempts(tx, attempts.map(endOf));
  return reports;
}

/** An outcome that was recorded, and the fetch that it is of. */
interface RecordedEnd extends RecordedOutcome {
  readonly lease: Lease;
  readonly host: string | undefined;
  readonly durationMs: number;
}

type Ends = ReadonlyMap<Lease, RecordedEnd>;

/** Ends fetches that are not retried: what they found is recorded and answered, and their leases are completed. */
async function endFetches(
  tx: Queryable,
  {
    metadata,
    media,
    batch,
    awaited,
    served,
  }: {
    readonly metadata: MetadataService;
    readonly media: EnqueueMedia;
    readonly batch: readonly FetchedLease[];
    /** Those that receipts wait for. */
    readonly awaited: ReadonlySet<Lease>;
    /** What the tokens served before, locked. */
    readonly served: Served;
  },
): Promise<{ readonly ends: Recorded["statuses"]; readonly reports: readonly FetchReport[] }> {
  if (batch.length === 0) return { ends: [], reports: [] };
  const missed = batch.filter(isMissedSample);
  const recorded = batch.filter((each) => !isMissedSample(each));
  const shown = recorded.filter(({ lease }) => awaited.has(lease) && showsImages(lease));
  const shownBefore = await readShown(tx, metadata, media, shown, served);
  const outcomes = await metadata.recordAll(tx, recorded.map(endOf), served);
  const ends: Ends = new Map(
    recorded.flatMap(({ lease, resolution: { host, durationMs } }, index) => {
      const outcome = outcomes[index];
      return outcome ? [[lease, { lease, host, durationMs, ...outcome }] as const] : [];
    }),
  );
  const over = batch.map(({ lease }) => lease);
  await Promise.all([
    answer(tx, media, { recorded, ends, awaited, shownBefore }),
    complete(tx, over, (lease) => ends.get(lease) ?? { status: "failed" }),
  ]);
  return { ends: [...ends.values()], reports: [...ends.values(), ...missed.flatMap(missedReport)] };
}

/** Has the media of recorded documents probed, and answers the receipts that wait for them. */
async function answer(
  tx: Queryable,
  media: EnqueueMedia,
  {
    recorded,
    ends,
    awaited,
    shownBefore,
  }: {
    readonly recorded: readonly FetchedLease[];
    readonly ends: Ends;
    readonly awaited: ReadonlySet<Lease>;
    readonly shownBefore: Awaited<ReturnType<typeof readShown>>;
  },
): Promise<void> {
  const documents = servedDocuments(recorded, ends);
  const seen = documents.flatMap(({ isUnseen, metadata }) => (isUnseen ? [] : metadata));
  const answers = [...ends.values()].filter(({ lease }) => awaited.has(lease));
  const pictured = documents.filter(({ lease }) => showsImages(lease));
  await Promise.all([media.enqueue(tx, seen), answerReceipts(tx, media, answers, pictured, shownBefore)]);
}

/**
 * The documents whose media are probed. Includes unchanged ones, because the same URL may have new content. Samples ask
 * their hosts for little. Media of tokens without an indexed transfer are probed once the token is listed.
 */
const servedDocuments = (recorded: readonly FetchedLease[], ends: Ends) =>
  recorded.flatMap(({ lease, resolution }) => {
    const { status, isUnseen = false } = ends.get(lease) ?? {};
    const isServed = status === "updated" || (status === "unchanged" && lease.trigger !== "sample");
    if (!isServed || resolution.kind !== "document") return [];
    return [{ lease, isUnseen, metadata: resolution.document.metadata }];
  });

/** A sweep's receipt has numbers only. A fetch that any other request waits for has the trigger of that request. */
const showsImages = ({ trigger }: Lease): boolean => trigger !== "sweep";

function missedReport({ resolution }: FetchedLease): FetchReport[] {
  if (resolution.kind !== "failed" || isNodeAway(resolution)) return [];
  return [{ status: "retried", reason: resolution.reason, durationMs: resolution.durationMs }];
}

const endOf = ({ lease, resolution }: FetchedLease) => ({
  token: lease,
  trigger: lease.trigger,
  accept: lease.accept,
  resolution,
});

/**
 * Whether the token is retried. Nothing is known about it while the node is unreachable, so that fault never ends a
 * request.
 */
function isRetried({ lease, resolution }: FetchedLease): boolean {
  if (resolution.kind !== "failed" || !resolution.transient || lease.trigger === "sample") return false;
  return lease.attempts < policyFor(resolution).attempts;
}

const isNodeAway = (resolution: Resolution): boolean =>
  resolution.kind === "failed" && resolution.reason === "rpc_unavailable" && !resolution.nodeAnswered;

const policyFor = (resolution: Resolution): RetryPolicy =>
  isNodeAway(resolution) ? retryPolicies.nodeAway : retryPolicies.documentFetch;

/** Last, so that no transaction locks a host's row while it waits for a token's; always in the same order. */
async function noteHosts(
  tx: Queryable,
  { noteHost, answeredLately = () => 0 }: Pick<BatchDeps, "noteHost" | "answeredLately">,
  batch: readonly FetchedLease[],
  faultyHosts: ReadonlySet<string>,
): Promise<void> {
  const retried = batch.filter(isRetried);
  await rememberHosts(
    tx,
    retried.flatMap(({ lease, resolution: { host } }) =>
      host === undefined || host === lease.host ? [] : { lease, host },
    ),
  );
  const byHost = new Map<string, HostAnswer[]>();
  for (const each of batch) {
    const { host } = each.resolution;
    const answer = answerOf(each);
    if (host === undefined || !answer) continue;
    const answers = byHost.get(host);
    if (answers) answers.push(answer);
    else byHost.set(host, [answer]);
  }
  for (const [host, answers] of [...byHost].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!faultyHosts.has(host) && answers.every(({ kind }) => kind === "answered")) continue;
    const good = answers.filter(({ kind }) => kind === "answered").length;
    await noteHost(tx, host, answers, Math.max(0, Math.floor(answeredLately(host)) - good));
  }
}

/** What a fetch says about its host. */
function answerOf({ lease, resolution, isLoad = false }: FetchedLease): HostAnswer | undefined {
  const { host } = resolution;
  if (resolution.kind !== "failed" || !isHostFault(host, resolution.reason, resolution.transient))
    return { kind: "answered" };
  // Anybody may name any number of tokens whose documents fail.
  if (lease.isUnproven) return undefined;
  const { retryAfterMs, uri } = resolution;
  return { kind: "failed", reason: explainFailure(resolution), retryAfterMs, url: uri ?? "", isLoad };
}
