/** Hosts that `video` and `animation_url` may be shown from (spec.md "Token metadata document"). */

import { and, eq } from "drizzle-orm";
import { primaryKey, text } from "drizzle-orm/pg-core";
import { collectionKey } from "../../../domain/token-ref.ts";
import { cached } from "../../async/promise-cache.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { orm, timestamptz, vitrine } from "../../db/orm.ts";
import { hostMatches } from "./host-pattern.ts";

export const ALLOWLIST_CHANNEL = "vitrine_allowlist";
// A replica whose notification is lost has the change within this time.
const REMEMBER_MS = 2_000;

export interface AllowedHost {
  readonly pattern: string;
  /** `chainId:address`, or null for every collection. */
  readonly collection: string | null;
  readonly added_by: string;
  readonly added_at: string;
}

/** The table as its typed statements use it. */
export const allowedHost = vitrine.table(
  "allowed_host",
  {
    pattern: text().notNull(),
    /** Empty for every collection. */
    collection: text().notNull().default(""),
    addedBy: text().notNull(),
    addedAt: timestamptz().notNull().defaultNow(),
  },
  ({ pattern, collection }) => [primaryKey({ columns: [pattern, collection] })],
);

const readAll = async (db: Queryable) =>
  orm(db).select().from(allowedHost).orderBy(allowedHost.collection, allowedHost.pattern);

/** Delivered when the transaction commits. */
const notifyReplicas = (tx: Queryable) => tx.query("select pg_notify($1, '')", [ALLOWLIST_CHANNEL]);

export function createAllowlist(database: Database, now?: () => number) {
  const rows = cached(() => readAll(database), { ttlMs: REMEMBER_MS, now });

  /** By scopes. The same test as long as the list stays as it is, so that others see that nothing has changed. */
  const tests = new Map<string, { readonly list: string; readonly test: (host: string) => boolean }>();

  async function testFor(scopes: readonly string[]): Promise<(host: string) => boolean> {
    const patterns = (await rows.read())
      .filter(({ collection }) => scopes.includes(collection))
      .map(({ pattern }) => pattern);
    const [scope, list] = [scopes.join(" "), patterns.join(" ")];
    const known = tests.get(scope);
    if (known?.list === list) return known.test;
    const test = (host: string): boolean =>
      patterns.some((pattern) => hostMatches(pattern, host.toLowerCase()));
    tests.set(scope, { list, test });
    return test;
  }

  return {
    /** To be called once a change is committed: before that, others may still read the old list. */
    forget: rows.clear,

    /** The test for one collection's hosts, as of at most two seconds ago. */
    forCollection: (chainId: number, address: string): Promise<(host: string) => boolean> =>
      testFor(["", collectionKey({ chainId, address })]),

    /** The test for hosts that every collection may use. */
    forAll: (): Promise<(host: string) => boolean> => testFor([""]),

    async list(): Promise<AllowedHost[]> {
      return (await readAll(database)).map(({ pattern, collection, addedBy, addedAt }) => ({
        pattern,
        collection: collection || null,
        added_by: addedBy,
        added_at: addedAt.toISOString(),
      }));
    },

    async add(tx: Queryable, pattern: string, collection: string | null, actor: string): Promise<void> {
      const host = { pattern, collection: collection ?? "", addedBy: actor };
      await orm(tx).insert(allowedHost).values(host).onConflictDoNothing();
      await notifyReplicas(tx);
    },

    /** False when it was not on the list. */
    async remove(tx: Queryable, pattern: string, collection: string | null): Promise<boolean> {
      const removed = await orm(tx)
        .delete(allowedHost)
        .where(and(eq(allowedHost.pattern, pattern), eq(allowedHost.collection, collection ?? "")))
        .returning({ pattern: allowedHost.pattern });
      await notifyReplicas(tx);
      return removed.length > 0;
    },
  };
}

export type Allowlist = ReturnType<typeof createAllowlist>;
