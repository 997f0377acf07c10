/** Answers searches from PostgreSQL: slower than from a search index, and the same. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import type { CollectionAnswers } from "../collection-search.ts";
import { readCursor, type SortKey, writeCursor } from "../cursor.ts";
import type { TokenPage, TokenQuery } from "../query.ts";
import { completeValues } from "./complete-values.ts";
import { countTraits, shownTypes } from "./counts.ts";
import { countDocuments, countMatching, facetsOf, panelOf } from "./facets.ts";
import { findNamed } from "./find-named.ts";
import { matching, nextStatement, type Statement, startStatement } from "./matching.ts";
import { isAfter, orderOf, sqlSort } from "./sorts.ts";

// Shorter than a client's patience, and a search holds one of few connections.
const STATEMENT_MS = 8_000;
const ANSWER_MS = 15_000;
const RETRY_SECONDS = 30;
// PostgreSQL's code for a statement that took too long.
const CANCELED = "57014";
const NO_CONNECTION = /^timeout exceeded when trying to connect/;

// One moment for all statements of an answer. One processor: other requests need the others.
const SETTINGS = `set transaction isolation level repeatable read, read only;
  set local statement_timeout = ${STATEMENT_MS}; set local work_mem = '64MB';
  set local max_parallel_workers_per_gather = 0`;

interface Deps {
  /** With connections of its own: slow searches must not keep other requests waiting. */
  readonly database: Database;
  readonly tables: ChainTables;
}

/** Throws UNAVAILABLE for a search that takes too long, or that waits too long for its connection. */
export function createDatabaseSearch(
  { database, tables }: Deps,
  collection: CollectionRef,
): CollectionAnswers {
  async function answer<Answer>(work: (statement: Statement) => Promise<Answer>): Promise<Answer> {
    const until = performance.now() + ANSWER_MS;
    try {
      return await database.transaction(async (tx) => {
        await tx.query(SETTINGS);
        const inTime: typeof tx = {
          query(...statement) {
            if (performance.now() > until) throw tooSlow();
            return tx.query(...statement);
          },
        };
        return work(startStatement(inTime, tables, collection));
      });
    } catch (error) {
      const { code, message } = error as Error & { code?: unknown };
      throw code === CANCELED || NO_CONNECTION.test(message) ? tooSlow(error) : error;
    }
  }

  return {
    page: (query) => answer((statement) => pageOf(statement, query)),
    facets: (filter) => answer((statement) => facetsOf(statement, filter)),
    panel: (filter) => answer((statement) => panelOf(statement, filter)),
    countTraits: (question) => answer((statement) => countTraits(statement, question)),
    countsStamp: async () => ({ stamp: null }),
    completeValues: (asked) => answer((statement) => completeValues(statement, asked)),
    findNamed: (asked) => answer((statement) => findNamed(statement, asked)),
    shownTypes: (names) => answer((statement) => shownTypes(statement, names)),
  };
}

const tooSlow = (cause?: unknown): ApiError =>
  new ApiError("UNAVAILABLE", [], {
    cause: new Error("a search without a search index took too long", { cause }),
    retryAfterSeconds: RETRY_SECONDS,
  });

async function pageOf(statement: Statement, query: TokenQuery): Promise<TokenPage> {
  const { filter, sort, limit, cursor, group, offset = 0 } = query;
  const position = cursor === undefined ? undefined : readCursor(sort, cursor);
  const next = nextStatement(statement);
  const order = await sqlSort(next, sort);
  const from = await matching(next, filter);
  const key = order.key?.sql ?? "null";
  const after = position ? isAfter(next, order, position) : "true";
  // A token without a document is one by itself.
  const stacks = `
    select t.*, count(*) over d as count, row_number() over (d order by ${orderOf(order)}) as nth
      from (select t.*, coalesce(v.content_hash, t.token_id::text) as document
              from matching t left join vitrine.version v on v.id = t.served_version) t ${order.join ?? ""}
    window d as (partition by t.document)`;
  const rows = await next.tx.query<{ tokenId: string; key: SortKey; count: number }>(
    `with matching as (select t.token_id, t.traits, t.name, t.since_block, t.served_at, t.served_version ${from})
     select t.token_id::text as "tokenId", ${key} as key, ${group ? "t.count::int" : "1"} as count
       from ${group ? `(${stacks})` : "matching"} t ${order.join ?? ""}
      where ${after} and ${group ? "t.nth = 1" : "true"} order by ${orderOf(order)}
      limit ${next.add(limit + 1)}::int offset ${next.add(offset)}::int`,
    next.values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    tokenIds: page.map(({ tokenId }) => tokenId),
    ...(group && { counts: page.map(({ count }) => count) }),
    nextCursor: rows.length <= limit || last === undefined ? null : writeCursor(sort, last),
    total: await (group ? countDocuments : countMatching)(statement, filter),
  };
}
