/** Which tokens a wallet has or may use, as SQL: whole collections of a holder, or single tokens. */

import type { ChainTables } from "../../chain/index/tables.ts";
import { tokenState } from "../../chain/index/token-state.ts";
import { EMPTY_RIGHTS, standsFor } from "../../delegation/rules.ts";

/**
 * SQL, for `with`: `scopes` has a row per holder and collection of which the wallet `$3` may use all tokens, with their
 * number, and one per other token that was delegated to it. `via` is the delegation as the registry answers it; null for
 * the wallet's own. Collections are `$1`, `$2`; `$4` is whether delegations count.
 *
 * Trade checks use the same rule: a delegation without limits on rights, of the wallet, the collection or the token.
 */
export const holdingScopes = (tables: ChainTables): string => `
  served as materialized (
    select c.chain_id, c.address from unnest($1::bigint[], $2::text[]) c(chain_id, address)),
  granted as materialized (
    select d.* from ${tables.delegation} d
     where $4::boolean and d.chain_id = any($1::bigint[]) and d."to" = $3 and d."from" <> $3
       and ${standsFor(`'${EMPTY_RIGHTS}'`)}),
  wide as materialized (
    select 0 as rank, h.chain_id, h.collection_address, h.holder, null::numeric as token_id, h.tokens, null::json as via
      from ${tables.collectionHolder} h
      join served c on c.chain_id = h.chain_id and c.address = h.collection_address
     where h.holder = $3 and h.tokens > 0
    union all
    select * from (
      select distinct on (h.chain_id, h.collection_address, h.holder)
             1, h.chain_id, h.collection_address, h.holder, null::numeric, h.tokens, ${via}
        from granted d
        join ${tables.collectionHolder} h on h.chain_id = d.chain_id and h.holder = d."from"
        join served c on c.chain_id = h.chain_id and c.address = h.collection_address
       where h.tokens > 0 and (d.type = 'ALL' or d.type = 'CONTRACT' and d.contract = h.collection_address)
       order by h.chain_id, h.collection_address, h.holder, d.type, d.hash) g),
  single as (
    select 1 as rank, d.chain_id, d.contract as collection_address, d."from" as holder, d.token_id, 1 as tokens, ${via} as via
      from granted d
      join served c on c.chain_id = d.chain_id and c.address = d.contract
     where not exists (select from wide w where w.rank = 1
                         and (w.chain_id, w.collection_address, w.holder) = (d.chain_id, d.contract, d."from"))
       and (d.type = 'ERC721' and exists (
              select from ${tokenState(tables, { chainId: "d.chain_id", collection: "d.contract", tokenId: "d.token_id" })} s
               where s.standard = 'erc721' and s.owner = d."from")
         or d.type = 'ERC1155' and exists (
              select from ${tables.tokenBalance} b
               where (b.chain_id, b.collection_address, b.token_id, b.holder) = (d.chain_id, d.contract, d.token_id, d."from")
                 and b.balance > 0))),
  scopes as materialized (select * from wide union all select * from single)`;

const via = `json_build_object('type', d.type, 'from', d."from", 'to', d."to", 'contract', d.contract,
  'tokenId', d.token_id::text, 'rights', d.rights, 'amount', d.amount::text)`;

/**
 * SQL: the tokens of scope `s` after the id `after`, ascending, at most `limit`, with quantities. Tokens of a range have no
 * row until they move; the list in the select clause stops as soon as there are enough.
 */
export const tokensOfScope = (tables: ChainTables, after: string, limit: string): string => {
  const inScope = (alias: string): string =>
    `${alias}.chain_id = s.chain_id and ${alias}.collection_address = s.collection_address`;
  const matches = (alias: string): string =>
    `${inScope(alias)} and ${alias}.token_id > ${after} and (s.token_id is null or ${alias}.token_id = s.token_id)`;
  return `
    select * from (
      (select t.token_id, 1::numeric as quantity from ${tables.tokenState} t
        where ${matches("t")} and t.owner = s.holder and t.standard = 'erc721' and not t.burned
        order by t.token_id limit ${limit})
      union all
      (select b.token_id, b.balance from ${tables.tokenBalance} b
        where ${matches("b")} and b.holder = s.holder and b.balance > 0
        order by b.token_id limit ${limit})
      union all
      (select unmoved.token_id, 1::numeric
         from (select generate_series(greatest(r.from_token_id, ${after} + 1, s.token_id),
                                      least(r.to_token_id, s.token_id)) as token_id
                 from (select * from ${tables.tokenRange} r
                        where ${inScope("r")} and r.owner = s.holder and r.to_token_id > ${after}
                        order by r.from_token_id offset 0) r) unmoved
        where not exists (select from ${tables.tokenState} own
                           where own.chain_id = s.chain_id and own.collection_address = s.collection_address
                             and own.token_id = unmoved.token_id and own.standard is not null)
        limit ${limit})) held
     order by held.token_id limit ${limit}`;
};
