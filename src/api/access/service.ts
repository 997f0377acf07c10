/** The access room's door: apps and keys, and whose key a request carries. */

import type { CallerApp } from "../contract/router.ts";
import type { Database } from "../store/database.ts";
import { hashKey, isKeyShaped, makeKey } from "./keys.ts";
import {
  addAudit,
  addKey,
  findAppByKeyHash,
  type KeyRow,
  listKeys,
  type NewApp,
  revokeKey,
  saveApp,
} from "./store.ts";

// Permission changes and revocations must reach every replica within 5 s.
const REMEMBER_MS = 2_000;
const REMEMBERED_MAX = 10_000;

export function createAccess(database: Database, now: () => number = Date.now) {
  const remembered = new Map<string, { readonly at: number; readonly app: Promise<CallerApp | undefined> }>();

  return {
    /**
     * The app of a key, or undefined for one that is unknown or revoked. Fails closed: it throws when the database
     * can't be asked. Answers are kept for two seconds.
     */
    findApp(key: string): Promise<CallerApp | undefined> {
      if (!isKeyShaped(key)) return Promise.resolve(undefined);
      const hash = hashKey(key);
      const name = hash.toString("base64");
      const kept = remembered.get(name);
      if (kept && now() - kept.at < REMEMBER_MS) return kept.app;

      const app = findAppByKeyHash(database, hash);
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(name, { at: now(), app });
      app.catch(() => remembered.delete(name));
      return app;
    },

    /** Makes a key. The answer is the only place where the key itself is ever seen. */
    async createKey(app: NewApp, actor: string): Promise<{ readonly id: string; readonly key: string }> {
      const { key, hash, start } = makeKey();
      const id = await database.transaction(async (tx) => {
        const appId = await saveApp(tx, app);
        const keyId = await addKey(tx, appId, hash, start);
        await addAudit(tx, actor, "keys.create", keyId, { ...app, start });
        return keyId;
      });
      return { id, key };
    },

    /** Leaves a row in the audit log, inside the caller's transaction. */
    audit: addAudit,

    listKeys: (): Promise<KeyRow[]> => listKeys(database),

    /** False when there is no such key that is not revoked yet. */
    revokeKey(id: string, actor: string): Promise<boolean> {
      return database.transaction(async (tx) => {
        const revoked = await revokeKey(tx, id);
        if (revoked) await addAudit(tx, actor, "keys.revoke", id, {});
        return revoked;
      });
    },
  };
}

export type AccessService = ReturnType<typeof createAccess>;
