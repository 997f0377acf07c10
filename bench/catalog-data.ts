/** A collection of any size with ten traits per token, written straight into PostgreSQL. */

import { randomBytes } from "node:crypto";
import type { ChainTables } from "../src/api/chain/tables.ts";
import type { CollectionConfig } from "../src/config.ts";

export const CHAIN_ID = 31337;

/** Different values per trait; the first ones are held by most. The last is a number. */
export const VALUES = [2, 5, 10, 20, 20, 50, 100, 200, 1_000, 10_000] as const;
export const nameOf = (trait: number): string => `Trait ${trait}`;
export const valueAt = (trait: number, nth: number): string =>
  trait === VALUES.length - 1 ? String(nth) : `value ${nth} of ${trait}`;

export interface Client {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Ponder's tables, as far as searching needs them, with the indexes that serving makes. */
export async function createChainTables(client: Client, tables: ChainTables): Promise<void> {
  await client.query(`
    create schema ${tables.schema};
    create table ${tables.meta} (key text primary key, value jsonb not null);
    create table ${tables.checkpoint} (chain_id bigint primary key, latest_checkpoint text not null);
    create table ${tables.tokenState} (
      chain_id bigint, collection_address text, token_id numeric(78), standard text, owner text, burned boolean not null,
      lock_count int not null, primary key (chain_id, collection_address, token_id));
    create table ${tables.tokenBalance} (
      chain_id bigint, collection_address text, token_id numeric(78), holder text, balance numeric(78),
      primary key (chain_id, collection_address, token_id, holder));
    create index on ${tables.tokenState} (chain_id, collection_address, token_id) where burned;
    create index on ${tables.tokenState} (chain_id, collection_address, token_id) where lock_count > 0;
    create index on ${tables.tokenState} (chain_id, collection_address, owner, token_id);
    create index on ${tables.tokenBalance} (chain_id, collection_address, holder, token_id) where balance > 0;
    insert into ${tables.checkpoint} values (${CHAIN_ID}, '1')`);
}

export interface Data {
  readonly collection: CollectionConfig;
  readonly tokens: number;
  /** The first id of each trait's values. */
  readonly firstValues: readonly number[];
}

/** One token in a hundred is burned, one locked; a thousand wallets own them. */
export async function createCollection(client: Client, tables: ChainTables, tokens: number): Promise<Data> {
  const address = `0x${randomBytes(20).toString("hex")}`;
  const firstValues: number[] = [];
  for (const [trait, values] of VALUES.entries()) {
    const isNumber = trait === VALUES.length - 1;
    const { rows } = await client.query(
      `with type as (
         insert into vitrine.trait_type (chain_id, collection, key, trait_type, display_type, highest)
         values ($1, $2, '=' || $3, $3, $4, $5) returning id)
       insert into vitrine.trait_value (trait_type_id, display_type, key, value_text, value_number)
       select type.id, $4, '=' || v.text, v.text, case when $4 = 'number' then v.text::float8 end
         from type, unnest($6::text[]) with ordinality v(text, nth) order by nth returning id`,
      [
        CHAIN_ID,
        address,
        nameOf(trait),
        isNumber ? "number" : "string",
        isNumber ? values - 1 : null,
        Array.from({ length: values }, (_, nth) => valueAt(trait, nth)),
      ],
    );
    firstValues.push(Math.min(...rows.map(({ id }) => Number(id))));
  }
  // Filled row by row, it takes several times as long.
  await client.query("drop index vitrine.token_traits");
  const picks = VALUES.map(
    (values, trait) => `${firstValues[trait]} + floor(power(random(), 2) * ${values})::int`,
  );
  await client.query(
    `insert into vitrine.token (chain_id, collection, token_id, name, description, served_version, served_at, since_block,
                                traits)
     select $1, $2, n, 'Hero #' || (n::bigint * 7919) % 1000003, 'One of many heroes', n, now() - n * interval '1 second', n / 50,
            array[${picks.join(", ")}]
       from generate_series(1, $3::int) n`,
    [CHAIN_ID, address, tokens],
  );
  await client.query("create index token_traits on vitrine.token using gin (traits)");
  await client.query(
    `insert into ${tables.tokenState}
     select $1, $2, n, 'erc721', '0x' || lpad(to_hex(n % 1000), 40, '0'), n % 100 = 0, case when n % 100 = 1 then 1 else 0 end
       from generate_series(1, $3::int) n`,
    [CHAIN_ID, address, tokens],
  );
  await client.query("vacuum analyze vitrine.token, vitrine.trait_value, vitrine.trait_type");
  await client.query(`vacuum analyze ${tables.tokenState}`);
  return { collection: { chainId: CHAIN_ID, address, startBlock: 0 }, tokens, firstValues };
}
