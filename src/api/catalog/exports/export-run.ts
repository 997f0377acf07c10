/** One export from its snapshot to its last byte: in a thread of its own, or in this one. */

import { write } from "node:fs";
import { promisify } from "node:util";
import type { CollectionConfig, Standard } from "../../../config.ts";
import { tokenKey, UINT256_MAX } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database, Queryable } from "../../db/database.ts";
import type { Snapshot } from "../../db/snapshot.ts";
import type { MediaService } from "../../media/service.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { TradingService } from "../../trading/service.ts";
import { countFitting } from "../fitting.ts";
import { requireIndexed } from "../holders/owners.ts";
import { copyOwners, readCopiedOwners, readHead } from "../holders/owners-store.ts";
import { viewFetch, viewIdentity, viewLock } from "../tokens/token-view.ts";
import { loadFormat } from "./export-formats.ts";
import {
  type Column,
  columnsOfTokens,
  type ExportedToken,
  ownerColumns,
  TRAIT_COLUMNS_MAX,
  TRAIT_NAME_CHARACTERS_MAX,
} from "./export-rows.ts";
import { readIdsAfter } from "./export-store.ts";
import type { ExportFormat } from "./format-names.ts";

// A batch is one short transaction, and in memory at once.
const BATCH_TOKENS = 500;
const BATCH_BYTES = 2_000_000;
const BATCH_OWNERS = 5_000;
// What a row takes beside its document.
const ROW_BYTES = 500;
// A snapshot keeps PostgreSQL from vacuuming what has changed since.
const READ_MS_MAX = 30 * 60_000;

export const exportSubjects = ["tokens", "owners"] as const;

export interface ExportQuery {
  readonly format: ExportFormat;
  readonly what: (typeof exportSubjects)[number];
  /** Only rows after this token id or owner. */
  readonly after?: string | undefined;
  /** Token ids, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Owners at the end of this block. */
  readonly atBlock?: number | undefined;
}

/** What an export is of, in a form that crosses threads. */
export interface ExportJob {
  readonly collection: CollectionConfig;
  readonly query: ExportQuery;
  /** The first indexed block of the chain. */
  readonly firstBlock: number;
  /** An open file, empty. */
  readonly fd: number;
}

export interface ExportReads {
  readonly database: Pick<Database, "snapshot">;
  readonly tables: ChainTables;
  readonly metadata: Pick<MetadataService, "readServed" | "readServedBytes" | "readTraitNames">;
  readonly trading: Pick<TradingService, "readIndexed">;
  readonly media: Pick<MediaService, "readAll">;
  /** The tokens among these with a queued fetch. */
  readonly findQueued: (
    chainId: number,
    collection: string,
    tokenIds: readonly string[],
    db?: Queryable,
  ) => Promise<ReadonlySet<string>>;
}

/** Hears how an export goes on. */
export interface ExportProgress {
  /** It can be done: nothing in the request is wrong. Called once, with the block it is of. */
  onOpen(asOfBlock: number | null): void;
  /** The file has so many bytes. */
  onWritten(bytes: number): void;
}

interface Batch<Row> {
  readonly rows: readonly Row[];
  /** About how much memory they take. */
  readonly bytes: number;
}
type Batches<Row> = AsyncIterable<Batch<Row>>;
const noMedia = { image: null, video: null, animation_url: null };
const writeAt = promisify(write);

/** Listed tokens by id, each batch in one transaction of the snapshot. */
async function* readTokens(
  { tables, metadata, trading, media, findQueued }: ExportReads,
  snapshot: Snapshot,
  collection: CollectionConfig,
  { after = "-1", from = "0", to = UINT256_MAX.toString() }: ExportQuery,
): Batches<ExportedToken> {
  const { chainId, address } = collection;
  const readRows = async (tx: Queryable, ids: readonly string[]): Promise<ExportedToken[]> => {
    const indexed = await trading.readIndexed(tx, chainId, address, ids);
    const served = await metadata.readServed(tx, chainId, address, ids);
    const queued = await findQueued(chainId, address, ids, tx);
    const listed = ids.filter((tokenId) => indexed.get(tokenId)?.burned === false);
    const shown = await media.readAll(
      listed.map((tokenId) => served.get(tokenId)?.metadata ?? noMedia),
      tx,
    );
    return listed.map((tokenId, index): ExportedToken => {
      const known = {
        collection,
        tokenId,
        chain: indexed.get(tokenId),
        served: served.get(tokenId),
        isQueued: queued.has(tokenId),
      };
      const { burned: _, ...identity } = viewIdentity(known);
      const { status = "none", url = null, reason = null } = shown[index]?.image ?? {};
      return {
        ...identity,
        image: { status, url, reason },
        traits: (known.served?.metadata?.traits ?? []).map(
          ({ trait_type, display_type, value, max_value = null }) => ({
            trait_type,
            display_type,
            value,
            max_value,
          }),
        ),
        lock: viewLock(known.chain),
        metadata: viewFetch(known),
      };
    });
  };
  const first = (BigInt(from) - 1n).toString();
  for (let last = BigInt(after) > BigInt(first) ? after : first; ; ) {
    const range = { chainId, address, after: last, to };
    const read = await snapshot.read(async (tx) => {
      const ids = await readIdsAfter(tx, tables, range, BATCH_TOKENS);
      const refs = ids.map((tokenId) => ({ chainId, collection: address, tokenId }));
      const sizes = await metadata.readServedBytes(tx, refs);
      const { count, bytes } = countFitting(
        refs.map((ref) => ROW_BYTES + (sizes.get(tokenKey(ref)) ?? 0)),
        BATCH_BYTES,
      );
      const fitting = ids.slice(0, count);
      const isLast = count === ids.length && ids.length < BATCH_TOKENS;
      return { end: fitting.at(-1), isLast, rows: await readRows(tx, fitting), bytes };
    });
    yield read;
    if (read.end === undefined || read.isLast) return;
    last = read.end;
  }
}

async function* readOwners(snapshot: Snapshot, after: string) {
  for (let last = after; ; ) {
    const rows = await snapshot.readTemporary((tx) => readCopiedOwners(tx, last, BATCH_OWNERS));
    yield { rows, bytes: rows.length * ROW_BYTES };
    const end = rows.at(-1);
    if (end === undefined || rows.length < BATCH_OWNERS) return;
    last = end.owner;
  }
}

/** The block that an export is of, and the collection's standard by its transfers. Throws as owners do for `atBlock`. */
export async function readMoment(
  db: Queryable,
  tables: ChainTables,
  { collection, query: { atBlock }, firstBlock }: Pick<ExportJob, "collection" | "query" | "firstBlock">,
): Promise<{ readonly asOfBlock: number | null; readonly standard: Standard | null }> {
  const { block, standard } = await readHead(db, tables, collection);
  if (atBlock !== undefined) requireIndexed(atBlock, firstBlock, block);
  return { asOfBlock: atBlock ?? block, standard };
}

/**
 * Writes a whole export into `fd`, from one snapshot of the database, in batches of at most 500 tokens and two megabytes
 * of documents. Rejects if it can't be opened or completed, with owners' errors for `atBlock`, and soon after `left`
 * aborts. Holds nothing when it settles.
 */
export async function runExport(
  reads: ExportReads,
  { collection, query, firstBlock, fd }: ExportJob,
  { onOpen, onWritten }: ExportProgress,
  left: AbortSignal,
): Promise<void> {
  const { tables, metadata } = reads;
  const { chainId, address } = collection;
  const { format, what, atBlock, after = "" } = query;
  const createWriter = await loadFormat(format);
  let written = 0;
  const append = async (bytes: Uint8Array): Promise<void> => {
    if (left.aborted) throw new Error("the client is gone");
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await writeAt(fd, bytes, from, bytes.length - from, written);
      from += bytesWritten;
      written += bytesWritten;
    }
    onWritten(written);
  };
  const writeAll = async <Row>(columns: readonly Column<Row>[], batches: Batches<Row>): Promise<void> => {
    const deadline = performance.now() + READ_MS_MAX;
    const writer = createWriter(columns);
    await append(writer.begin());
    for await (const { rows, bytes } of batches) {
      if (performance.now() > deadline) throw new Error("the export took longer than 30 minutes to read");
      await append(writer.rows(rows, bytes));
    }
    await append(writer.end());
  };

  const snapshot = await reads.database.snapshot();
  try {
    const { asOfBlock, ...head } = await snapshot.read((tx) =>
      readMoment(tx, tables, { collection, query, firstBlock }),
    );
    if (what === "owners") {
      const standard = head.standard ?? collection.standard ?? "erc721";
      const copied = { chainId, address, standard, block: atBlock, after };
      // Sums a whole collection: the database chooses its plan.
      await snapshot.read((tx) => copyOwners(tx, tables, copied), "plain");
      onOpen(asOfBlock);
      return await writeAll(ownerColumns, readOwners(snapshot, after));
    }
    const asked = { limit: TRAIT_COLUMNS_MAX + 1, characters: TRAIT_NAME_CHARACTERS_MAX + 1 };
    // NDJSON has no columns.
    const names =
      format === "ndjson"
        ? []
        : await snapshot.read((tx) => metadata.readTraitNames(tx, { chainId, collection: address }, asked));
    onOpen(asOfBlock);
    await writeAll(columnsOfTokens(names), readTokens(reads, snapshot, collection, query));
  } finally {
    await snapshot.close();
  }
}
