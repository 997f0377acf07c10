/** Ponder's indexing store in memory, with the part of its interface that handlers use. */

import { getTableColumns } from "drizzle-orm";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { type AbiEvent, concatHex, decodeEventLog, type Hex, toEventSelector, toHex } from "viem";
import { tokenEventsAbi } from "../../../abis/token-events.ts";
import { handlers } from "../setup/ponder-registry.ts";

type Row = Record<string, unknown>;

/** Rows by table and primary key. Unlike Ponder 0.17, and like any older one, later writes change a row that was returned. */
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

  // Ponder stores null for what a row leaves out.
  const nulls = (table: PgTable): Row =>
    Object.fromEntries(Object.keys(getTableColumns(table)).map((field) => [field, null]));

  const db = {
    find: async (table: PgTable, key: Row) => rowsOf(table).get(keyOf(table, key)) ?? null,
    delete: async (table: PgTable, key: Row) => rowsOf(table).delete(keyOf(table, key)),
    update: (table: PgTable, key: Row) => ({
      set: async (change: Row) => {
        const row = rowsOf(table).get(keyOf(table, key));
        if (!row) throw new Error(`no row with key ${keyOf(table, key)}`);
        Object.assign(row, change);
      },
    }),
    insert: (table: PgTable) => ({
      values: (given: Row) => {
        const values = { ...nulls(table), ...given };
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

const word = (id: bigint): Hex => toHex(id, { size: 32 });

export const COLLECTION = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

interface Place {
  block?: number;
  log?: number;
  address?: string;
}

export interface EmittedLog {
  /** The event's signature, `Transfer(address,address,uint256)`, or its topic. */
  readonly event: string;
  /** Its indexed arguments. */
  readonly topics?: readonly (bigint | string)[];
  /** Words, or raw data. */
  readonly data?: readonly (bigint | string)[] | Hex;
}

const asWord = (value: bigint | string): Hex => word(BigInt(value));
const topicOf = (event: string): Hex => (event.startsWith("0x") ? (event as Hex) : toEventSelector(event));

// A hash per log and event of the ABI would be most of the time of tests with thousands of logs.
const watched = tokenEventsAbi.map((item) => ({ item, topic: toEventSelector(item) }));

/** A chain of events for one contract: each call is a log in its own block, in order. */
export function createEventSource(store: ReturnType<typeof createFakeChainStore>, chainId = 31337) {
  let block = 0;
  const next = (at: Place): number => {
    block = at.block ?? block + 1;
    return block;
  };

  async function handle(name: string, args: Row | undefined, log: { topics: Hex[]; data: Hex }, at: Place) {
    const logIndex = at.log ?? 0;
    const handler = handlers.get(name.includes(":") ? name : `Collection:${name}`);
    if (!handler) throw new Error(`no handler for ${name}`);
    await handler({
      context: { db: store.db, chain: { id: chainId } },
      event: {
        id: `${String(block).padStart(10, "0")}-${chainId}-${String(logIndex).padStart(4, "0")}`,
        args,
        log: { address: at.address ?? COLLECTION, logIndex, ...log },
        block: { number: BigInt(block), hash: `0xb${block}`, timestamp: BigInt(1_700_000_000 + block) },
        transaction: { hash: `0xt${block}` },
      },
    });
  }

  return {
    /** Passes an event to the handler of its name, with the arguments that Ponder would decode. */
    async emit(
      name: string,
      args: Row,
      at: Place & { topics?: bigint[]; data?: bigint[] } = {},
    ): Promise<void> {
      next(at);
      const topics = [word(0n), ...(at.topics ?? []).map(word)];
      await handle(name, args, { topics, data: concatHex([...(at.data ?? []).map(word)]) }, at);
    },

    /** Passes a log to every handler that Ponder would: those of its topic whose ABI can decode it. */
    async log({ event, topics = [], data = [] }: EmittedLog, at: Place = {}): Promise<void> {
      next(at);
      const log = {
        topics: [topicOf(event), ...topics.map(asWord)],
        data: typeof data === "string" ? data : concatHex(data.map(asWord)),
      };
      for (const { item, topic } of watched) {
        if (topic !== log.topics[0] || !handlers.has(`Collection:${item.name}`)) continue;
        const args = decode(item, log);
        if (args) await handle(item.name, args, log, at);
      }
    },
  };
}

/** Undefined for a log that Ponder would drop. */
function decode(item: AbiEvent, { topics, data }: { topics: Hex[]; data: Hex }): Row | undefined {
  if (item.inputs.length === 0) return {};
  try {
    const { args } = decodeEventLog({ abi: [item], topics: topics as [Hex, ...Hex[]], data });
    return lowerCased(args ?? {});
  } catch {
    return undefined;
  }
}

/** Ponder passes addresses in lower case. */
export const lowerCased = (args: object): Row =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === "string" ? value.toLowerCase() : value,
    ]),
  );
