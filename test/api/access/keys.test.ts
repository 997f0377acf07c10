import { createHash } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createKeyUse } from "../../../src/api/access/keys/key-use.ts";
import { hashKey, isKeyShaped, makeKey } from "../../../src/api/access/keys/keys.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { database } = await createTestDatabase();
afterEach(() => vi.restoreAllMocks());

describe("a key", () => {
  it("has a prefix for secret scanners, 192 random bits and a checksum", () => {
    const { key, start } = makeKey();

    expect(key).toMatch(/^vk_[0-9a-f]{48}_[0-9a-f]{6}$/);
    expect(isKeyShaped(key)).toBe(true);
    expect(key.startsWith(start)).toBe(true);
    expect(start).toHaveLength(9);
  });

  it("is never made twice", () => {
    const keys = Array.from({ length: 1_000 }, () => makeKey());

    expect(new Set(keys.map(({ key }) => key)).size).toBe(1_000);
    expect(new Set(keys.map(({ hash }) => hash.toString("hex"))).size).toBe(1_000);
  });

  it("is stored as its SHA-256", () => {
    const { key, hash } = makeKey();

    expect(hash).toEqual(createHash("sha256").update(key).digest());
    expect(hashKey(key)).toEqual(hash);
  });

  it("with any one character changed is no key, so that a typing error costs no lookup", () => {
    const { key } = makeKey();
    const changed = [...key].map((character, at) => {
      const other = character === "0" ? "1" : "0";
      return key.slice(0, at) + other + key.slice(at + 1);
    });

    expect(changed.filter(isKeyShaped)).toEqual([]);
  });

  it.each([
    ["nothing", ""],
    ["a word", "secret"],
    ["upper case", makeKey().key.toUpperCase()],
    ["a space before it", ` ${makeKey().key}`],
    ["a line break after it", `${makeKey().key}\n`],
    ["two keys in one header", `${makeKey().key}, ${makeKey().key}`],
    ["a long text", "vk_".repeat(100_000)],
  ])("is not %s", (_what, text) => {
    expect(isKeyShaped(text)).toBe(false);
  });
});

describe("the last use of a key", () => {
  const APP = "00000000-0000-4000-8000-000000000001";
  const KEY = "00000000-0000-4000-8000-000000000002";

  it("is written on after a clock that was hours ahead has been set right", async () => {
    await database.query(`insert into vitrine.app (id, name, apis) values ('${APP}', 'Studio', '{}')`);
    await database.query(
      `insert into vitrine.api_key (id, app_id, hash, start) values ('${KEY}', '${APP}', 'x', 'vk_')`,
    );
    let clock = Date.now() + 3 * 3_600_000;
    const keyUse = createKeyUse(database, () => clock);
    const use = async () => {
      keyUse.used({ keyId: KEY });
      await keyUse.flush();
    };
    await use();
    clock = Date.now();
    const now = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(now + 61_000);

    await use();

    expect(await database.query("select last_used_at from vitrine.api_key")).toEqual([
      { last_used_at: new Date(clock) },
    ]);
  });

  it("is written in the order of the ids, so that no two processes wait for each other", async () => {
    const ids = ["b", "c", "a"];
    const written: unknown[] = [];
    const query = async <Row>(_sql: string, parameters: readonly unknown[] = []) => {
      written.push(parameters[0]);
      return [] as Row[];
    };
    const keyUse = createKeyUse({ query });
    for (const id of ids) {
      keyUse.used({ keyId: id });
      keyUse.succeeded({ id } as Parameters<typeof keyUse.succeeded>[0]);
    }

    await keyUse.flush();

    expect(written).toEqual([ids.toSorted(), ids.toSorted()]);
  });
});
