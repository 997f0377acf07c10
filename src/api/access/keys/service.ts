/** API keys: finding the app of a key, creating, rotating, revealing and revoking keys. */

import { randomUUID } from "node:crypto";
import { clip } from "../../../domain/printable.ts";
import { createPromiseCache } from "../../async/promise-cache.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { ApiError } from "../../http/errors.ts";
import type { CallerApp } from "../../http/router.ts";
import { addAudit, wasAudited } from "../audit.ts";
import type { Cipher } from "./encryption.ts";
import {
  addKey,
  countLiveKeys,
  expireKey,
  findAppByKeyHash,
  findLiveKey,
  findLiveKeyForUpdate,
  hasKey,
  hasLastingKey,
  type KeyRow,
  listKeys,
  lockApp,
  type NewApp,
  notifyReplicas,
  readKeysOfOldSecrets,
  readNewestKeys,
  replaceEncrypted,
  revokeKey,
  saveApp,
} from "./key-store.ts";
import { digestOf, hashKey, isKeyShaped, makeKey } from "./keys.ts";

// The longest time for which a replica misses a change whose notification was lost.
const REMEMBER_MS = 2_000;
const REMEMBERED_MAX = 10_000;
const REENCRYPT_BATCH = 200;
/** Enough for each server and each rotation of an app; more are a program that forgets to revoke. */
export const LIVE_KEYS_MAX = 1_000;
const SHOWN_MAX = { live: 100, ended: 50 };
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export type Revealed =
  | { readonly kind: "key"; readonly key: string }
  /** Created before keys were stored, or encrypted with a secret that is no longer set. */
  | { readonly kind: "unreadable" }
  | { readonly kind: "unknown" };

export type Rotation =
  | { readonly kind: "rotated"; readonly id: string; readonly key: string }
  /** It has an end already: another key has taken its place. */
  | { readonly kind: "rotated_before"; readonly endsAt: Date }
  /** It doesn't exist, or no longer works. */
  | { readonly kind: "unknown" };

const contextOf = (keyId: string): string => `api_key:${keyId}`;

export function createAccess(database: Database, cipher: Cipher, now?: () => number) {
  const apps = createPromiseCache<string, CallerApp | undefined>({
    max: REMEMBERED_MAX,
    ttlMs: REMEMBER_MS,
    now,
  });

  async function makeKeyFor(
    tx: Queryable,
    appId: string,
    expiresInSeconds?: number,
  ): Promise<{ id: string; key: string; start: string }> {
    await lockApp(tx, appId);
    const live = await countLiveKeys(tx, appId);
    if (live >= LIVE_KEYS_MAX) {
      const message = `has ${live} working keys; the limit is ${LIVE_KEYS_MAX}: revoke one first`;
      throw new ApiError("INVALID_REQUEST", [{ path: "app", message }]);
    }
    const { key, hash, start } = makeKey();
    const id = randomUUID();
    const encrypted = cipher.encrypt(key, contextOf(id));
    await addKey(tx, { id, appId, hash, start, encrypted, expiresInSeconds });
    return { id, key, start };
  }

  return {
    /**
     * The app of a key, or undefined for one that is unknown, revoked or expired. Fails closed: rejects when the
     * database is unreachable. Answers are cached for two seconds, or until `forget`.
     */
    findApp: (key: string): Promise<CallerApp | undefined> =>
      apps.get(digestOf(key), async () =>
        isKeyShaped(key) ? findAppByKeyHash(database, hashKey(key)) : undefined,
      ),

    /** Drops cached answers after a change, here or at another replica. */
    forget: apps.clear,

    /**
     * Creates a key for the app of that name, and widens the app's permissions. The key works for `expiresInSeconds`; by
     * default, until it is revoked.
     */
    async createKey(
      app: NewApp,
      actor: string,
      expiresInSeconds?: number,
    ): Promise<{ readonly id: string; readonly key: string }> {
      return database.transaction(async (tx) => {
        const appId = await saveApp(tx, app);
        // In the console anybody may take a name, and would receive what the operator meant for another app.
        if (appId === undefined) {
          const message = `"${clip(app.name)}" is a wallet's app: give it permissions in the console, or choose another name`;
          throw new ApiError("INVALID_REQUEST", [{ path: "app", message }]);
        }
        const { id, key, start } = await makeKeyFor(tx, appId, expiresInSeconds);
        const end = expiresInSeconds === undefined ? {} : { expires_in_seconds: expiresInSeconds };
        await addAudit(tx, actor, "keys.create", id, { ...app, start, ...end });
        await notifyReplicas(tx);
        return { id, key };
      });
    },

    /**
     * Creates a key for an app without one that lasts, so that whoever asks twice gets one. False if it has one, or if
     * there is no such app.
     */
    createFirstKey(appId: string, actor: string): Promise<boolean> {
      return database.transaction(async (tx) => {
        await lockApp(tx, appId);
        if (await hasLastingKey(tx, appId)) return false;
        const { id, start } = await makeKeyFor(tx, appId);
        await addAudit(tx, actor, "keys.create", id, { app_id: appId, start });
        return true;
      });
    },

    /** Creates a key inside the caller's transaction. Throws INVALID_REQUEST for an app that has enough working ones. */
    makeKeyFor,

    /** A key in clear text for its owner. Adds a row to the audit log. */
    async revealKey(id: string, actor: string): Promise<Revealed> {
      const found = await findLiveKey(database, id);
      if (!found) return { kind: "unknown" };
      const key = found.encrypted && cipher.open(found.encrypted, contextOf(id));
      if (!key) return { kind: "unreadable" };
      await addAudit(database, actor, "keys.reveal", id, {});
      return { kind: "key", key };
    },

    /** Creates another key for the same app; the old one works for `graceSeconds` more. */
    rotateKey(id: string, graceSeconds: number, actor: string): Promise<Rotation> {
      return database.transaction(async (tx): Promise<Rotation> => {
        const found = await findLiveKey(tx, id);
        if (!found) return { kind: "unknown" };
        await lockApp(tx, found.appId);
        // As it is once nobody else rotates it.
        const old = await findLiveKeyForUpdate(tx, id);
        if (!old) return { kind: "unknown" };
        if (old.expiresAt) return { kind: "rotated_before", endsAt: old.expiresAt };
        // First, so that an app with as many keys as it may have can still replace one at once.
        await expireKey(tx, id, graceSeconds);
        const { start, ...made } = await makeKeyFor(tx, old.appId);
        await addAudit(tx, actor, "keys.rotate", id, { new: made.id, start, grace_seconds: graceSeconds });
        await notifyReplicas(tx);
        return { kind: "rotated", ...made };
      });
    },

    /** Adds a row to the audit log, inside the caller's transaction. */
    audit: addAudit,

    /** Whether something was done to a subject, at any time. */
    wasAudited,

    /** Up to `limit` keys of all apps, oldest first, starting after the key `after`. */
    listKeys: (limit: number, after?: string): Promise<KeyRow[]> => listKeys(database, limit, after),

    /**
     * An app's newest keys, oldest first: up to 100 that work, first of all those that never expire, and up to 50 that no
     * longer do.
     */
    keysOf: (appId: string): Promise<KeyRow[]> => readNewestKeys(database, appId, SHOWN_MAX),

    /** Whether the app has, or had, this key. */
    hasKey: (appId: string, id: string): Promise<boolean> => hasKey(database, appId, id),

    /** False if there is no such key, or it is already revoked. */
    async revokeKey(id: string, actor: string): Promise<boolean> {
      const isRevoked = await database.transaction(async (tx) => {
        const revoked = await revokeKey(tx, id);
        if (revoked) {
          await addAudit(tx, actor, "keys.revoke", id, {});
          await notifyReplicas(tx);
        }
        return revoked;
      });
      if (isRevoked) apps.clear();
      return isRevoked;
    },

    /**
     * Re-encrypts everything that the previous secret encrypted. Returns how many keys that were, and how many neither
     * secret decrypts: those keys work, but can't be shown again.
     */
    async reencrypt(): Promise<{ readonly reencrypted: number; readonly unreadable: number }> {
      const count = { reencrypted: 0, unreadable: 0 };
      for (let after = FIRST_ID; ; ) {
        const rows = await readKeysOfOldSecrets(database, cipher.mark, after, REENCRYPT_BATCH);
        for (const { id, encrypted } of rows) {
          const key = cipher.open(encrypted, contextOf(id));
          if (key) await replaceEncrypted(database, id, encrypted, cipher.encrypt(key, contextOf(id)));
          count[key ? "reencrypted" : "unreadable"]++;
        }
        const last = rows.at(-1);
        if (!last || rows.length < REENCRYPT_BATCH) return count;
        after = last.id;
      }
    },
  };
}

export type AccessService = ReturnType<typeof createAccess>;
