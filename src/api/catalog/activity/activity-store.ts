/** Transfers and lock events from the chain index, by kind, newest first. */

import type { ContractRef } from "../../../domain/token-ref.ts";
import { collectionOf } from "../../chain/index/serving-indexes.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { mintRange } from "../../chain/index/token-state.ts";
import {
  inChainOrder,
  type TransferKind,
  transferKind,
  ZERO_ADDRESS,
} from "../../chain/index/transfer-kind.ts";
import { planName, type Queryable } from "../../db/database.ts";

export type LockDirection = "lock" | "unlock";

export interface ChainActivity {
  /** Ids sort in chain order, by their characters; the first ten digits are the block's Unix seconds. */
  readonly id: string;
  readonly type: TransferKind | LockDirection;
  readonly chainId: number;
  readonly collection: string;
  /** Null for a lock default of the collection. */
  readonly tokenId: string | null;
  /** Set for the mint of a range. */
  readonly lastTokenId: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly quantity: string | null;
  readonly block: number;
  /** The block's Unix seconds. */
  readonly timestamp: number;
  readonly transactionHash: string;
}

/** Whose activity: a token's, a collection's, or a wallet's on these chains. */
export type Subject =
  | ({ readonly of: "token"; readonly tokenId: string } & ContractRef)
  | ({ readonly of: "collection" } & ContractRef)
  | { readonly of: "wallet"; readonly chainIds: readonly number[]; readonly wallet: string };

interface Page {
  readonly transferKinds: readonly TransferKind[];
  readonly lockDirections: readonly LockDirection[];
  /** Only events with a lower id. */
  readonly before: string;
  readonly limit: number;
}

// Parameters: $1 transfer kinds, $2 lock directions, $3 before, $4 limit, $5 and on the subject.
const newest = (from: string, condition: string, columns: string, alias: string): string => `
  select ${columns} from ${from} ${alias}
   where ${condition} and ${inChainOrder(`${alias}.id`)} < $3
   order by ${inChainOrder(`${alias}.id`)} desc limit $4`;

const event = (alias: string, type: string, rest: string): string =>
  `${alias}.id, ${type} as type, ${alias}.chain_id, ${alias}.collection_address, ${alias}.token_id, ${rest},
   ${alias}.block_number, ${alias}.block_timestamp, ${alias}.transaction_hash`;

const transfers = (tables: ChainTables, condition: string): string =>
  newest(
    tables.tokenTransfer,
    `${condition} and ${transferKind("t")} = k.kind`,
    event("t", "k.kind", `t.last_token_id, t."from", t."to", t.quantity`),
    "t",
  );

const locks = (tables: ChainTables, condition: string): string =>
  newest(
    tables.lockEvent,
    `${condition} and l.direction = d.direction`,
    event("l", "d.direction", `null::numeric, null::text, null::text, null::numeric`),
    "l",
  );

// A scan per kind reads as many rows as the page has at most, however rare the kind is.
const eachKind = (scan: string): string =>
  `select s.* from unnest($1::text[]) k(kind) cross join lateral (${scan}) s`;
const eachDirection = (scan: string): string =>
  `select s.* from unnest($2::text[]) d(direction) cross join lateral (${scan}) s`;
const chains = "unnest($5::bigint[]) c(id)";

/** The mint of a range is one row for all of its tokens; a token's own is derived from the range. */
const rangeMint = (tables: ChainTables): string => `
  select r.transfer_id, 'mint', $5::bigint, $6::text, $7::numeric, null::numeric, '${ZERO_ADDRESS}', r.owner, 1::numeric,
         r.minted_block, r.block_timestamp, r.transaction_hash
    from ${mintRange(tables, { chainId: "$5::bigint", collection: "$6::text", tokenId: "$7::numeric" })} r
   where 'mint' = any($1::text[]) and ${inChainOrder("r.transfer_id")} < $3`;

function scansOf(tables: ChainTables, { of }: Subject): readonly string[] {
  if (of === "wallet") {
    const ofWallet = (party: string): string =>
      `select w.* from ${chains} cross join lateral (
         ${eachKind(transfers(tables, `t.chain_id = c.id and t."${party}" = $6`))}) w`;
    return [
      // A transfer to oneself is in both. Left out of one, all of them would be read to fill a page without them.
      `(${ofWallet("to")} union ${ofWallet("from")})`,
      `select w.* from ${chains} cross join lateral (
         ${eachDirection(locks(tables, "l.chain_id = c.id and l.holder = $6"))}) w`,
    ];
  }
  if (of === "collection") {
    const inCollection = (alias: string): string => `${alias}.chain_id = $5 and ${collectionOf(alias)} = $6`;
    return [eachKind(transfers(tables, inCollection("t"))), eachDirection(locks(tables, inCollection("l")))];
  }
  const ofToken = (alias: string): string =>
    `${alias}.chain_id = $5 and ${alias}.collection_address = $6 and ${alias}.token_id = $7`;
  return [
    eachKind(transfers(tables, `${ofToken("t")} and t.last_token_id is null`)),
    eachDirection(locks(tables, ofToken("l"))),
    rangeMint(tables),
  ];
}

function parametersOf(subject: Subject): readonly unknown[] {
  if (subject.of === "wallet") return [subject.chainIds, subject.wallet];
  const collection = [subject.chainId, subject.address];
  return subject.of === "token" ? [...collection, subject.tokenId] : collection;
}

/** Up to `limit` events of these kinds, newest first. A collection's lock defaults are among its events. */
export async function readChainActivity(
  db: Queryable,
  tables: ChainTables,
  subject: Subject,
  { transferKinds, lockDirections, before, limit }: Page,
): Promise<ChainActivity[]> {
  const text = `
    select e.id, e.type, e.chain_id as "chainId", e.collection as "collection", e.token_id::text as "tokenId",
           e.last_token_id::text as "lastTokenId", e."from", e."to", e.quantity::text as quantity, e.block,
           e.timestamp, e.transaction_hash as "transactionHash"
      from (${scansOf(tables, subject).join(" union all ")})
             e(id, type, chain_id, collection, token_id, last_token_id, "from", "to", quantity, block, timestamp,
               transaction_hash)
     order by ${inChainOrder("e.id")} desc limit $4`;
  type Row = Omit<ChainActivity, "chainId" | "block" | "timestamp"> & {
    readonly chainId: string;
    readonly block: string;
    readonly timestamp: string;
  };
  const rows = await db.query<Row>(
    text,
    [transferKinds, lockDirections, before, limit, ...parametersOf(subject)],
    planName(text),
  );
  return rows.map((row) => ({
    ...row,
    chainId: Number(row.chainId),
    block: Number(row.block),
    timestamp: Number(row.timestamp),
  }));
}
