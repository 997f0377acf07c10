/** A collection of any size with ten traits per token, written directly into PostgreSQL. */

import { randomBytes } from "node:crypto";
import { createServingIndexes } from "../src/api/chain/index/serving-indexes.ts";
import type { ChainTables } from "../src/api/chain/index/tables.ts";
import type { CollectionConfig } from "../src/config.ts";
import { chainDdl } from "../test/support/chain/chain-ddl.ts";

export const CHAIN_ID = 31337;

const TEXT_VALUES = [2, 5, 10, 20, 20, 50, 100, 200, 1_000];
const NUMBERS = 10_000;
/** Distinct values per trait; the first ones are the most common. The last trait is a number. */
export const valuesOf = (numbers: number): readonly number[] => [...TEXT_VALUES, numbers];
export const NUMBER_TRAIT = TEXT_VALUES.length;
export const traitName = (trait: number): string => `Trait ${trait}`;
export const valueAt = (trait: number, nth: number): string =>
  trait === NUMBER_TRAIT ? String(nth) : `value ${nth} of ${trait}`;

export interface Client {
  query(sql: string, parameters?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Ponder's tables, empty, with the database indexes that serving creates. */
export async function createChainTables(
  client: Client,
  { schema, checkpoint }: ChainTables,
  url: string,
): Promise<void> {
  await client.query(chainDdl(schema));
  // Ponder's 75 digits: time, chain, block 1, and the end of the block.
  const seconds = String(Math.floor(Date.now() / 1000)).padStart(10, "0");
  const head = `${seconds}${String(CHAIN_ID).padStart(16, "0")}${"1".padStart(16, "0")}${"9".repeat(33)}`;
  await client.query(
    `insert into ${checkpoint} values ('bench', ${CHAIN_ID}, '${head}', '${head}', '${head}')`,
  );
  await createServingIndexes(url, schema);
}

/**
 * `usual` collections have 10,000 distinct numbers, and one token in a hundred is burned. In `serial` ones each token
 * has its own number, and three in ten are burned.
 */
export type Kind = "usual" | "serial";

export interface Data {
  readonly collection: CollectionConfig;
  readonly kind: Kind;
  readonly tokens: number;
  /** How many distinct numbers there are, from zero. */
  readonly numbers: number;
  /** The first id of each trait's values. */
  readonly firstValues: readonly number[];
}

/** The number of a token of a `serial` collection. */
export const serialOf = (tokens: number, tokenId: string): string =>
  `((${tokenId}::bigint * 7919) % ${tokens})`;

// Of the served versions' ids, so that each collection has its own.
const VERSIONS_APART = 1_000_000_000;
let collectionsCreated = 0;

/** One token in a hundred is locked; a thousand wallets own the tokens. */
export async function createCollection(
  client: Client,
  tables: ChainTables,
  tokens: number,
  kind: Kind,
  address: string = `0x${randomBytes(20).toString("hex")}`,
): Promise<Data> {
  const numbers = kind === "usual" ? NUMBERS : tokens;
  const firstValues: number[] = [];
  const firstVersion = ++collectionsCreated * VERSIONS_APART;
  for (const [trait, values] of valuesOf(numbers).entries()) {
    const isNumber = trait === NUMBER_TRAIT;
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
        traitName(trait),
        isNumber ? "number" : "string",
        isNumber ? values - 1 : null,
        Array.from({ length: values }, (_, nth) => valueAt(trait, nth)),
      ],
    );
    firstValues.push(rows.reduce((least, { id }) => Math.min(least, Number(id)), Number.POSITIVE_INFINITY));
  }
  // Filling it row by row takes several times as long.
  await client.query("drop index vitrine.token_traits");
  const picks = valuesOf(numbers).map((values, trait) => {
    const isSerial = kind === "serial" && trait === NUMBER_TRAIT;
    return `${firstValues[trait]} + ${isSerial ? serialOf(tokens, "n") : `floor(power(random(), 2) * ${values})`}::int`;
  });
  await client.query(
    `insert into vitrine.token (chain_id, collection, token_id, name, description, served_version, served_at, since_block,
                                traits)
     select $1, $2, n, 'Hero #' || (n::bigint * 7919) % 1000003, 'One of many heroes', ${firstVersion} + n, now() - n * interval '1 second', n / 50,
            array[${picks.join(", ")}]
       from generate_series(1, $3::int) n`,
    [CHAIN_ID, address, tokens],
  );
  await client.query("create index token_traits on vitrine.token using gin (traits)");
  await client.query(
    `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, owner, burned, lock_count)
     select $1, $2, n, 'erc721', '0x' || lpad(to_hex(n % 1000), 40, '0'), ${kind === "usual" ? "n % 100 = 0" : "n % 10 < 3"}, case when n % 100 = 1 then 1 else 0 end
       from generate_series(1, $3::int) n`,
    [CHAIN_ID, address, tokens],
  );
  await client.query("vacuum analyze vitrine.token, vitrine.trait_value, vitrine.trait_type");
  await client.query(`vacuum analyze ${tables.tokenState}`);
  const collection = { chainId: CHAIN_ID, address, startBlock: 0 };
  return { collection, kind, tokens, numbers, firstValues };
}

/** The documents of a collection's first tokens as a refresh would record them, except of those that have one. */
export async function createVersions(client: Client, collection: string, tokens: number): Promise<void> {
  await client.query(
    `insert into vitrine.version (id, chain_id, collection, token_id, number, trigger, outcome, metadata, complete, duration_ms)
     overriding system value
     select t.served_version, t.chain_id, t.collection, t.token_id, 1, 'mint', 'changed',
            json_build_object('name', t.name, 'description', t.description, 'image', null, 'video', null,
                              'animation_url', null, 'external_url', null, 'traits', traits.json)::text, true, 1
       from vitrine.token t cross join lateral (
         select json_agg(json_build_object('trait_type', y.trait_type, 'display_type', v.display_type,
                'value', case when v.display_type = 'number' then to_json(v.value_number) else to_json(v.value_text) end)) as json
           from vitrine.trait_value v join vitrine.trait_type y on y.id = v.trait_type_id
          where v.id = any(t.traits)) traits
      where t.collection = $1 and t.token_id <= $2
         on conflict do nothing`,
    [collection, tokens],
  );
  await client.query("vacuum analyze vitrine.version");
}
