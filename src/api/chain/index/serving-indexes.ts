/**
 * Indexes on Ponder's tables that serving needs. Those that its schema declares are dropped at every restart and built
 * anew before it is ready; these are ours, made once and kept.
 */

import pg, { escapeIdentifier } from "pg";
import type { Logger } from "../../http/logger.ts";
import type { IndexHeads } from "./index-heads.ts";
import { hasOwnUnlock } from "./lock-sql.ts";

const POLL_MS = 5_000;

interface ServingIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: string;
  /** Of a partial index. */
  readonly where?: string;
}

export const servingIndexes: readonly ServingIndex[] = [
  {
    name: "vitrine_lock_event_by_token",
    table: "lock_event",
    columns: "chain_id, collection_address, token_id",
  },
  {
    name: "vitrine_token_transfer_by_token",
    table: "token_transfer",
    columns: "chain_id, collection_address, token_id",
  },
  { name: "vitrine_delegation_by_from", table: "delegation", columns: 'chain_id, "from"' },
  { name: "vitrine_delegation_by_to", table: "delegation", columns: 'chain_id, "to"' },
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
  // Where the collection locks by default, almost all tokens are locked, and these few are not.
  {
    name: "vitrine_token_state_unlocked",
    table: "token_state",
    columns: "chain_id, collection_address, token_id",
    where: hasOwnUnlock(),
  },
  {
    name: "vitrine_token_state_by_owner",
    table: "token_state",
    columns: "chain_id, collection_address, owner, token_id",
  },
  {
    name: "vitrine_token_balance_by_holder",
    table: "token_balance",
    columns: "chain_id, collection_address, holder, token_id",
    where: "balance > 0",
  },
];

/**
 * Makes what is missing in the schema, without holding up its writers. An index whose making was cut short is made
 * anew. False when another process is at it.
 */
export async function createServingIndexes(connectionString: string, schema: string): Promise<boolean> {
  // A connection of its own: making an index takes longer than a statement may, and the lock is a session's.
  const client = new pg.Client({ connectionString, application_name: "vitrine serving indexes" });
  client.on("error", () => undefined);
  await client.connect();
  try {
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
  await client.query(
    `create index concurrently if not exists ${escapeIdentifier(name)}
         on ${escapeIdentifier(schema)}.${escapeIdentifier(table)} (${columns})${where === undefined ? "" : ` where ${where}`}`,
  );
}

/** Makes them once the backfill is done, which goes faster without. A failure is logged and tried again. */
export function startServingIndexes(deps: {
  readonly connectionString: string;
  readonly schema: string;
  readonly heads: IndexHeads;
  readonly logger: Logger;
}): { stop(): void } {
  const { connectionString, schema, heads, logger } = deps;
  let isPolling = false;

  async function poll(): Promise<void> {
    const indexed = await heads.read();
    if (indexed.length === 0 || !indexed.every(({ ready }) => ready)) return;
    if (await createServingIndexes(connectionString, schema)) clearInterval(timer);
  }

  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    poll()
      .catch((error: Error) =>
        logger.warn({ msg: "Could not make the serving indexes", reason: error.message }),
      )
      .finally(() => {
        isPolling = false;
      });
  }, POLL_MS);
  // One that is being made is given up with the process, and made anew by the next.
  return { stop: () => clearInterval(timer) };
}
