/**
 * Whether a wallet may act for an owner of a token, as SQL whose cost nobody else decides: anyone may delegate to a wallet
 * and give away tokens, any number of times. `t` is a token and `s` its state; the wallet is $4, and the tokens' chains,
 * collections and ids are $1 to $3.
 */

import type { ChainTables } from "../../chain/index/tables.ts";
import type { Scope } from "../../delegation/registry/rights.ts";
import { covers, EMPTY_RIGHTS, standsFor, waysToCover } from "../../delegation/rules.ts";

const token = { contract: "t.collection_address", tokenId: "t.token_id" };
// Fewer probes than a page of a token's holders has rows, so these need not be counted.
const FEW = 32;
const unlimited = standsFor(`'${EMPTY_RIGHTS}'`);

/**
 * SQL, for `with`: `represented` are the wallet's unlimited ERC-1155 delegations from holders of a checked collection.
 * Delegations of strangers who hold nothing of it are so read once per statement, and not once per token.
 */
export const represented = (tables: ChainTables): string => `
  represented as materialized (
    select d.*, held.collection_address
      from ${tables.delegation} d
     cross join unnest(array(select distinct unnest($2::text[]))) as among(collection_address)
     cross join lateral (
       select b.collection_address from ${tables.tokenBalance} b
        where b.chain_id = d.chain_id and b.collection_address = among.collection_address and b.holder = d."from"
          and b.balance > 0 limit 1) held
     where d.chain_id = any($1::bigint[]) and d."to" = $4 and ${unlimited}
       and ${covers("ERC1155", { contract: "among.collection_address", tokenId: "any($3::numeric[])" })})`;

/** SQL: `owner` has delegated token `t` to the wallet without limits. One probe of a database index per way. */
const hasDelegated = (tables: ChainTables, scope: Scope, owner: string): string => {
  const probes = waysToCover(scope, token).map(
    (way) => `
      select 1 from ${tables.delegation} d
       where d.chain_id = t.chain_id and d."to" = $4 and d."from" = ${owner} and ${unlimited} and ${way}`,
  );
  return `exists (${probes.join(" union all ")})`;
};

/** SQL: holders of token `t`. */
const holders = (tables: ChainTables): string => `
  ${tables.tokenBalance} b
    where (b.chain_id, b.collection_address, b.token_id) = (t.chain_id, t.collection_address, t.token_id) and b.balance > 0`;

/**
 * SQL: whose ERC-1155 token `t` the wallet may transfer: its own, else the first holder's that it acts for, else null.
 * Goes through whichever are fewer: the token's holders, or those that the wallet acts for.
 */
const actsFor = (tables: ChainTables): string => `
  coalesce(
    (select b.holder from ${holders(tables)} and b.holder = $4),
    case when (select count(*) from represented) <= ${FEW}
           or exists (select from ${holders(tables)} offset (select count(*) from represented)) then
      (select d."from" from represented d
        cross join lateral (select from ${holders(tables)} and b.holder = d."from" limit 1) held
        where d.chain_id = t.chain_id and d.collection_address = t.collection_address and ${covers("ERC1155", token)}
        order by d."from" limit 1)
    else
      (select b.holder from ${holders(tables)} and ${hasDelegated(tables, "ERC1155", "b.holder")}
        order by b.holder limit 1)
    end)`;

/** SQL: the wallet owns token `t`, or an owner has delegated it to the wallet without limits. Needs `represented`. */
export const isEntitled = (tables: ChainTables): string => `
  coalesce(
    case s.standard
      when 'erc721' then s.owner = $4 or ${hasDelegated(tables, "ERC721", "s.owner")}
      when 'erc1155' then ${actsFor(tables)} is not null
    end, false)`;

/** SQL: whose transfer the wallet would make: an ERC-721 token's owner's, or that of whom it acts for. */
export const senderFor = (tables: ChainTables): string =>
  `case s.standard when 'erc721' then s.owner when 'erc1155' then ${actsFor(tables)} end`;

/** SQL: any holder of token `t`. */
export const anyHolder = (tables: ChainTables): string => `
  case s.standard when 'erc721' then s.owner when 'erc1155' then
    (select b.holder from ${holders(tables)} order by b.holder limit 1)
  end`;
