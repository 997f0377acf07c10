/** Exports of whole collections, each from one snapshot of the database. */

import type { CollectionConfig } from "../../../config.ts";
import type { Database } from "../../db/database.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Collections } from "../collections.ts";
import {
  type ExportProgress,
  type ExportQuery,
  type ExportReads,
  readMoment,
  runExport,
} from "./export-run.ts";
import type { ExportSettings } from "./export-thread.ts";
import { runInThread } from "./run-in-thread.ts";
import { openSpool } from "./spool.ts";

const STALL_MS = 60_000;

export interface OpenExport {
  /** Ends with an error if the export can't be completed. Cancelling it, or reading it to its end, frees everything. */
  readonly stream: ReadableStream<Uint8Array>;
  /** The newest block of the snapshot, or `atBlock`; null before the first. */
  readonly asOfBlock: number | null;
}

export interface ExportDeps extends ExportReads {
  readonly database: Pick<Database, "query" | "snapshot">;
  readonly collections: Pick<Collections, "firstBlock">;
  /** For unnamed temporary files. */
  readonly exportFolder: string;
  /** Of a thread for each export; without it, exports run in this one. */
  readonly exportSettings?: ExportSettings | undefined;
  readonly exportStallMs?: number;
  readonly logger: Logger;
}

export function createExports(deps: ExportDeps) {
  const { collections, exportFolder, exportSettings, exportStallMs = STALL_MS, logger } = deps;

  return {
    /** The block that an export would be of now. Throws as `open` does for `atBlock`. */
    async findBlock(collection: CollectionConfig, query: ExportQuery): Promise<number | null> {
      const firstBlock = collections.firstBlock(collection.chainId);
      const { asOfBlock } = await readMoment(deps.database, deps.tables, { collection, query, firstBlock });
      return asOfBlock;
    },

    /**
     * Opens an export of one moment; it is read in the background into a temporary file, so a slow client holds neither
     * a connection nor a transaction. Rows are ordered by token id as a number, or by owner. `onEnd` is called once when
     * nothing is held any more; `onStall` when the client has taken nothing for a minute. Throws as owners do for
     * `atBlock`, and then calls neither.
     */
    async open(
      collection: CollectionConfig,
      query: ExportQuery,
      { onEnd, onStall }: { readonly onEnd: () => void; readonly onStall: () => void },
    ): Promise<OpenExport> {
      let isOpen = false;
      const spool = await openSpool(exportFolder, {
        stallMs: exportStallMs,
        onStall,
        onClose: () => isOpen && onEnd(),
      });
      const job = { collection, query, firstBlock: collections.firstBlock(collection.chainId), fd: spool.fd };
      const run = (progress: ExportProgress): Promise<void> =>
        exportSettings
          ? runInThread(exportSettings, job, progress, spool.left)
          : runExport(deps, job, progress, spool.left);
      const asOfBlock = await new Promise<number | null>((resolve, reject) => {
        const onOpen = (block: number | null): void => {
          isOpen = true;
          resolve(block);
        };
        run({ onOpen, onWritten: spool.grow })
          .then(
            () => undefined,
            (error: Error) => error,
          )
          .then(async (error) => {
            if (error && isOpen)
              logger.warn({
                msg: "An export ended early",
                collection: collection.address,
                reason: error.message,
              });
            if (!isOpen) spool.discard();
            await spool.end(error);
            // After it was opened, this changes nothing.
            if (error) reject(error);
          })
          .catch((error: Error) => logger.error({ msg: "An export could not be closed", error }));
      });
      return { stream: spool.read(), asOfBlock };
    },
  };
}

export type Exports = ReturnType<typeof createExports>;
