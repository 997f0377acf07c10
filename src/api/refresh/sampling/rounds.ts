/**
 * One round: reads the URIs of some tokens together and compares them with the URIs that were read before. If they are
 * the same, requests some documents through the queue. A change without an event starts a sweep.
 */

import { UINT256_MAX } from "../../../domain/token-ref.ts";
import { withTimeout } from "../../async/timeout.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database, Queryable } from "../../db/database.ts";
import type { Logger } from "../../logging/logger.ts";
import type { SampledCollection, SampledToken } from "../../metadata/records/sample-store.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { ReadUri } from "../../metadata/uri/read-uri.ts";
import { enqueue } from "../queue/queue.ts";
import { addSweep } from "../triggers/new-sweeps.ts";
import { isBeingSwept } from "../triggers/sweep-store.ts";
import { hasNewTriggers } from "../triggers/trigger-store.ts";
import { noSamplingMetrics, type Sampled, type SamplingMetrics } from "./metrics.ts";
import {
  DOCUMENTS_FIRST,
  DOCUMENTS_FURTHER,
  DOCUMENTS_MAX,
  isUriSweepDue,
  nextStep,
  spread,
  URIS_MAX,
} from "./rules.ts";
import {
  awaitDocuments,
  type DueRound,
  endRound,
  findUnavailable,
  lockOpenRound,
  lockRound,
  noteUris,
  rescheduleRound,
} from "./store.ts";

const READ_MS = 30_000;
const POSTPONED_SECONDS_MAX = 600;
// A round that failed is retried after this share of the interval between rounds.
const POSTPONED_SHARE = 1 / 10;

export interface RoundDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly metadata: MetadataService;
  readonly readUri: ReadUri;
  /** Seconds between two rounds of a collection. */
  readonly seconds: number;
  readonly metrics?: SamplingMetrics | undefined;
  readonly logger: Logger;
}

interface ReadToken extends SampledToken {
  readonly hasChanged: boolean;
  /** The document may have changed even if its URI is the same. */
  readonly mayChange: boolean;
}

/** The outcome of starting a round: `lost` to another process, or still `waits` for documents. */
export type Begun = "changed" | "unchanged" | "postponed" | "node_away" | "lost" | "waits";

export function createRounds(deps: RoundDeps) {
  const { database, tables, metadata, readUri, seconds, metrics = noSamplingMetrics, logger } = deps;
  const { samples } = metadata;
  const delaySeconds = Math.min(seconds * POSTPONED_SHARE, POSTPONED_SECONDS_MAX);

  /** A refresh already in progress for another reason reports the change itself. */
  const isBusy = async (db: Queryable, { chainId, collection }: SampledCollection): Promise<boolean> =>
    (await isBeingSwept(db, chainId, collection)) || (await hasNewTriggers(db, tables, chainId, collection));

  /** Undefined if the node is unreachable, answers for no token, or the signal was aborted first. */
  async function readTogether(
    round: SampledCollection,
    tokens: readonly SampledToken[],
    block: number,
    signal: AbortSignal,
  ): Promise<readonly ReadToken[] | undefined> {
    const reading = Promise.all(
      tokens.map(({ tokenId, standard }) => readUri({ ...round, tokenId }, standard, block)),
    );
    const reads = await withTimeout(READ_MS, reading, { signal });
    if (!reads || reads.some((read) => read.kind === "unavailable" && !read.answered)) return undefined;
    if (tokens.length > 0 && reads.every((read) => read.kind === "unavailable")) return undefined;
    return tokens.flatMap((token, index) => {
      const read = reads[index];
      // A contract that reverts for a moment says nothing about what is served.
      if (read?.kind !== "read") return [];
      const { tokenId, servedUri, lastUri } = token;
      const isUri = (uri: string): boolean => samples.isUriOfVersion(read, tokenId, uri);
      // A URI that was tried already, without a better result, is no change.
      const hasChanged = !isUri(servedUri) && !isUri(lastUri);
      const mayChange = !hasChanged && !(isUri(servedUri) && samples.isContentAddressed(servedUri));
      return { ...token, hasChanged, mayChange };
    });
  }

  /** Requests samples; tokens that can't be requested now are left out. */
  async function enqueueSamples(
    tx: Queryable,
    { chainId, collection }: SampledCollection,
    tokenIds: readonly string[],
    block: number,
  ): Promise<ReadonlyMap<string, string>> {
    const { queued, paused } = await findUnavailable(tx, { chainId, collection }, tokenIds);
    const free = tokenIds.filter((tokenId) => !queued.has(tokenId) && !paused.has(tokenId));
    if (free.length === 0) return new Map();
    const tokens = new Map(free.map((tokenId) => [tokenId, block]));
    return enqueue(tx, { chainId, collection, tokens, trigger: "sample" });
  }

  async function sweep(tx: Queryable, { chainId, collection }: SampledCollection, block: number) {
    const range = { from: "0", to: UINT256_MAX.toString() };
    await addSweep(tx, { chainId, collection, ...range, block, skipRead: false, isBySample: true });
  }

  function recordSilentSweep(
    round: SampledCollection,
    what: Sampled,
    sampled: number,
    changed: number,
  ): void {
    metrics.sweep(what);
    logger.info({
      msg: "Sweeping a collection that changed without an event",
      chain_id: round.chainId,
      collection: round.collection,
      changed: what === "uri" ? "token URIs" : "documents",
      sampled_tokens: sampled,
      changed_tokens: changed,
    });
  }

  /** Starts a round at the block that the index has reached. */
  async function begin(round: DueRound, block: number, signal: AbortSignal): Promise<Begun> {
    if (await isBusy(database, round)) {
      await rescheduleRound(database, round, delaySeconds);
      return "postponed";
    }
    const chosen = await samples.choose(database, round, round.position, URIS_MAX);
    const tokens = await samples.read(database, round, chosen.tokenIds, block);
    const read = await readTogether(round, tokens, block, signal);
    if (!read) {
      await rescheduleRound(database, round, delaySeconds);
      return "node_away";
    }
    metrics.tokens("uri", read.length);

    const position = chosen.next;
    const turn = Math.floor(round.position.laps / chosen.lapsForAll);
    const { end, report } = await database.transaction(async (tx) => {
      if (!(await lockRound(tx, round))) return { end: "lost" as const };
      if (await isBusy(tx, round)) {
        await rescheduleRound(tx, round, delaySeconds);
        return { end: "postponed" as const };
      }
      const { queued } = await findUnavailable(tx, round, chosen.tokenIds);
      const changed = read.filter(({ tokenId, hasChanged }) => hasChanged && !queued.has(tokenId));
      const isSweepStarted = changed.length > 0 && isUriSweepDue(round.changedInARow, round.isDayOver);
      if (changed.length > 0) {
        if (isSweepStarted) await sweep(tx, round, block);
        else
          await enqueueSamples(
            tx,
            round,
            spread(changed, DOCUMENTS_MAX, turn).map(({ tokenId }) => tokenId),
            block,
          );
      }
      const findings = { position, hasChanged: changed.length > 0, isSweepStarted };
      await noteUris(tx, round, findings, seconds);
      const report = { changed: changed.length, isSweepStarted };
      if (changed.length > 0) return { end: "changed" as const, report };
      return { end: await enqueueFirst(tx, round, read, turn, block), report };
    });
    if (report) metrics.changes("uri", report.changed);
    if (report?.isSweepStarted) recordSilentSweep(round, "uri", read.length, report.changed);
    return end;
  }

  async function enqueueFirst(
    tx: Queryable,
    { chainId, collection }: DueRound,
    read: readonly ReadToken[],
    turn: number,
    block: number,
  ): Promise<"unchanged" | "postponed" | "waits"> {
    // Without its lease, which ended when the URIs were noted.
    const round = { chainId, collection };
    const candidates = read.filter(({ mayChange }) => mayChange).map(({ tokenId }) => tokenId);
    const { queued, paused } = await findUnavailable(tx, round, candidates);
    const free = candidates.filter((tokenId) => !queued.has(tokenId) && !paused.has(tokenId));
    if (free.length === 0) {
      if (paused.size === 0) return "unchanged";
      await rescheduleRound(tx, round, delaySeconds);
      return "postponed";
    }
    const first = spread(free, DOCUMENTS_FIRST, turn);
    const others = free.filter((tokenId) => !first.includes(tokenId));
    const marks = await enqueueSamples(tx, round, first, block);
    await awaitDocuments(tx, round, { block, marks, further: spread(others, DOCUMENTS_FURTHER, turn) });
    return "waits";
  }

  /** Continues a round whose documents have arrived; does nothing if they have not, or another process works on it. */
  async function settle(open: SampledCollection): Promise<void> {
    const settled = await database.transaction(async (tx) => {
      const round = await lockOpenRound(tx, open);
      if (!round?.isOver) return undefined;
      const { tokens, further, block, isSweepDue } = round;
      const { read, changed } = await samples.readOutcome(tx, round, tokens, round.askedAt);
      const found = { asked: tokens.length, changed, read };
      const next = nextStep({ further: further?.length ?? null, read, changed, isSweepDue });
      if (next === "postpone") {
        await rescheduleRound(tx, round, delaySeconds);
        return { ...found, end: "postponed" as const, isSweepStarted: false };
      }
      if (next === "further") {
        const marks = await enqueueSamples(tx, round, further ?? [], block);
        await awaitDocuments(tx, round, { block, marks, further: null });
        return { ...found, end: "waits" as const, isSweepStarted: false };
      }
      const isSweepStarted = next === "sweep" && !(await isBusy(tx, round));
      if (isSweepStarted) await sweep(tx, round, block);
      await endRound(tx, round, isSweepStarted);
      const isUnchanged = changed === 0 && further !== null;
      return { ...found, end: isUnchanged ? ("unchanged" as const) : ("changed" as const), isSweepStarted };
    });
    if (!settled) return;
    metrics.tokens("document", settled.read);
    metrics.changes("document", settled.changed);
    if (settled.end !== "waits") metrics.round(settled.end);
    if (settled.isSweepStarted) recordSilentSweep(open, "document", settled.read, settled.changed);
  }

  return {
    /** How long a failed round waits. */
    postponedSeconds: delaySeconds,

    /** Starts a round and reads its URIs at `block`. The signal is aborted when the process stops. */
    async begin(round: DueRound, block: number, signal: AbortSignal): Promise<Begun> {
      const end = await begin(round, block, signal);
      if (end === "changed" || end === "unchanged") metrics.round(end);
      if (end === "postponed" || end === "node_away") metrics.round("postponed");
      return end;
    },
    settle,
  };
}
