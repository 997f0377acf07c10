/** The largest holders of an ERC-1155 token, from the chain index. */

import type { TokenRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { planName, type Queryable } from "../../db/database.ts";

export interface Holder {
  readonly holder: string;
  /** Above zero, in decimal digits. */
  readonly balance: string;
}

/** The wallets with the highest balances, at most `limit`, highest first. */
export function readTopHolders(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection, tokenId }: TokenRef,
  limit: number,
): Promise<readonly Holder[]> {
  const text = `
    select holder, balance::text from ${tables.tokenBalance}
     where chain_id = $1 and collection_address = $2 and token_id = $3 and balance > 0
     order by token_balance.balance desc, holder limit $4`;
  return db.query<Holder>(text, [chainId, collection, tokenId, limit], planName(text));
}
