/** Logs of collections that the chain index could not apply in full (ponder.schema.ts, `index_anomaly`). */

import type { ContractRef } from "../../../domain/token-ref.ts";
import { columnsOf } from "../../db/columns.ts";
import { planName, type Queryable } from "../../db/database.ts";
import type { Logger } from "../../logging/logger.ts";
import type { ChainTables } from "./tables.ts";

export interface Anomaly {
  readonly kind: string;
  /** The number of logs. */
  readonly count: number;
  readonly firstBlock: number;
  /** Describes the first occurrence. */
  readonly detail: string;
}

/** Per collection, in the given order; kinds ordered by first occurrence. */
export async function readAnomalies(
  db: Queryable,
  tables: ChainTables,
  collections: readonly ContractRef[],
): Promise<Anomaly[][]> {
  const text = `
    select k.place::int, a.kind, a.count, a.first_block as "firstBlock", a.detail
      from unnest($1::bigint[], $2::text[]) with ordinality as k(chain_id, address, place)
      join ${tables.indexAnomaly} a on a.chain_id = k.chain_id and a.collection_address = k.address
     order by a.first_block, a.kind`;
  const rows = await db.query<Omit<Anomaly, "firstBlock"> & { place: number; firstBlock: string }>(
    text,
    columnsOf(collections, "chainId", "address"),
    planName(text),
  );
  return collections.map((_, index) =>
    rows
      .filter(({ place }) => place === index + 1)
      .map(({ kind, count, firstBlock, detail }) => ({
        kind,
        count,
        firstBlock: Number(firstBlock),
        detail,
      })),
  );
}

/** Logs each kind of anomaly of each collection once, however often it is called. */
export function createAnomalyLog(deps: {
  readonly database: Queryable;
  readonly tables: ChainTables;
  readonly logger: Logger;
}): () => Promise<void> {
  const { database, tables, logger } = deps;
  const logged = new Set<string>();
  return async () => {
    const rows = await database.query<{ chainId: string; collection: string; kind: string; detail: string }>(
      `select chain_id as "chainId", collection_address as collection, kind, detail from ${tables.indexAnomaly}`,
    );
    for (const { chainId, collection, kind, detail } of rows) {
      const name = JSON.stringify([chainId, collection, kind]);
      if (logged.has(name)) continue;
      logged.add(name);
      logger.warn({
        msg: "A collection's logs could not be indexed in full",
        chain_id: Number(chainId),
        collection,
        kind,
        detail,
      });
    }
  };
}
