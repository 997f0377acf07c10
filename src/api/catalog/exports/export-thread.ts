/** The script of an export's thread: writes one export into a file that the service has opened. */

import { parentPort, workerData } from "node:worker_threads";
import type { ChainTables } from "../../chain/index/tables.ts";
import { createDatabase, type Queryable } from "../../db/database.ts";
import { type Fault, toFault } from "../../jobs/thread-fault.ts";
import { silentLogger } from "../../logging/logger.ts";
import { createMedia } from "../../media/module.ts";
import { readServed, readServedBytes, readTraitNames } from "../../metadata/module.ts";
import { findQueued } from "../../refresh/module.ts";
import { createIndexedReader } from "../../trading/module.ts";
import { type ExportJob, runExport } from "./export-run.ts";

/** What every export of a process reads with. */
export interface ExportSettings {
  readonly connectionString: string;
  readonly tables: ChainTables;
  readonly tradeMaxAgeSeconds: number;
  readonly ipfsGateways: readonly string[];
  readonly mediaBaseUrl: string;
  readonly operatorContact?: string | undefined;
}

export interface ThreadStart {
  readonly settings: ExportSettings;
  readonly job: ExportJob;
}

export type FromThread =
  | { readonly type: "open"; readonly asOfBlock: number | null }
  | { readonly type: "written"; readonly bytes: number }
  | { readonly type: "done" }
  | { readonly type: "failure"; readonly fault: Fault };

const { settings, job } = workerData as ThreadStart;
const { tables, operatorContact } = settings;
const send = (message: FromThread): void => parentPort?.postMessage(message);
const left = new AbortController();
// The one message to a thread: its client is gone.
parentPort?.on("message", () => left.abort());

// Only its snapshots are used, which have connections of their own.
const database = createDatabase(settings.connectionString, silentLogger);
const reads = {
  database,
  tables,
  metadata: {
    readServed: (...[db, chainId, collection, tokenIds]: Parameters<typeof readServed>) =>
      readServed(db, chainId, collection, tokenIds, operatorContact),
    readServedBytes,
    readTraitNames,
  },
  trading: { readIndexed: createIndexedReader({ tables, maxAgeSeconds: settings.tradeMaxAgeSeconds }) },
  media: createMedia({ database, gateways: settings.ipfsGateways, baseUrl: settings.mediaBaseUrl }),
  findQueued: (chainId: number, collection: string, tokenIds: readonly string[], db: Queryable = database) =>
    findQueued(db, chainId, collection, tokenIds),
};
const progress = {
  onOpen: (asOfBlock: number | null) => send({ type: "open", asOfBlock }),
  onWritten: (bytes: number) => send({ type: "written", bytes }),
};
runExport(reads, job, progress, left.signal)
  .then(
    () => send({ type: "done" }),
    (error: unknown) => send({ type: "failure", fault: toFault(error) }),
  )
  // Without it, the thread ends.
  .finally(() => parentPort?.close());
