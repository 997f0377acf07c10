/** Ponder's own GraphQL middleware over a database of its own, for tests of code built on it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { onchainTable, primaryKey, relations } from "ponder";
import { vi } from "vitest";
import type { PonderHandler } from "../../../src/api/graphql/ponder/ponder-half.ts";
import { createPonderHandler, type PonderQueries } from "../../../src/api/graphql/ponder/ponder-handler.ts";
import { createDatabaseOf } from "../../support/database/run-database.ts";

const collection = onchainTable("collection", (t) => ({
  address: t.hex().primaryKey(),
  name: t.text(),
}));

const token = onchainTable("token", (t) => ({
  id: t.bigint().primaryKey(),
  collectionAddress: t.hex().notNull(),
  lockCount: t.integer().notNull(),
}));

const block = onchainTable(
  "block",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    number: t.bigint().notNull(),
    events: t.bigint().notNull(),
  }),
  (table) => ({ primaryKey: primaryKey({ columns: [table.chainId, table.number] }) }),
);

const collectionRelations = relations(collection, ({ many }) => ({ tokens: many(token) }));
const tokenRelations = relations(token, ({ one }) => ({
  collection: one(collection, { fields: [token.collectionAddress], references: [collection.address] }),
}));

const schema = { block, collection, token, collectionRelations, tokenRelations };

/** Three blocks, the second with as many events as its number, and one collection with the tokens 1 to 5, of which 1 and 2 are locked. */
const ROWS = `
  create table block (chain_id bigint, number numeric(78), events numeric(78), primary key (chain_id, number));
  create table collection (address text primary key, name text);
  create table token (id numeric(78) primary key, collection_address text not null, lock_count integer not null);
  insert into block values (1, 7, 9), (1, 8, 8), (1, 9, 7);
  insert into collection values ('0xaa', 'Knights');
  insert into token select id, '0xaa', case when id <= 2 then 1 else 0 end from generate_series(1, 5) id;
`;

export interface PonderEndpoint {
  readonly handle: (...request: Parameters<PonderHandler>) => Promise<Response>;
  /** The body of each request that reached Ponder, introspection included. */
  readonly received: string[];
  /** Runs SQL on its tables. */
  run(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

type Query = (database: unknown) => Promise<unknown>;

export async function createPonderEndpoint(): Promise<PonderEndpoint> {
  const { url, drop } = await createDatabaseOf();
  const client = new pg.Pool({ connectionString: url, max: 4 });
  // Dropping the database may end a connection that has not closed yet.
  client.on("error", () => undefined);
  await client.query(ROWS);
  const raw = drizzle(client, { schema, casing: "snake_case" });
  const wrap = (labelOrQuery: Query | { label: string }, query?: Query): Promise<unknown> => {
    const run = typeof labelOrQuery === "function" ? labelOrQuery : query;
    return run ? run(raw) : Promise.reject(new Error("wrap was called without a query"));
  };
  vi.stubGlobal("PONDER_DATABASE", { readonlyQB: { raw, wrap } });
  // The middleware writes generated/schema.graphql below the working directory, where this schema does not belong.
  const directory = mkdtempSync(join(tmpdir(), "vitrine-graphql-"));
  vi.spyOn(process, "cwd").mockReturnValue(directory);

  const graphql = await loadMiddleware();
  const answer = createPonderHandler((options) => graphql({ schema }, options));
  const received: string[] = [];
  return {
    received,
    run: (sql) => client.query(sql),
    async handle(request, sent) {
      received.push(await request.clone().text());
      return answer(request, sent);
    },
    async close() {
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
      rmSync(directory, { recursive: true });
      await client.end();
      await drop();
    },
  };
}

/** Ponder that answers introspection itself, and everything else with `answer`. */
export function answerAfterIntrospection(
  ponder: PonderEndpoint,
  answer: (request: Request) => Response | Promise<Response>,
): PonderEndpoint["handle"] {
  return async (request, sent) => {
    const isIntrospection = (await request.clone().text()).includes("__schema");
    return isIntrospection ? ponder.handle(request, sent) : answer(request);
  };
}

type Middleware = (
  options: { schema: unknown },
  ...more: Parameters<PonderQueries>
) => ReturnType<PonderQueries>;

// The package exports only its entry, where `graphql` comes with the whole indexer.
async function loadMiddleware(): Promise<Middleware> {
  const url = new URL("../../../node_modules/ponder/dist/esm/graphql/middleware.js", import.meta.url);
  const module = (await import(url.href)) as { graphql: Middleware };
  return module.graphql;
}
