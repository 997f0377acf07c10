/** Model tokens as rows of PostgreSQL, for searches that read them there. */

import { EMPTY_RIGHTS } from "../../../src/api/delegation/rules.ts";
import type { DisplayType, Trait } from "../../../src/api/metadata/document/traits.ts";
import { textKey, valueText } from "../../../src/api/metadata/rules.ts";
import type { TestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import type { Model, ModelToken } from "./model.ts";

/** Replaces all tokens. A trait type has the display type of its first value, unless it is approved another. */
export async function storeModel(
  { database, tables, insert }: TestDatabase,
  tokens: readonly ModelToken[],
  approved: Readonly<Record<string, DisplayType>> = {},
): Promise<Model> {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}, ${tables.delegation}`);
  const traits = tokens.flatMap((token) => token.traits);
  const types = new Map<string, { displayType: DisplayType; highest: number | null }>();
  for (const { trait_type, display_type } of traits)
    if (!types.has(trait_type))
      types.set(trait_type, { displayType: approved[trait_type] ?? display_type, highest: null });
  const typeRows = await database.query<{ id: number; name: string }>(
    `insert into vitrine.trait_type (chain_id, collection, key, trait_type, display_type)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::text[]) returning id, trait_type as name`,
    [
      CHAIN_ID,
      COLLECTION,
      [...types.keys()].map(textKey),
      [...types.keys()],
      [...types.values()].map(({ displayType }) => displayType),
    ],
  );
  const typeIds = new Map(typeRows.map(({ id, name }) => [name, id]));
  const keyOf = ({ trait_type, display_type, value }: Trait): string =>
    JSON.stringify([typeIds.get(trait_type), display_type, textKey(valueText(value))]);
  const distinct = [...new Map(traits.map((trait) => [keyOf(trait), trait])).values()];
  const valueRows = await database.query<{ id: number; name: string }>(
    `insert into vitrine.trait_value (trait_type_id, display_type, key, value_text, value_number)
     select * from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::float8[])
     returning id, json_build_array(trait_type_id, display_type, key)::text as name`,
    [
      distinct.map(({ trait_type }) => typeIds.get(trait_type)),
      distinct.map(({ display_type }) => display_type),
      distinct.map(({ value }) => textKey(valueText(value))),
      distinct.map(({ value }) => valueText(value)),
      distinct.map(({ value }) => (typeof value === "number" ? value : null)),
    ],
  );
  const valueIds = new Map(valueRows.map(({ id, name }) => [JSON.stringify(JSON.parse(name)), id]));
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id, name, description, served_at, since_block, traits)
     select $1, $2, id, name, description, '1970-01-01Z'::timestamptz + served * interval '1 microsecond', since, traits::int[]
       from unnest($3::numeric[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[])
         r(id, name, description, served, since, traits)`,
    [
      CHAIN_ID,
      COLLECTION,
      tokens.map(({ tokenId }) => tokenId),
      tokens.map(({ name }) => name),
      tokens.map(({ description }) => description),
      tokens.map(({ servedAt }) => servedAt),
      tokens.map(({ sinceBlock }) => sinceBlock),
      tokens.map(
        (token) => `{${[...new Set(token.traits.map((each) => valueIds.get(keyOf(each))))].join()}}`,
      ),
    ],
  );
  await database.query(
    `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, owner, burned, lock_count)
     select $1, $2, id, 'erc721', owner, burned, locked::int
       from unnest($3::numeric[], $4::text[], $5::bool[], $6::bool[]) r(id, owner, burned, locked)`,
    [
      CHAIN_ID,
      COLLECTION,
      tokens.map(({ tokenId }) => tokenId),
      tokens.map(({ owner }) => owner ?? null),
      tokens.map(({ burned }) => burned ?? false),
      tokens.map(({ locked }) => locked ?? false),
    ],
  );
  await database.query(
    `with v as (
       insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, content_hash, duration_ms)
       select $1, $2, id, 1, 'rest', 'updated', document, 1 from unnest($3::numeric[], $4::text[]) r(id, document)
        where document is not null returning id, token_id)
     update vitrine.token t set served_version = v.id from v
      where t.chain_id = $1 and t.collection = $2 and t.token_id = v.token_id`,
    [
      CHAIN_ID,
      COLLECTION,
      tokens.map(({ tokenId }) => tokenId),
      tokens.map(({ document }) => document ?? null),
    ],
  );
  for (const { tokenId, owner, delegatedTo } of tokens)
    if (owner !== undefined && delegatedTo !== undefined)
      await insert("delegation", {
        ...{ chainId: CHAIN_ID, hash: `0x${tokenId}`, from: owner, to: delegatedTo, type: "ERC721" },
        ...{ contract: COLLECTION, tokenId, rights: EMPTY_RIGHTS, enabled: true },
        ...{ blockNumber: 1, blockTimestamp: 1, transactionHash: "0x01", logIndex: 0 },
      });
  return { tokens, types };
}
