/**
 * Database indexes on Ponder's tables for serving. Ponder drops those declared in its schema at every restart and
 * rebuilds them before it is ready; these are created once and stay.
 */

import pg, { escapeIdentifier } from "pg";
import type { Queryable } from "../../db/database.ts";
import { CLIENT_KEEPALIVE, SERVER_KEEPALIVE } from "../../db/keepalive.ts";
import { NO_TIMEOUTS } from "../../db/session-settings.ts";
import { startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { IndexHeads } from "./index-heads.ts";
import { hasOwnUnlock } from "./lock-sql.ts";
import { inChainOrder, transferKind } from "./transfer-kind.ts";

const POLL_MS = 5_000;
// While an index waits for other transactions to end, a reorg waits for its table, and all who read that wait behind the
// reorg. Longer than deadlock_timeout, after which PostgreSQL ends an autovacuum that is in the way.
const LOCK_WAIT_MS = 2_000;
// Each try reads the table, and a backup or an export may take minutes.
const AFTER_FAULT_MS = 30_000;

interface ServingIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: string;
  /** Makes it a partial index. */
  readonly where?: string;
}

const TOKEN = "chain_id, collection_address, token_id";

// Those of all rows begin with a collection only if they go on with a token's id, the key of most reads: while statistics
// expect one row of a new collection, any other seems as good for that, and would read the whole collection for each token.
/** SQL: a collection's address in database indexes of all its events or holders. Lower case changes nothing of it. */
export const collectionOf = (alias?: string): string =>
  `lower(${alias === undefined ? "" : `${alias}.`}collection_address)`;
const COLLECTION = `chain_id, ${collectionOf()}`;

export const servingIndexes: readonly ServingIndex[] = [
  // Activity is read by kind, newest first (catalog/activity/activity-store.ts).
  ...Object.entries({ of_token: TOKEN, in_collection: COLLECTION, of_holder: "chain_id, holder" }).map(
    ([name, key]) => ({
      name: `vitrine_lock_event_${name}`,
      table: "lock_event",
      columns: `${key}, direction, ${inChainOrder("id")}`,
    }),
  ),
  ...Object.entries({
    of_token: TOKEN,
    in_collection: COLLECTION,
    of_sender: 'chain_id, "from"',
    of_receiver: 'chain_id, "to"',
  }).map(([name, key]) => ({
    name: `vitrine_token_transfer_${name}`,
    table: "token_transfer",
    columns: `${key}, ${transferKind()}, ${inChainOrder("id")}`,
  })),
  // A lock event's count includes the default of its time (lock-sql.ts); there are few.
  {
    name: "vitrine_lock_event_of_default",
    table: "lock_event",
    columns: "chain_id, collection_address, id",
    where: "token_id is null",
  },
  // Anyone may delegate any number of times, so both lead to a single delegation: the planner may use a shorter one, and
  // read all delegations of a wallet for each of a hundred tokens.
  ...['"from", "to"', '"to", "from"'].map((pair, position) => ({
    name: `vitrine_delegation_${["from_to", "to_from"][position]}`,
    table: "delegation",
    columns: `chain_id, ${pair}, rights, type, contract, token_id`,
  })),
  // Pages of a wallet's delegations, which are shown to anybody (delegation/registry/store.ts). By an expression, which changes
  // nothing of an address: the planner would take a plain column for trade checks as well, see above.
  ...["from", "to"].map((wallet) => ({
    name: `vitrine_delegation_enabled_${wallet}`,
    table: "delegation",
    columns: `chain_id, lower("${wallet}"), block_number, log_index`,
    where: "enabled",
  })),
  {
    name: "vitrine_token_state_burned",
    table: "token_state",
    columns: "chain_id, collection_address, token_id",
    where: "burned",
  },
  {
    name: "vitrine_token_state_locked",
    table: "token_state",
    columns: "chain_id, collection_address, token_id",
    where: "lock_count > 0",
  },
  // If the collection locks by default, almost all tokens are locked; these are the exceptions.
  {
    name: "vitrine_token_state_unlocked",
    table: "token_state",
    columns: "chain_id, collection_address, token_id",
    where: hasOwnUnlock(),
  },
  // Of a million tokens, mostly a few: those that were announced by minting none of them.
  {
    name: "vitrine_token_state_without_supply",
    table: "token_state",
    columns: "chain_id, collection_address",
    where: "standard = 'erc1155' and supply = 0 and not burned",
  },
  {
    name: "vitrine_token_state_of_owner",
    table: "token_state",
    columns: "chain_id, owner, collection_address, token_id",
  },
  {
    name: "vitrine_collection_holder_by_holder",
    table: "collection_holder",
    columns: "chain_id, holder, collection_address",
    where: "tokens > 0",
  },
  {
    name: "vitrine_token_range_of_owner",
    table: "token_range",
    columns: "chain_id, owner, collection_address, from_token_id",
  },
  {
    name: "vitrine_collection_holder_largest_first",
    table: "collection_holder",
    columns: `${COLLECTION}, (-tokens), holder`,
    where: "tokens > 0",
  },
  {
    name: "vitrine_token_balance_of_holder",
    table: "token_balance",
    columns: "chain_id, holder, collection_address, token_id",
    where: "balance > 0",
  },
];

/**
 * Creates the missing database indexes without blocking writers, and analyzes their tables. Recreates one whose creation
 * was interrupted. False if another process is doing it. Rejects if other transactions hold one up.
 */
export async function createServingIndexes(connectionString: string, schema: string): Promise<boolean> {
  // A separate connection: creating an index exceeds the statement timeout, and the lock belongs to a session.
  const client = new pg.Client({
    connectionString,
    application_name: "vitrine serving indexes",
    ...CLIENT_KEEPALIVE,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(SERVER_KEEPALIVE);
    await client.query(`${NO_TIMEOUTS}; set lock_timeout = ${LOCK_WAIT_MS}`);
    const { rows } = await client.query<{ mine: boolean }>(
      "select pg_try_advisory_lock(hashtextextended($1, 0)) as mine",
      [`vitrine serving indexes ${schema}`],
    );
    if (!rows[0]?.mine) return false;
    for (const index of servingIndexes) await createIndex(client, schema, index);
    return true;
  } finally {
    await client.end();
  }
}

async function createIndex(
  client: pg.Client,
  schema: string,
  { name, table, columns, where }: ServingIndex,
): Promise<void> {
  const qualified = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
  const { rows } = await client.query<{ valid: boolean }>(
    "select indisvalid as valid from pg_index where indexrelid = to_regclass($1)",
    [qualified],
  );
  if (rows[0]?.valid) return;
  if (rows[0]) await client.query(`drop index concurrently if exists ${qualified}`);
  const of = `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;
  await client.query(
    `create index concurrently if not exists ${escapeIdentifier(name)}
         on ${of} (${columns})${where === undefined ? "" : ` where ${where}`}`,
  );
  // Until autovacuum comes, up to a minute later, plans know nothing of what an index's expressions hold, and may read all
  // transfers of a collection for those of a token.
  await client.query(`analyze ${of}`);
}

/** How many the schema lacks, or has in part. */
export async function missingServingIndexes(database: Queryable, schema: string): Promise<number> {
  const [row] = await database.query<{ missing: number }>(
    `select count(*)::int as missing from unnest($1::text[]) name
       left join pg_index on indexrelid = to_regclass(name)
      where indisvalid is not true`,
    [servingIndexes.map(({ name }) => `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`)],
  );
  return row?.missing ?? 0;
}

/** Creates them once the backfill is complete, which is faster without them. Logs a failure and retries. */
export function startServingIndexes(deps: {
  readonly connectionString: string;
  readonly schema: string;
  readonly heads: IndexHeads;
  readonly logger: Logger;
}): { stop(): void } {
  const { connectionString, schema, heads, logger } = deps;
  const loop = startPassLoop({
    task: "create the serving indexes",
    firstMs: POLL_MS,
    pollMs: POLL_MS,
    afterFaultMs: AFTER_FAULT_MS,
    logger,
    async pass() {
      const indexed = await heads.read();
      if (indexed.length === 0 || !indexed.every(({ ready }) => ready)) return undefined;
      const isDone = await createServingIndexes(connectionString, schema);
      return isDone ? { inMs: Number.POSITIVE_INFINITY } : undefined;
    },
  });
  // Not awaited: an unfinished index is abandoned with the process, and the next process recreates it.
  return { stop: () => void loop.stop() };
}
