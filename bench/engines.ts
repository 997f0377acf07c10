/**
 * Pages and facets of one collection, from three sides with the same tokens: Vitrine's search index, PostgreSQL with GIN
 * indexes on traits and on trigrams of names, and Groonga (Debian's `groonga-bin`).
 */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { chainTables } from "../src/api/chain/index/tables.ts";
import { createDatabase } from "../src/api/db/database.ts";
import { migrate } from "../src/api/db/migrate.ts";
import { silentLogger } from "../src/api/logging/logger.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import type { TokenFilter } from "../src/api/search/query.ts";
import { createSearch, type Search } from "../src/api/search/service.ts";
import {
  createChainTables,
  createCollection,
  type Data,
  NUMBER_TRAIT,
  traitName,
  valueAt,
} from "./catalog-data.ts";
import { type Groonga, type GroongaToken, hasGroonga, startGroonga } from "./groonga.ts";
import { joinPostgres } from "./postgres.ts";
import { byPace, median, say } from "./rounds.ts";

const SIZES = process.env.BENCH_TOKENS?.split(",").map(Number) ?? byPace([100_000, 1_000_000], [10_000]);
const ROUNDS = byPace(50, 10);
// PostgreSQL takes seconds for the facets of a million tokens.
const SIDE_MS_MAX = 10_000;
const ROUNDS_MIN = 3;
const LIMIT = 20;
const FACET_VALUES = 2_500;
const ROWS_AT_ONCE = 50_000;
const HEAP_MB = 4_000;

const sides = ["vitrine", "postgresql", "groonga"] as const;
type Side = (typeof sides)[number];

/** One filter in the three languages. `sql` and `groonga` leave out burned tokens elsewhere. */
interface Question {
  readonly filter: TokenFilter;
  readonly sql: string;
  readonly groonga: string;
}

const none: TokenFilter = { criteria: [], ranges: [] };
const below = (limit: number): number => Math.floor(Math.random() * limit);

const questions: Readonly<Record<string, (data: Data) => Question>> = {
  all: () => ({ filter: none, sql: "true", groonga: "true" }),
  narrow: (data) =>
    holding(data, [
      [7, 50 + below(100)],
      [4, 10 + below(8)],
    ]),
  broad: (data) => holding(data, [[0, below(2)]]),
  any_of: ({ firstValues }) => {
    const nths = Array.from({ length: 4 }, () => below(20));
    const ids = nths.map((nth) => (firstValues[3] ?? 0) + nth);
    return {
      filter: { ...none, criteria: [{ name: traitName(3), values: nths.map((nth) => valueAt(3, nth)) }] },
      sql: `traits && array[${ids.join(", ")}]`,
      groonga: ids.map((id) => `traits @ ${id}`).join(" || "),
    };
  },
  range: ({ numbers }) => {
    const from = below(numbers * 0.8);
    const to = from + Math.floor(numbers / 10);
    return {
      filter: { ...none, ranges: [{ name: traitName(NUMBER_TRAIT), from, to }] },
      sql: `number between ${from} and ${to}`,
      groonga: `between(number, ${from}, "include", ${to}, "include")`,
    };
  },
  text: () => {
    const text = `#${1 + below(9)}${below(10)}${below(10)}`;
    return { filter: { ...none, text }, sql: `name ilike '%${text}%'`, groonga: `name @ "${text}"` };
  },
};

function holding({ firstValues }: Data, picks: readonly (readonly [trait: number, nth: number])[]): Question {
  const ids = picks.map(([trait, nth]) => (firstValues[trait] ?? 0) + nth);
  return {
    filter: {
      ...none,
      criteria: picks.map(([trait, nth]) => ({ name: traitName(trait), values: [valueAt(trait, nth)] })),
    },
    sql: `traits @> array[${ids.join(", ")}]`,
    groonga: ids.map((id) => `traits @ ${id}`).join(" && "),
  };
}

export async function benchEngines() {
  if (!hasGroonga()) return { left_out: "needs Groonga: apt-get install groonga-bin" };
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  chmodSync(folder, 0o711);
  const url = await joinPostgres(folder);
  await migrate(url);
  const database = createDatabase(url, silentLogger);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = chainTables("bench");
  const sizes: object[] = [];
  try {
    await createChainTables(client, tables, url);
    for (const tokens of SIZES) {
      const data = await createCollection(client, tables, tokens, "usual");
      await createGinTable(client, data, tables.tokenState);
      const groonga = await startGroonga(rowsOf(client));
      const threads = { connectionString: url, count: 1, heapMb: HEAP_MB };
      const search = createSearch({ database, tables, logger: silentLogger, threads });
      try {
        sizes.push({ tokens, ...(await measure({ search, client, groonga }, data)) });
      } finally {
        await search.close();
        await groonga.close();
      }
    }
    return { sizes };
  } finally {
    await client.end();
    await database.close();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The listed tokens alone, in a table that has nothing but what the questions need. */
async function createGinTable(
  client: pg.Client,
  { collection, firstValues }: Data,
  tokenState: string,
): Promise<void> {
  await client.query("create extension if not exists pg_trgm");
  await client.query("drop table if exists gin_token");
  await client.query(
    `create table gin_token as
     select t.token_id, t.name, t.traits, t.traits[${NUMBER_TRAIT + 1}] - ${firstValues[NUMBER_TRAIT]} as number
       from vitrine.token t
      where t.collection = '${collection.address}'
        and not exists (select from ${tokenState} s
                         where s.collection_address = t.collection and s.token_id = t.token_id and s.burned)`,
  );
  await client.query("alter table gin_token add primary key (token_id)");
  await client.query("create index on gin_token using gin (traits)");
  await client.query("create index on gin_token using gin (name gin_trgm_ops)");
  await client.query("create index on gin_token (number)");
  await client.query("vacuum analyze gin_token");
}

async function* rowsOf(client: pg.Client): AsyncGenerator<GroongaToken[]> {
  for (let after = "-1"; ; ) {
    const { rows } = await client.query<GroongaToken>(
      `select token_id::text as "tokenId", name, number, traits from gin_token
        where token_id > $1 order by gin_token.token_id limit ${ROWS_AT_ONCE}`,
      [after],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.tokenId;
  }
}

interface Setting {
  readonly search: Search;
  readonly client: pg.Client;
  readonly groonga: Groonga;
}

async function measure({ search, client, groonga }: Setting, data: Data) {
  const { collection } = data;
  const pages: Record<Side, (question: Question) => Promise<{ tokenIds: readonly string[]; total: number }>> =
    {
      vitrine: ({ filter }) =>
        search.page(collection, { filter, sort: { by: "id", descending: false }, limit: LIMIT }),
      async postgresql({ sql }) {
        const { rows } = await client.query(
          `select token_id, count(*) over () as total from gin_token where ${sql} order by token_id limit ${LIMIT}`,
        );
        return { tokenIds: rows.map((row) => String(row.token_id)), total: Number(rows[0]?.total ?? 0) };
      },
      groonga: (question) => groonga.page(question.groonga, LIMIT),
    };
  const facets: Record<Side, (question: Question) => Promise<{ total: number }>> = {
    vitrine: ({ filter }) => search.facets(collection, filter),
    async postgresql({ sql }) {
      const { rows } = await client.query(
        `with hit as materialized (select traits from gin_token where ${sql})
         select (select count(*) from hit) as total, value, count(*) from hit, unnest(traits) value
          group by value order by count(*) desc limit ${FACET_VALUES}`,
      );
      return { total: Number(rows[0]?.total ?? 0) };
    },
    groonga: (question) => groonga.facets(question.groonga, FACET_VALUES),
  };
  // The first search loads the search index.
  await search.facets(collection, none);
  const results: Record<string, object> = {};
  for (const [name, make] of Object.entries(questions)) {
    results[`page ${name}`] = await compare(
      pages,
      () => make(data),
      ({ tokenIds, total }) => `${total}: ${tokenIds}`,
    );
    results[`facets ${name}`] = await compare(
      facets,
      () => make(data),
      ({ total }) => String(total),
    );
    say(
      `${data.tokens} tokens, ${name}: ${JSON.stringify([results[`page ${name}`], results[`facets ${name}`]])}`,
    );
  }
  return results;
}

/** Asks all sides the same questions by turns; they must agree. */
async function compare<Answer>(
  ask: Record<Side, (question: Question) => Promise<Answer>>,
  makeQuestion: () => Question,
  textOf: (answer: Answer) => string,
) {
  const ms: Record<Side, number[]> = { vitrine: [], postgresql: [], groonga: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const question = makeQuestion();
    let expected: string | undefined;
    for (let nth = 0; nth < sides.length; nth++) {
      const side = sides[(round + nth) % sides.length] as Side;
      const isSlow = ms[side].reduce((sum, each) => sum + each, 0) > SIDE_MS_MAX;
      if (isSlow && ms[side].length >= ROUNDS_MIN) continue;
      const startedAt = performance.now();
      const answer = textOf(await ask[side](question));
      ms[side].push(performance.now() - startedAt);
      expected ??= answer;
      if (answer !== expected) throw new Error(`${side} answers ${answer}, not ${expected}: ${question.sql}`);
    }
  }
  return Object.fromEntries(
    sides.map((side) => [
      `${side}_ms`,
      [median(ms[side]), Math.max(...ms[side])].map((each) => Number(each.toFixed(1))),
    ]),
  );
}
