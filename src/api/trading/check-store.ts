/** What a trade check reads, for many tokens in one statement: a fact read apart may be of another moment. */

import type { IndexedBlock } from "../chain/head-witness.ts";
import { indexedBlock } from "../chain/index-trust.ts";
import type { ChainTables } from "../chain/tables.ts";
import { covers, EMPTY_RIGHTS, type Scope, standsFor } from "../delegation/rights.ts";
import type { Queryable } from "../store/database.ts";
import type { GuardFacts } from "./guard.ts";
import { trusted } from "./store.ts";

export interface CheckedToken {
  readonly chainId: number;
  /** In lower case. */
  readonly collection: string;
  readonly tokenId: string;
}

export interface CheckFacts extends GuardFacts {
  /** The newest block of the token's chain that the index has; null before it has any. */
  readonly indexed: IndexedBlock | null;
}

const token = { contract: "t.collection_address", tokenId: "t.token_id" };
const delegated = (scope: Scope): string => `${standsFor(`'${EMPTY_RIGHTS}'`)} and ${covers(scope, token)}`;

/** SQL: `actor.wallet` holds token `t` itself. */
const holds = (tables: ChainTables): string => `
  (s.standard = 'erc721' and s.owner = actor.wallet
   or s.standard = 'erc1155' and exists (
     select from ${tables.tokenBalance} b
      where (b.chain_id, b.collection_address, b.token_id, b.holder)
          = (t.chain_id, t.collection_address, t.token_id, actor.wallet) and b.balance > 0))`;

/** SQL: the wallet $4 holds token `t`, or somebody who does has delegated it without limits. */
const isEntitled = (tables: ChainTables): string => `exists (
  select from (
    select $4::text as wallet
    union all
    select d."from" from ${tables.delegation} d
     where d.chain_id = t.chain_id and d."to" = $4
       and (s.standard = 'erc721' and ${delegated("ERC721")} or s.standard = 'erc1155' and ${delegated("ERC1155")})
  ) actor where ${holds(tables)})`;

/** One answer per token, in their order. Without a wallet, everybody is entitled. */
export async function readCheckFacts(
  db: Queryable,
  tables: ChainTables,
  query: {
    readonly tokens: readonly CheckedToken[];
    readonly wallet: string | undefined;
    readonly maxAgeSeconds: number;
  },
): Promise<CheckFacts[]> {
  const { tokens, wallet, maxAgeSeconds } = query;
  return db.query<CheckFacts>(
    `select ${trusted(tables, { maxAge: "$5", schema: "$6" })} as fresh, s.standard,
            coalesce(s.burned, false) as burned, coalesce(s.lock_count, 0) as "lockCount",
            $4::text is null or ${isEntitled(tables)} as entitled,
            ${indexedBlock(tables, "t.chain_id", "$6")} as indexed
       from unnest($1::bigint[], $2::text[], $3::numeric[]) with ordinality
              as t(chain_id, collection_address, token_id, position)
       left join ${tables.tokenState} s
         on (s.chain_id, s.collection_address, s.token_id) = (t.chain_id, t.collection_address, t.token_id)
      order by t.position`,
    [
      tokens.map(({ chainId }) => chainId),
      tokens.map(({ collection }) => collection),
      tokens.map(({ tokenId }) => tokenId),
      wallet ?? null,
      maxAgeSeconds,
      tables.schema,
    ],
  );
}
