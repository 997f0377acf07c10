/** The facts of a trade check, for many tokens in one statement: separate reads could mix different moments. */

import { lockCount } from "../../chain/index/lock-sql.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { tokenOf, tokenState } from "../../chain/index/token-state.ts";
import type { IndexedBlock } from "../../chain/rpc/head-witness.ts";
import { columnsOf } from "../../db/columns.ts";
import { planName, type Queryable } from "../../db/database.ts";
import { heads, trusted } from "../store.ts";
import { anyHolder, isEntitled, represented, senderFor } from "./entitlement.ts";
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
  /** The collection's transfers are indexed, and none has all its arguments in topics. False if not requested. */
  readonly hasDraftEvents: boolean;
}

/** One row per token, in their order. Without a wallet, every token is `entitled`. `withHolder` includes what a transfer needs. */
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
  const isForWallet = wallet !== undefined;
  const holder = isForWallet ? senderFor(tables) : anyHolder(tables);
  // Without a wallet, its part is left out: PostgreSQL would prepare it for each statement, and never run it.
  const text = `
    with ${heads(tables, { chainIds: "$1::bigint[]", maxAge: "$5", schema: "$6" })}
         ${isForWallet ? `, ${represented(tables)}` : ""}
    select ${trusted(tables)} as fresh, s.standard,
            coalesce(s.burned, false) as burned, ${lockCount(tables, "s")} as "lockCount",
            ${opensAt} as "opensAt",
            ${isForWallet ? isEntitled(tables) : "$4::text is null"} as entitled,
            ${withHolder ? holder : "null"} as holder,
            ${withHolder ? hasDraftEvents(tables) : "false"} as "hasDraftEvents",
            case when t.position = 1 then (select json_object_agg(h.chain_id, h.indexed) from heads h) end as heads
       from unnest($1::bigint[], $2::text[], $3::numeric[]) with ordinality
              as t(chain_id, collection_address, token_id, position)
       left join lateral ${tokenState(tables, tokenOf("t"))} s on true
       left join heads c on c.chain_id = t.chain_id
      order by t.position`;
  const rows = await db.query<CheckRow>(
    text,
    [...columnsOf(tokens, "chainId", "collection", "tokenId"), wallet ?? null, maxAgeSeconds, tables.schema],
    planName(text),
  );
  const indexed = rows[0]?.heads ?? {};
  return rows.map(({ heads: _, ...facts }, at) => ({
    ...facts,
    indexed: indexed[tokens[at]?.chainId ?? ""] ?? null,
  }));
}

/** SQL: of the collection of token `t`. */
const hasDraftEvents = ({ collectionState }: ChainTables): string => `
  exists (select from ${collectionState} k
           where (k.chain_id, k.collection_address) = (t.chain_id, t.collection_address)
             and k.has_indexed_transfers is not true)`;

interface CheckRow extends Omit<CheckFacts, "indexed"> {
  /** Of each chain that was asked for, in the first row: it is long, and the same for all of its tokens. */
  readonly heads: Readonly<Record<string, IndexedBlock>> | null;
}
