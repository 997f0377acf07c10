/** What contracts say of their collections, one row each, in PostgreSQL. */

import { type ContractRef, collectionKey } from "../../../domain/token-ref.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { type ContractFields, noFields, type Royalty } from "./contract-fields.ts";

export interface StoredContract {
  readonly fields: ContractFields;
  readonly royalty: Royalty | null;
  readonly changedAt: Date;
}

interface Row {
  readonly chainId: string;
  readonly address: string;
}

const placeOf = ({ chainId, address }: Row): ContractRef => ({ chainId: Number(chainId), address });

/** By `collectionKey`. */
export async function readContracts(
  db: Queryable,
  contracts: readonly ContractRef[],
): Promise<ReadonlyMap<string, StoredContract>> {
  const rows = await db.query<
    Row & { fields: string; receiver: string | null; percent: number | null; changedAt: Date }
  >(
    `select c.chain_id as "chainId", c.collection as address, c.fields, c.royalty_receiver as receiver,
            c.royalty_percent as percent, c.changed_at as "changedAt"
       from unnest($1::bigint[], $2::text[]) as k(chain_id, collection)
       join vitrine.contract_metadata c using (chain_id, collection)`,
    columnsOf(contracts, "chainId", "address"),
    "read contracts",
  );
  return new Map(
    rows.map(({ fields, receiver, percent, changedAt, ...row }) => [
      collectionKey(placeOf(row)),
      {
        fields: { ...noFields, ...(JSON.parse(fields) as Partial<ContractFields>) },
        royalty: receiver === null || percent === null ? null : { receiver, percent },
        changedAt,
      },
    ]),
  );
}

/** The last read of a contract's document, whether or not it was of use. */
export interface DocumentRead {
  /** Null where the contract named none. */
  readonly uri: string | null;
  /** Why the document isn't used. */
  readonly reason: string | null;
  readonly readAt: Date;
}

/** Undefined until the contract was read. */
export async function readDocumentRead(
  db: Queryable,
  { chainId, address }: ContractRef,
): Promise<DocumentRead | undefined> {
  const [row] = await db.query<DocumentRead>(
    `select uri, reason, read_at as "readAt" from vitrine.contract_metadata
      where chain_id = $1 and collection = $2 and read_at is not null`,
    [chainId, address],
  );
  return row;
}

/** Adds a row for each new collection, which is due. */
export async function addContracts(db: Queryable, contracts: readonly ContractRef[]): Promise<void> {
  await db.query(
    `insert into vitrine.contract_metadata (chain_id, collection)
     select * from unnest($1::bigint[], $2::text[]) on conflict do nothing`,
    columnsOf(contracts, "chainId", "address"),
  );
}

export interface DueContract extends ContractRef {
  /** Of the event that asks for the read; 0 without one. */
  readonly minBlock: number;
  /** When the claim ends, as PostgreSQL's text of a time: another claim has another end. */
  readonly claimedUntil: string;
}

/** Claims up to `limit` due collections for this long: another process takes over if this one dies. */
export async function claimDue(
  db: Queryable,
  contracts: readonly ContractRef[],
  leaseMs: number,
  limit: number,
): Promise<DueContract[]> {
  const rows = await db.query<Row & { minBlock: string; claimedUntil: string }>(
    `update vitrine.contract_metadata c set due_at = now() + $3 * interval '1 millisecond'
      where (chain_id, collection) in (
        select chain_id, collection from vitrine.contract_metadata
          join unnest($1::bigint[], $2::text[]) as k(chain_id, collection) using (chain_id, collection)
         where due_at <= now() order by due_at limit $4 for update of contract_metadata skip locked)
     returning chain_id as "chainId", collection as address, coalesce(watched_block, 0) as "minBlock",
               due_at::text as "claimedUntil"`,
    [...columnsOf(contracts, "chainId", "address"), leaseMs, limit],
  );
  return rows.map(({ minBlock, claimedUntil, ...row }) => ({
    ...placeOf(row),
    minBlock: Number(minBlock),
    claimedUntil,
  }));
}

export interface ContractRead {
  readonly block: number;
  readonly uri: string | null;
  /** Undefined leaves what was read before, with the reason. */
  readonly fields: ContractFields | undefined;
  readonly royalty: Royalty | null;
  readonly reason: string | null;
}

/**
 * Records a read, unless another process has claimed a later one. The next one is due after this time, unless something asked
 * for one meanwhile.
 */
export async function recordContract(
  db: Queryable,
  { chainId, address, claimedUntil }: DueContract,
  { block, uri, fields, royalty, reason }: ContractRead,
  nextMs: number,
): Promise<void> {
  await db.query(
    `update vitrine.contract_metadata
        set changed_at = case when (fields, royalty_receiver, royalty_percent)
                                   is distinct from (coalesce($5, fields), $6, $7::float8) then now() else changed_at end,
            uri = $4, fields = coalesce($5, fields), royalty_receiver = $6, royalty_percent = $7, reason = $8,
            read_at = now(), read_block = $3,
            due_at = case when due_at <= now() then due_at else now() + $9 * interval '1 millisecond' end
      where chain_id = $1 and collection = $2 and (due_at <= now() or due_at = $10::timestamptz)`,
    [
      chainId,
      address,
      block,
      uri,
      fields ? JSON.stringify(fields) : null,
      royalty?.receiver ?? null,
      royalty?.percent ?? null,
      reason,
      nextMs,
      claimedUntil,
    ],
  );
}

/** Postpones a read that could not be tried, unless something has asked for one meanwhile. */
export async function postponeContract(
  db: Queryable,
  { chainId, address, claimedUntil }: DueContract,
  ms: number,
): Promise<void> {
  await db.query(
    `update vitrine.contract_metadata set due_at = least(due_at, now() + $3 * interval '1 millisecond')
      where chain_id = $1 and collection = $2 and due_at = $4::timestamptz`,
    [chainId, address, ms, claimedUntil],
  );
}

/** The lowest block up to which the logs of these collections of one chain were searched; undefined for a new one. */
export async function readWatched(
  db: Queryable,
  chainId: number,
  addresses: readonly string[],
): Promise<number | undefined> {
  const [row] = await db.query<{ block: string | null; isNew: boolean }>(
    `select min(watched_block) as block, coalesce(bool_or(watched_block is null), true) as "isNew"
       from vitrine.contract_metadata where chain_id = $1 and collection = any($2)`,
    [chainId, addresses],
  );
  return !row || row.isNew || row.block === null ? undefined : Number(row.block);
}

/** Records how far the logs were searched, and makes the collections due whose contract announced a change. */
export async function noteWatched(
  db: Queryable,
  chainId: number,
  addresses: readonly string[],
  block: number,
  changed: readonly string[],
): Promise<void> {
  await db.query(
    `update vitrine.contract_metadata
        set watched_block = $3, due_at = case when collection = any($4) then now() else due_at end
      where chain_id = $1 and collection = any($2)`,
    [chainId, addresses, block, changed],
  );
}
