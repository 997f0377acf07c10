/** How much triggers read, whatever the tables were when the session planned their statements. */

import { expect, it, onTestFinished } from "vitest";
import { createDatabase, type Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { addVersions, reserveVersions } from "../../../src/api/metadata/records/record-store.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const ROWS = 4_000;
const BATCH = 50;
const OTHER = "0x00000000000000000000000000000000000000bb";
const test = await createTestDatabase();

/** One session, which keeps its plans. */
function session() {
  const database = createDatabase(test.url, silentLogger, { plain: 1, keyed: 1 });
  onTestFinished(() => database.close());
  return database;
}

const rowsRead = (db: ReturnType<typeof session>, work: (tx: Queryable) => Promise<unknown>) =>
  db.transaction((tx) =>
    countRowsRead(tx, ["vitrine"], async () => {
      await work(tx);
    }),
  );

const addTokens = (db: Queryable, collection: string, columns: string, values: string, count = ROWS) =>
  db.query(
    `insert into vitrine.token (chain_id, collection, token_id, ${columns})
     select $1, $2, n, ${values} from generate_series(1, $3::int) n`,
    [CHAIN_ID, collection, count],
  );

async function record(db: Queryable): Promise<void> {
  const ids = await reserveVersions(db, BATCH);
  await addVersions(
    db,
    ids.map((id, n) => ({
      id,
      token: { chainId: CHAIN_ID, collection: COLLECTION, tokenId: String(ROWS - n) },
      number: 1,
      trigger: "rest",
      outcome: "updated",
      reason: null,
      uri: "https://api.example/1",
      block: 5,
      durationMs: 1,
      document: null,
      issues: [],
    })),
  );
}

it("versions are published without reading all unseen tokens for each", async () => {
  await test.database.query("truncate vitrine.token, vitrine.version");
  await addTokens(test.database, OTHER, "unseen", "false");
  await test.database.query("analyze vitrine.token");
  await addTokens(test.database, COLLECTION, "unseen", "true");

  expect(await rowsRead(session(), record)).toBeLessThan(BATCH * 10);

  const [due] = await test.database.query("select count(*)::int from vitrine.event_due");
  expect(due).toEqual({ count: 0 });
});

const hash = (n: string) => `sha256(convert_to('i' || ${n}, 'UTF8'))`;
const imageKey = (n: string) => `('x' || left(encode(${hash(n)}, 'hex'), 16))::bit(64)::bigint`;

it("an image is published to its tokens alone where earlier ones were those of whole collections", async () => {
  await test.database.query("truncate vitrine.token, vitrine.version, vitrine.event_due");
  await test.database.query(
    `insert into vitrine.media (kind, url_hash, url, host) select 'image', ${hash("n")}, 'u', 'h' from generate_series(1, ${ROWS}) n`,
  );
  const accept = (db: Queryable, n: number, file: string) =>
    db.query(
      `update vitrine.media set status = 'accepted', file = $2 where kind = 'image' and url_hash = ${hash("$1::int")}`,
      [n, file],
    );
  for (const collection of [OTHER, `${OTHER}1`])
    await addTokens(test.database, collection, "image_key", imageKey("1"));
  await test.database.query("analyze vitrine.token");
  const db = session();
  for (const file of "abcdefgh") await accept(db, 1, file);
  await addTokens(test.database, COLLECTION, "image_key", imageKey("n + 1"));
  await test.database.query("delete from vitrine.event_due");

  const read = await rowsRead(db, async (tx) => {
    for (let n = 2; n < 2 + BATCH; n++) await accept(tx, n, "own");
  });

  expect(
    await test.database.query("select token_id as token, collection from vitrine.event_due order by id"),
  ).toEqual(Array.from({ length: BATCH }, (_, n) => ({ token: String(n + 1), collection: COLLECTION })));
  expect(read).toBeLessThan(BATCH * 20);

  await test.database.query("delete from vitrine.event_due");
  expect(await rowsRead(db, (tx) => accept(tx, 1, "shared"))).toBeLessThan(1_100);
  expect(
    await test.database.query("select token_id as token, collection from vitrine.event_due order by id"),
  ).toEqual([
    { token: null, collection: OTHER },
    { token: null, collection: `${OTHER}1` },
  ]);
});

const VERSIONS = `insert into vitrine.version (id, chain_id, collection, token_id, number, trigger, outcome, duration_ms)
  overriding system value select n, 1, 'c', n, 1, 'rest', 'failed', 1`;
const TYPES = `insert into vitrine.trait_type (id, chain_id, collection, key, trait_type, display_type)
  select n, 1, 'c', n::text, n::text, 'string'`;

it.each([
  ["close_version", VERSIONS, "update vitrine.token set served_version = null where token_id = $1"],
  ["tell_of_seen", VERSIONS, "update vitrine.token set unseen = false where token_id = $1"],
  ["count_forgotten_values", TYPES, "delete from vitrine.trait_value where trait_type_id = $1"],
  [
    "reread_contract",
    "insert into vitrine.contract_metadata (chain_id, collection) select 1, n::text",
    `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, receipt_id)
     values (1, $1::int, 1, 1, 1, false, gen_random_uuid())`,
  ],
])("%s reads little where it was planned while the table was small", async (_name, insert, fire) => {
  const db = session();
  const tables = ["token", "version", "trait_type", "trait_value", "contract_metadata"].map(
    (name) => `vitrine.${name}`,
  );
  await db.query(`truncate ${tables}`);
  const few = 20;
  await db.query(
    `insert into vitrine.token (chain_id, collection, token_id, served_version, confirmations, unseen)
     select 1, 'c', n, n, 1, true from generate_series(1, $1::int) n`,
    [few],
  );
  await db.query(
    `insert into vitrine.trait_value (trait_type_id, display_type, key, value_text)
     select n, 'string', n::text, n::text from generate_series(1, $1::int) n`,
    [few],
  );
  await db.query(`${insert} from generate_series(1, $1::int) n`, [few]);
  await db.query(`analyze ${tables}`);
  // After five times PostgreSQL keeps a plan for all values.
  for (let n = 1; n <= few / 2; n++) await db.query(fire, [n]);
  await db.query(`${insert} from generate_series($1::int, $2::int) n`, [few + 1, ROWS]);

  const read = await rowsRead(db, async (tx) => {
    for (let n = few / 2 + 1; n <= few; n++) await tx.query(fire, [n]);
  });

  expect(read).toBeLessThan(ROWS / 4);
});
