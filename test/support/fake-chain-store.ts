/** Ponder's indexing store in memory, with the part of its interface that handlers use. */

import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { toHex } from "viem";
import { handlers } from "./ponder-registry.ts";

type Row = Record<string, unknown>;

/** Rows by table and primary key. A row that was returned changes under later writes, as in Ponder 0.16.10. */
export function createFakeChainStore() {
  const tables = new Map<PgTable, Map<string, Row>>();
  const rowsOf = (table: PgTable): Map<string, Row> => {
    const rows = tables.get(table) ?? new Map<string, Row>();
    tables.set(table, rows);
    return rows;
  };
  const keyOf = (table: PgTable, row: Row): string => {
    const { columns, primaryKeys } = getTableConfig(table);
    const key = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary);
    const fields = Object.entries(table as unknown as Record<string, { name: string }>);
    return key
      .map(({ name }) => String(row[fields.find(([, column]) => column?.name === name)?.[0] ?? ""]))
      .join("|");
  };

  const db = {
    find: async (table: PgTable, key: Row) => rowsOf(table).get(keyOf(table, key)) ?? null,
    insert: (table: PgTable) => ({
      values: (values: Row) => {
        const rows = rowsOf(table);
        const key = keyOf(table, values);
        const before = rows.get(key);
        const insert = async (): Promise<void> => {
          if (before) throw new Error(`a second row with key ${key}`);
          rows.set(key, { ...values });
        };
        return {
          // biome-ignore lint/suspicious/noThenProperty: a plain insert of Ponder's is awaited as it stands.
          then: (resolve: () => void, reject: (error: Error) => void) => insert().then(resolve, reject),
          onConflictDoUpdate: async (change: Row | ((row: Row) => Row)) => {
            if (before) Object.assign(before, typeof change === "function" ? change(before) : change);
            else rows.set(key, { ...values });
          },
        };
      },
    }),
  };
  return { db, rows: (table: PgTable): Row[] => [...rowsOf(table).values()] };
}

const word = (id: bigint): string => toHex(id, { size: 32 });

export const COLLECTION = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

/** A chain of events for one contract: each call is a log in a block of its own, in order. */
export function createEventSource(store: ReturnType<typeof createFakeChainStore>, chainId = 31337) {
  let block = 0;
  return {
    async emit(
      name: string,
      args: Row,
      at: { block?: number; log?: number; address?: string; topics?: bigint[]; data?: bigint[] } = {},
    ): Promise<void> {
      block = at.block ?? block + 1;
      const logIndex = at.log ?? 0;
      const handler = handlers.get(name.includes(":") ? name : `Collection:${name}`);
      if (!handler) throw new Error(`no handler for ${name}`);
      await handler({
        context: { db: store.db, chain: { id: chainId } },
        event: {
          id: `${String(block).padStart(10, "0")}-${chainId}-${String(logIndex).padStart(4, "0")}`,
          args,
          log: {
            address: at.address ?? COLLECTION,
            logIndex,
            topics: ["0x", ...(at.topics ?? []).map(word)],
            data: `0x${(at.data ?? []).map((id) => word(id).slice(2)).join("")}`,
          },
          block: { number: BigInt(block), hash: `0xb${block}`, timestamp: BigInt(1_700_000_000 + block) },
          transaction: { hash: `0xt${block}` },
        },
      });
    },
  };
}
