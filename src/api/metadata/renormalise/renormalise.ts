/**
 * Reads stored documents again by this release's rules, without a fetch. A different result is served as a new version,
 * as if fetched. Any process may run a batch, one at a time; each batch is one transaction, so a crash loses at most
 * the current batch.
 */

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { tokenKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { isDatabaseAway } from "../../db/database-away.ts";
import { takeTurn } from "../../db/turn.ts";
import { substituteId } from "../../fetch/locate.ts";
import type { Logger } from "../../logging/logger.ts";
import { ISSUES_MAX, type Issue } from "../document/issues.ts";
import type { Metadata } from "../document/normalise.ts";
import { bytePages } from "../records/byte-pages.ts";
import { type FetchEnd, RENORMALISE, recordFetches } from "../records/record.ts";
import { lockServed } from "../records/record-store.ts";
import { type Document, readDocument } from "../uri/resolve.ts";
import {
  COUNT_MS,
  countStale,
  finishPass,
  lateIds,
  markRead,
  noteProgress,
  type RenormaliseState,
  readBodies,
  readResults,
  readState,
  readStored,
  requestPass,
  type StoredReading,
  type StoredResult,
  staleIds,
  startPass,
  type Tally,
} from "./renormalise-store.ts";

// A batch blocks fetches of the same tokens.
const BATCH_TOKENS = 100;
// Most versions are old history, which is only skipped.
const PAGE_VERSIONS = 1_000;
const FAILED_MAX = 10_000;

/** `moved`: more may be left; `idle`: nothing is; `busy`: another process has the turn. */
export type Advance = "moved" | "idle" | "busy";

export interface RenormaliserDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  /** Receives documents that are newly served. */
  readonly media: { noteSeen(tx: Queryable, documents: readonly Metadata[]): Promise<void> };
  readonly logger: Logger;
}

export function createRenormaliser(deps: RenormaliserDeps) {
  const { database, logger } = deps;
  // After a failed batch, go token by token until the faulty one is skipped.
  let alone = 0;
  // Versions that could not be recorded; another process, or the next pass, tries them again.
  const failed = new LRUCache<string, true>({ max: FAILED_MAX });

  return {
    /** Undefined before the first pass of any process. */
    progress: (): Promise<RenormaliseState | undefined> => readState(database),

    /** Restarts the job if it is finished; otherwise it continues. `note` runs in the same transaction. */
    request: (note: (tx: Queryable) => Promise<void>): Promise<RenormaliseState | undefined> =>
      database.transaction(async (tx) => {
        await requestPass(tx);
        await note(tx);
        return readState(tx);
      }),

    /** Runs one batch. Skips a document that can't be recorded; rejects while the database is unavailable. */
    async advance(): Promise<Advance> {
      let stored: StoredReading | undefined;
      try {
        const limit = alone > 0 ? 1 : BATCH_TOKENS;
        const isToBeCounted = (await readState(database))?.total === null;
        const end = await database.transaction(
          (tx) => advanceIn(tx, deps, limit, failed, (first) => (stored = first)),
          "byKey",
          isToBeCounted ? COUNT_MS : undefined,
        );
        if (alone > 0) alone--;
        return end;
      } catch (error) {
        if (isDatabaseAway(error) || !stored) throw error;
        if (alone > 0) {
          await pass(stored);
          const token = tokenKey(stored);
          logger.error({ msg: "A stored document could not be recorded again", token, error });
        }
        alone = BATCH_TOKENS;
        return "moved";
      }
    },
  };

  function pass({ versionId }: StoredReading): Promise<void> {
    failed.set(versionId, true);
    return database.transaction(async (tx) => {
      if (!(await takeTurn(tx, "renormalise"))) return;
      const state = await readState(tx);
      if (state && BigInt(state.cursor) < BigInt(versionId))
        await noteProgress(tx, state, versionId, { ...emptyTally, done: 1, failed: 1 });
    });
  }
}

export type Renormaliser = ReturnType<typeof createRenormaliser>;

const emptyTally: Tally = { done: 0, changed: 0, rejected: 0, missing: 0, failed: 0 };

async function advanceIn(
  tx: Queryable,
  { tables, media }: RenormaliserDeps,
  limit: number,
  failed: { has(versionId: string): boolean },
  onFirst: (stored: StoredReading) => void,
): Promise<Advance> {
  if (!(await takeTurn(tx, "renormalise"))) return "busy";
  const state = await readState(tx);
  if (!state) {
    await startPass(tx);
    return "moved";
  }
  if (state.total === null) {
    await countStale(tx);
    return "moved";
  }
  const ahead = await staleIds(tx, state.cursor, PAGE_VERSIONS);
  const ids =
    ahead.length > 0 ? ahead : (await lateIds(tx, tables, state.cursor)).filter((id) => !failed.has(id));
  const lastId = ids.at(-1);
  if (lastId === undefined) {
    await finishPass(tx, state);
    return "idle";
  }
  const served = await readStored(tx, tables, ids, limit);
  const [batch = []] = bytePages(served, ({ bytes }) => bytes ?? 0);
  if (batch[0]) onFirst(batch[0]);
  const tally = await readAgain(tx, tables, media, batch);
  const isWholePage = batch.length === served.length && served.length < limit;
  await noteProgress(tx, state, isWholePage ? lastId : (batch.at(-1)?.versionId ?? lastId), tally);
  return "moved";
}

async function readAgain(
  tx: Queryable,
  tables: ChainTables,
  media: RenormaliserDeps["media"],
  batch: readonly StoredReading[],
): Promise<Tally> {
  const withBody = batch.filter(({ bytes }) => bytes !== null);
  const [bodies, results] = await Promise.all([
    readBodies(tx, [...new Set(withBody.map(({ hash }) => hash))]),
    readResults(
      tx,
      withBody.map(({ versionId }) => versionId),
    ),
  ]);
  const readings: {
    readonly stored: StoredReading;
    readonly before: StoredResult;
    readonly end: FetchEnd;
  }[] = [];
  for (const stored of withBody) {
    const body = bodies.get(stored.hash);
    const before = results.get(stored.versionId);
    if (body && before) readings.push({ stored, before, end: readOne(stored, before, body) });
    await yieldToEventLoop();
  }
  // Lock the rows only now: reading takes time. Whatever a fetch has replaced meanwhile is newer.
  const locked = await lockServed(tx, tables, batch);
  const isServed = (stored: StoredReading): boolean =>
    locked.get(tokenKey(stored))?.versionId === stored.versionId;
  const current = readings.filter(({ stored }) => isServed(stored));
  // Nothing replaces what a burned token serves. The fetch after another mint reads it by the new rules.
  const open = current.filter(({ stored }) => locked.get(tokenKey(stored))?.burnedBlock === null);
  const different = open
    .filter(({ stored, before, end }) => !isSame(stored, before, end))
    .map(({ end }) => end);
  const outcomes = different.length === 0 ? [] : await recordFetches(tx, tables, different);
  const updated = different.filter((_end, index) => outcomes[index]?.status === "updated");
  const shown = updated.filter(({ token }) => !locked.get(tokenKey(token))?.isUnseen);
  await media.noteSeen(tx, shown.flatMap(metadataOf));
  await markRead(
    tx,
    open.map(({ stored }) => stored.versionId),
  );
  const missing = batch.filter((stored) => isServed(stored) && !bodies.has(stored.hash)).length;
  return {
    ...emptyTally,
    done: current.length + missing,
    changed: updated.length,
    rejected: different.length - updated.length,
    missing,
  };
}

const metadataOf = ({ resolution }: FetchEnd): Metadata[] =>
  resolution.kind === "document" ? [resolution.document.metadata] : [];

function readOne(stored: StoredReading, before: StoredResult, body: Buffer): FetchEnd {
  const startedAt = performance.now();
  const read = readDocument(body, filledId(stored, before));
  const { chainId, collection, tokenId, uri, block, verified } = stored;
  const answer = read.kind === "document" ? { ...read, document: { ...read.document, verified } } : read;
  return {
    token: { chainId, collection, tokenId },
    trigger: RENORMALISE,
    // Nothing of it is lost. If it still counted as complete, later documents like it could never replace it.
    accept: read.kind === "document" && JSON.stringify(read.document.metadata) === before.metadata,
    resolution: { ...answer, uri, block, durationMs: Math.round(performance.now() - startedAt) },
  };
}

/**
 * The value the fetch substituted for `{id}`; empty for an ERC-721 token. Derived from the stored metadata if the chain
 * index lacks the token.
 */
function filledId({ standard, tokenId }: StoredReading, { metadata }: StoredResult): string {
  const isFilled = standard ? standard === "erc1155" : metadata.includes(substituteId("{id}", tokenId));
  return isFilled ? tokenId : "";
}

function isSame(stored: StoredReading, before: StoredResult, { resolution }: FetchEnd): boolean {
  if (resolution.kind !== "document") return false;
  const { metadata, issues, complete }: Document = resolution.document;
  return (
    before.metadata === JSON.stringify(metadata) &&
    stored.complete === complete &&
    comparable(JSON.parse(before.issues)) === comparable(issues)
  );
}

/** Excludes conflicts, which come from the collection, and the last issue of a full list, which counts them. */
const comparable = (issues: readonly Issue[]): string =>
  JSON.stringify(issues.filter(({ code }) => code !== "display_type_conflict").slice(0, ISSUES_MAX - 1));
