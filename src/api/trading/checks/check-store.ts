/** The facts of a trade check, for many tokens in one statement: separate reads could mix different moments. */

import { lockCount } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { tokenOf, tokenState } from "../../chain/index/token-state.ts";
import type { IndexedBlock } from "../../chain/rpc/head-witness.ts";
import { planName, type Queryable } from "../../db/database.ts";
import type { Scope } from "../../delegation/registry/rights.ts";
import { covers, EMPTY_RIGHTS, standsFor } from "../../delegation/rules.ts";
import { heads, trusted } from "../store.ts";
import type { GuardFacts } from "./guard.ts";
import { opensAt } from "./opening.ts";

export interface CheckedToken {
  readonly chainId: number;
  /** In lower case. */
  readonly collection: string;
  readonly tokenId: string;
}

export interface CheckFacts extends GuardFacts {
  /** The latest indexed block of the token's chain; null before the first. */
  readonly indexed: IndexedBlock | null;
  /** Whose transfer of the token is simulated; null if unknown or not requested. */
  readonly holder: string | null;
}

const token = { contract: "t.collection_address", tokenId: "t.token_id" };
const delegated = (scope: Scope): string => `${standsFor(`'${EMPTY_RIGHTS}'`)} and ${covers(scope, token)}`;

/** SQL: `actor.wallet` owns token `t` itself. */
const holds = (tables: ChainTables): string => `
  (s.standard = 'erc721' and s.owner = actor.wallet
   or s.standard = 'erc1155' and exists (
     select from ${tables.tokenBalance} b
      where (b.chain_id, b.collection_address, b.token_id, b.holder)
          = (t.chain_id, t.collection_address, t.token_id, actor.wallet) and b.balance > 0))`;

/** SQL: the wallet $4, then those that have delegated token `t` to it without limits. */
const actors = (tables: ChainTables): string => `(
    select $4::text as wallet, 0 as distance
    union all
    select d."from", 1 from ${tables.delegation} d
     where d.chain_id = t.chain_id and d."to" = $4
       and (s.standard = 'erc721' and ${delegated("ERC721")} or s.standard = 'erc1155' and ${delegated("ERC1155")})
  ) actor`;

/** SQL: the wallet $4 owns token `t`, or an owner has delegated it to the wallet without limits. */
const isEntitled = (tables: ChainTables): string =>
  `exists (select from ${actors(tables)} where ${holds(tables)})`;

/** SQL: an ERC-721 token's owner; for ERC-1155, the wallet $4 or whom it acts for, or any holder without a wallet. */
const holder = (tables: ChainTables): string => `
  case s.standard when 'erc721' then s.owner when 'erc1155' then
    case when $4::text is not null then
      (select actor.wallet from ${actors(tables)} where ${holds(tables)} order by actor.distance, actor.wallet limit 1)
    else
      (select b.holder from ${tables.tokenBalance} b
        where (b.chain_id, b.collection_address, b.token_id) = (t.chain_id, t.collection_address, t.token_id)
          and b.balance > 0
        order by b.holder limit 1)
    end
  end`;

/** One row per token, in their order. Without a wallet, every token is `entitled`. `withHolder` includes `holder`. */
export async function readCheckFacts(
  db: Queryable,
  tables: ChainTables,
  query: {
    readonly tokens: readonly CheckedToken[];
    readonly wallet: string | undefined;
    readonly withHolder: boolean;
    readonly maxAgeSeconds: number;
  },
): Promise<CheckFacts[]> {
  const { tokens, wallet, withHolder, maxAgeSeconds } = query;
  const text = `
    with ${heads(tables, { chainIds: "$1::bigint[]", maxAge: "$5", schema: "$6" })}
    select ${trusted(tables)} as fresh, s.standard,
            coalesce(s.burned, false) as burned, ${lockCount(tables, "s")} as "lockCount",
            ${opensAt} as "opensAt",
            $4::text is null or ${isEntitled(tables)} as entitled,
            ${withHolder ? holder(tables) : "null"} as holder,
            case when t.position = 1 then (select json_object_agg(h.chain_id, h.indexed) from heads h) end as heads
       from unnest($1::bigint[], $2::text[], $3::numeric[]) with ordinality
              as t(chain_id, collection_address, token_id, position)
       left join lateral ${tokenState(tables, tokenOf("t"))} s on true
       left join heads c on c.chain_id = t.chain_id
      order by t.position`;
  const rows = await db.query<CheckRow>(
    text,
    [
      tokens.map(({ chainId }) => chainId),
      tokens.map(({ collection }) => collection),
      tokens.map(({ tokenId }) => tokenId),
      wallet ?? null,
      maxAgeSeconds,
      tables.schema,
    ],
    planName(text),
  );
  const indexed = rows[0]?.heads ?? {};
  return rows.map(({ heads: _, ...facts }, at) => ({
    ...facts,
    indexed: indexed[tokens[at]?.chainId ?? ""] ?? null,
  }));
}

interface CheckRow extends Omit<CheckFacts, "indexed"> {
  /** Of each chain that was asked for, in the first row: it is long, and the same for all of its tokens. */
  readonly heads: Readonly<Record<string, IndexedBlock>> | null;
}
