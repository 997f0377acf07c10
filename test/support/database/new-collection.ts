/** A collection that PostgreSQL's statistics don't know yet, beside others that they know: plans expect one row of it. */

import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { CHAIN_SCHEMA, type TestDatabase } from "./database.ts";

const OTHERS = 4;
const OTHER_TOKENS = 5_000;
const BLOCK = 10;
const address = (nth: number): string => `0x${nth.toString(16).padStart(40, "0")}`;

/** Its tokens have the ids from 1 on. */
export const NEW_COLLECTION = { chainId: 1, collection: address(999) };

/** How many of each hundred tokens. */
interface Shares {
  readonly burned?: number;
  readonly locked?: number;
  readonly failed?: number;
  readonly withIssues?: number;
  readonly rejected?: number;
}

/** Makes the serving indexes and the collections, each token with an image of its own; only the others are analyzed. */
export async function fillNewCollection(
  test: TestDatabase,
  tokens: number,
  shares: Shares = {},
): Promise<void> {
  const { database, tables } = test;
  await test.setHead({ chainId: NEW_COLLECTION.chainId, block: 1_000 });
  for (const table of [tables.tokenState, "vitrine.token", "vitrine.media"])
    await database.query(`alter table ${table} set (autovacuum_enabled = false)`);
  for (let nth = 1; nth <= OTHERS; nth++) await fill(test, address(nth), OTHER_TOKENS, {});
  await createServingIndexes(test.url, CHAIN_SCHEMA);
  await database.query("analyze");
  await fill(test, NEW_COLLECTION.collection, tokens, shares);
}

async function fill(
  { database, tables, insert }: TestDatabase,
  collection: string,
  tokens: number,
  { burned = 0, locked = 0, failed = 0, withIssues = 0, rejected = 0 }: Shares,
): Promise<void> {
  const { chainId } = NEW_COLLECTION;
  await insert("collectionState", {
    chainId,
    collectionAddress: collection,
    standard: "erc721",
    items: tokens,
    owners: tokens,
  });
  await database.query(
    `insert into ${tables.tokenState}
       (chain_id, collection_address, token_id, standard, owner, minted_block, burned, burned_block, lock_count)
     select $1, $2, n, 'erc721', '0x' || lpad(to_hex(n % 500), 40, '0'), ${BLOCK}, n % 100 < $4,
            case when n % 100 < $4 then 990 end, case when n % 100 >= 100 - $5 then 1 else 0 end
       from generate_series(1, $3::int) n`,
    [chainId, collection, tokens, burned, locked],
  );
  await database.query(
    `insert into vitrine.token
       (chain_id, collection, token_id, name, good_block, since_block, last_outcome, last_reason, issue_codes, image_key)
     select $1, $2, n, 'Token ' || n, ${BLOCK}, ${BLOCK}, case when n % 100 < $4 then 'failed' else 'good' end,
            case when n % 100 < $4 then 'timeout: 5 s' end, case when n % 100 < $5 then array['bad_image'] end,
            ('x' || left(encode(sha256(convert_to($2 || '/' || n, 'UTF8')), 'hex'), 16))::bit(64)::bigint
       from generate_series(1, $3::int) n`,
    [chainId, collection, tokens, failed, withIssues],
  );
  await database.query(
    `insert into vitrine.media (kind, url_hash, url, host, status, reason, file, wanted, started, done, checked_at)
     select 'image', sha256(convert_to($1 || '/' || n, 'UTF8')), 'https://img.example/' || n, 'img.example',
            case when n % 100 < $3 then 'rejected' else 'accepted' end,
            case when n % 100 < $3 then 'http_status: 404' end, 'f' || n, 1, 1, 1, now()
       from generate_series(1, $2::int) n`,
    [collection, tokens, rejected],
  );
}
