/** Exports of whole collections, each from one snapshot of the database. */

import type { CollectionConfig } from "../../../config.ts";
import { UINT256_MAX } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import type { Snapshot } from "../../db/snapshot.ts";
import type { Logger } from "../../http/logger.ts";
import type { MediaService } from "../../media/service.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { TradingService } from "../../trading/service.ts";
import type { Collections } from "../collections.ts";
import { requireIndexed } from "../holders/owners.ts";
import { copyOwners, readCopiedOwners, readHead } from "../holders/owners-store.ts";
import type { CatalogDeps } from "../service.ts";
import { viewFetch, viewIdentity, viewLock } from "../tokens/token-view.ts";
import { createRowWriter, type ExportFormat } from "./export-formats.ts";
import {
  type Column,
  columnsOfTokens,
  type ExportedToken,
  ownerColumns,
  TRAIT_COLUMNS_MAX,
} from "./export-rows.ts";
import { readIdsAfter } from "./export-store.ts";
import { openSpool } from "./spool.ts";

// A batch is one short transaction.
const BATCH_TOKENS = 500;
const BATCH_OWNERS = 5_000;
// A snapshot keeps PostgreSQL from vacuuming what has changed since.
const READ_MS_MAX = 30 * 60_000;
const STALL_MS = 60_000;

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

export interface OpenExport {
  /** Ends with an error if the export can't be completed. Cancelling it, or reading it to its end, frees everything. */
  readonly stream: ReadableStream<Uint8Array>;
  /** The newest block of the snapshot, or `atBlock`; null before the first. */
  readonly asOfBlock: number | null;
}

export interface ExportDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collections: Pick<Collections, "firstBlock">;
  readonly metadata: Pick<MetadataService, "readServed" | "readTraitNames">;
  readonly trading: Pick<TradingService, "readIndexed">;
  readonly media: Pick<MediaService, "readAll">;
  readonly findQueued: CatalogDeps["findQueued"];
  /** For unnamed temporary files. */
  readonly exportFolder: string;
  readonly exportStallMs?: number;
  readonly logger: Logger;
}

type Batches<Row> = AsyncIterable<readonly Row[]>;
const noMedia = { image: null, video: null, animation_url: null };

export function createExports(deps: ExportDeps) {
  const { database, tables, collections, metadata, trading, media, findQueued, logger } = deps;

  /** Listed tokens by id, each batch in one transaction of the snapshot. */
  async function* tokens(
    snapshot: Snapshot,
    collection: CollectionConfig,
    { after = "-1", from = "0", to = UINT256_MAX.toString() }: ExportQuery,
  ): Batches<ExportedToken> {
    const { chainId, address } = collection;
    const first = (BigInt(from) - 1n).toString();
    let last = BigInt(after) > BigInt(first) ? after : first;
    for (;;) {
      const range = { chainId, address, after: last, to };
      const { ids, rows } = await snapshot.read(async (tx) => {
        const ids = await readIdsAfter(tx, tables, range, BATCH_TOKENS);
        const indexed = await trading.readIndexed(tx, chainId, address, ids);
        const served = await metadata.readServed(tx, chainId, address, ids);
        const queued = await findQueued(chainId, address, ids, tx);
        const listed = ids.filter((tokenId) => indexed.get(tokenId)?.burned === false);
        const shown = await media.readAll(
          listed.map((tokenId) => served.get(tokenId)?.metadata ?? noMedia),
          tx,
        );
        const rows = listed.map((tokenId, index): ExportedToken => {
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
        return { ids, rows };
      });
      yield rows;
      const end = ids.at(-1);
      if (end === undefined || ids.length < BATCH_TOKENS) return;
      last = end;
    }
  }

  async function* owners(snapshot: Snapshot, after: string) {
    for (let last = after; ; ) {
      const rows = await snapshot.readTemporary((tx) => readCopiedOwners(tx, last, BATCH_OWNERS));
      yield rows;
      const end = rows.at(-1);
      if (end === undefined || rows.length < BATCH_OWNERS) return;
      last = end.owner;
    }
  }

  return {
    /**
     * Opens an export of one moment; it is read in the background into a temporary file, so a slow client holds neither
     * a connection nor a transaction. Rows are ordered by token id as a number, or by owner. `onEnd` is called once when
     * nothing is held any more; `onStall` when the client has taken nothing for a minute. Throws as owners do for
     * `atBlock`.
     */
    async open(
      collection: CollectionConfig,
      query: ExportQuery,
      { onEnd, onStall }: { readonly onEnd: () => void; readonly onStall: () => void },
    ): Promise<OpenExport> {
      const { chainId, address } = collection;
      const { format, what, atBlock, after = "" } = query;
      const snapshot = await database.snapshot();
      try {
        const head = await snapshot.read((tx) => readHead(tx, tables, collection));
        if (atBlock !== undefined) requireIndexed(atBlock, collections.firstBlock(chainId), head.block);
        const asOfBlock = atBlock ?? head.block;
        const opened = { stallMs: deps.exportStallMs ?? STALL_MS, onStall, onClose: onEnd };

        const start = async <Row>(columns: readonly Column<Row>[], batches: () => Batches<Row>) => {
          const spool = await openSpool(deps.exportFolder, opened);
          const write = async (): Promise<void> => {
            const deadline = Date.now() + READ_MS_MAX;
            const writer = createRowWriter(format, columns);
            await spool.write(writer.begin());
            for await (const rows of batches()) {
              if (Date.now() > deadline) throw new Error("the export took longer than 30 minutes to read");
              await spool.write(writer.rows(rows));
            }
            await spool.write(writer.end());
          };
          write()
            .then(
              () => undefined,
              (error: Error) => error,
            )
            .then(async (error) => {
              if (error)
                logger.warn({ msg: "An export ended early", collection: address, reason: error.message });
              await snapshot.close();
              await spool.end(error);
            })
            .catch((error: Error) => logger.error({ msg: "An export could not be closed", error }));
          return { stream: spool.stream, asOfBlock };
        };

        if (what === "owners") {
          const standard = head.standard ?? collection.standard ?? "erc721";
          const copied = { chainId, address, standard, block: atBlock, after };
          // Sums a whole collection: the database chooses its plan.
          await snapshot.read((tx) => copyOwners(tx, tables, copied), "plain");
          return await start(ownerColumns, () => owners(snapshot, after));
        }
        const names = await snapshot.read((tx) =>
          metadata.readTraitNames(tx, { chainId, collection: address }, TRAIT_COLUMNS_MAX + 1),
        );
        return await start(columnsOfTokens(names), () => tokens(snapshot, collection, query));
      } catch (error) {
        await snapshot.close();
        throw error;
      }
    },
  };
}

export type Exports = ReturnType<typeof createExports>;
