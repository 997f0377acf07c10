/** A refresh worker over a real queue and real metadata, with a scripted network. */

import { onTestFinished } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { createNoteHost } from "../../../src/api/jobs/hosts.ts";
import type { Logger } from "../../../src/api/logging/logger.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { Resolution } from "../../../src/api/metadata/uri/resolve.ts";
import { chooseProbe } from "../../../src/api/refresh/queue/hosts.ts";
import { addReceipt, findReceipt } from "../../../src/api/refresh/receipts/receipts.ts";
import { startRefreshWorker, type WorkerDeps } from "../../../src/api/refresh/worker/worker.ts";
import type { TestDatabase } from "../database/database.ts";
import { eventually } from "../eventually.ts";
import { ask, CHAIN_ID, COLLECTION, createFakeResolve, type ResolveCall } from "../refresh/refresh.ts";

/** As the service notes the answers of hosts. */
export const noteHost = createNoteHost(chooseProbe);

const OWNER = { appId: "00000000-0000-4000-8000-000000000001" };

/** Records log entries by level. */
export function createMemoryLogger() {
  const entries: { readonly level: string; readonly msg: string; readonly [field: string]: unknown }[] = [];
  const at = (level: string) => (entry: { msg: string }) => {
    entries.push({ level, ...entry });
  };
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { logger, entries };
}

/** A promise and the function that resolves it. */
export function createBarrier(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** The database, which fails while `isAway` returns true, asked with the name of each statement that has one. */
export function failingWhen(database: Database, isAway: (name?: string) => boolean): Database {
  const check = (name?: string): void => {
    if (isAway(name)) throw new Error("the database is away");
  };
  return {
    ...database,
    async query(...statement) {
      check(statement[2]);
      return database.query(...statement);
    },
    async transaction(...transaction) {
      check();
      return database.transaction(...transaction);
    },
  };
}

export function createWorkerSetup({ database, tables }: TestDatabase) {
  let receipts = 0;
  return {
    /** Starts a worker that is stopped at the end of the test. */
    start(
      script: (call: ResolveCall) => Resolution | Promise<Resolution>,
      overrides: Partial<WorkerDeps> = {},
    ) {
      const network = createFakeResolve(script);
      const { logger, entries } = createMemoryLogger();
      const worker = startRefreshWorker({
        database,
        tables,
        metadata: createMetadata({ resolve: network.resolve, tables }),
        noteHost,
        readBlock: async (_chainId, minBlock) => Math.max(10, minBlock),
        chainIds: [CHAIN_ID],
        concurrency: 4,
        logger,
        ...overrides,
      });
      onTestFinished(() => worker.stop());
      return { ...network, worker, log: entries };
    },

    /** Requests tokens with a receipt, as the REST route does, and returns the receipt's id. */
    async request(tokenIds: readonly string[]): Promise<string> {
      const id = `00000000-0000-4000-9000-${String(++receipts).padStart(12, "0")}`;
      await database.transaction(async (tx) => {
        const marks = await ask(tx, tokenIds);
        const tokens = tokenIds.map((tokenId) => ({ tokenId, mark: marks.get(tokenId) }));
        await addReceipt(tx, { id, owner: OWNER, chainId: CHAIN_ID, collection: COLLECTION, tokens });
      });
      return id;
    },

    /** The receipt once it is done. */
    done: (id: string) =>
      eventually(
        () => findReceipt(database, id, OWNER),
        (receipt) => receipt?.done === true,
      ),
    receipt: (id: string) => findReceipt(database, id, OWNER),

    async knowTokens(...tokenIds: readonly string[]): Promise<void> {
      await database.query(
        "insert into vitrine.token (chain_id, collection, token_id) select $1, $2, unnest($3::numeric[])",
        [CHAIN_ID, COLLECTION, tokenIds],
      );
    },
  };
}
