/** The public address of a picture. */

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../../src/api/http/errors.ts";
import { createMemoryRateLimiter, createPoints } from "../../../src/api/http/limits/rate-limiter.ts";
import { mediaLimit } from "../../../src/api/http/limits/tiers.ts";
import { createGuardedServer } from "../../../src/api/http/server/guard.ts";
import { createDisk } from "../../../src/api/media/storage/disk.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { leaveEarly } from "../../support/http/leave-early.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import { noise } from "./pictures.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-images-"));
const disk = createDisk(folder);
const missed: string[] = [];
const { database, ...test } = await createTestDatabase();
const replica = () =>
  createTestApp(
    { database, ...test },
    { images: { disk, onMissing: async (name) => void missed.push(name) } },
  );
const { app } = replica();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = await noise().png().toBuffer();
const hash = createHash("sha256").update(bytes).digest("hex");
await disk.put(storageKey(`${hash}.png`), bytes);
const address = `/media/images/${hash}.png`;
const get = async (path: string, init: RequestInit = {}): Promise<Response> => app.request(path, init);

describe("a picture", () => {
  it("is served as it is, to anybody, for ever, and as nothing but a picture", async () => {
    const response = await get(address);

    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(bytes.length),
      "cache-control": "public, max-age=31536000, immutable",
      etag: `"${hash}"`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
    });
  });

  it.each([`"${hash}"`, `W/"${hash}"`, `"other", "${hash}"`, "*"])(
    "is not sent again to who names it: %s",
    async (tag) => {
      const response = await get(address, { headers: { "if-none-match": tag } });

      expect(response.status).toBe(304);
      expect(await response.text()).toBe("");
      expect(response.headers.get("etag")).toBe(`"${hash}"`);
      expect(response.headers.get("cache-control")).toContain("immutable");
    },
  );

  it("is sent to who names another", async () => {
    expect((await get(address, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("answers HEAD with its headers alone", async () => {
    const response = await get(address, { method: "HEAD" });

    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(bytes.length));
    expect(await response.text()).toBe("");
  });

  it("lets go of a reader who goes away in the middle", async () => {
    for (let index = 0; index < 20; index++) {
      const reader = (await get(address)).body?.getReader();
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
      await reader?.cancel();
    }

    expect((await (await get(address)).arrayBuffer()).byteLength).toBe(bytes.length);
  });
});

describe("a picture that a socket does not hold at once", () => {
  const big = randomBytes(300_000);
  const name = `${createHash("sha256").update(big).digest("hex")}.png`;
  const path = `/media/images/${name}`;
  const openFiles = (): number =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith(name);
      } catch {
        return false;
      }
    }).length;

  async function listen(server: Server): Promise<number> {
    await disk.put(storageKey(name), big);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }
  const answer = getRequestListener(app.fetch, { autoCleanupIncoming: false });
  const guarded = () =>
    createGuardedServer(() => undefined, {
      clientOf: () => "somebody",
      ponderRoutes: createMemoryRateLimiter({ name: "ponder", requests: 1_000, seconds: 10 }),
      onEnd: () => undefined,
      answer,
    });

  it.each([
    ["a plain server", () => createServer(answer)],
    ["the service's server", guarded],
  ])(
    "is closed by %s for every client that leaves early, and whole for one that stays",
    async (_title, create) => {
      const port = await listen(create());

      await leaveEarly(port, path, {}, 300);

      expect(await eventually(openFiles, (count) => count === 0)).toBe(0);
      const whole = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(Buffer.from(await whole.arrayBuffer()).equals(big)).toBe(true);
    },
  );

  it("is closed for every request that a client has pipelined before it leaves", async () => {
    const port = await listen(guarded());

    await leaveEarly(port, path, {}, 48, 8);

    expect(await eventually(openFiles, (count) => count === 0)).toBe(0);
  });
});

describe("an address without a picture", () => {
  it("is 404, which nobody remembers, and the picture is missed", async () => {
    const name = `${"0".repeat(64)}.gif`;
    const response = await get(`/media/images/${name}`);

    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ code: "NOT_FOUND" });
    expect(missed).toEqual([name]);
  });

  it("is looked for once in ten seconds, however often it is requested", async () => {
    missed.length = 0;
    const name = `${"1".repeat(64)}.png`;
    const other = `${"2".repeat(64)}.png`;
    for (const each of [name, name, other, name])
      expect((await get(`/media/images/${each}`)).status).toBe(404);

    expect(missed).toEqual([name, other]);
  });

  it("is looked for again at once if that failed, but not by two requests at a time", async () => {
    missed.length = 0;
    const name = `${"3".repeat(64)}.png`;
    const failing = createBarrier();
    const onMissing = async (each: string): Promise<void> => {
      missed.push(each);
      if (missed.length > 1) return;
      await failing.opened;
      throw new ApiError("UNAVAILABLE");
    };
    let looked = 0;
    const watched = new Proxy(disk, {
      get: (target, property) => {
        const found = Reflect.get(target, property);
        if (typeof found !== "function") return found;
        if (property !== "getMetaData") return found.bind(target);
        return (key: string) => target.getMetaData(key).finally(() => looked++);
      },
    });
    const flaky = createTestApp({ database, ...test }, { images: { disk: watched, onMissing } }).app;
    const statusOf = async () => (await flaky.request(`/media/images/${name}`)).status;
    const both = [statusOf(), statusOf()];
    await eventually(
      () => looked,
      (count) => count === 2,
    );
    // Both have read the disk's answer then, and wait.
    await nextTurn();

    failing.open();
    expect(await Promise.all(both)).toEqual([503, 503]);
    expect(missed).toEqual([name]);
    expect([await statusOf(), await statusOf()]).toEqual([404, 404]);
    expect(missed).toEqual([name, name]);
  });

  it.each([
    "x.png",
    `${hash}.svg`,
    `${hash.toUpperCase()}.png`,
    hash,
    `..%2f..%2fimages%2f${hash}.png`,
    `${hash}.png%00`,
  ])("is not even looked for: %s", async (name) => {
    missed.length = 0;

    expect((await get(`/media/images/${name}`)).status).toBe(404);
    expect(missed).toEqual([]);
  });
});

describe("pictures for one client address", () => {
  const ask = (from: string, path = address, api = replica()) => api.call(path, { from });
  /** Has the address ask for all but `left` of what it may. */
  const spend = (from: string, left: number) =>
    createPoints(database, mediaLimit).take(from, mediaLimit.requests - left);

  it("are 3,000 in ten seconds at all replicas, missing ones too; then it waits, and nobody else does", async () => {
    const [one, two] = [replica(), replica()];
    const from = "203.0.113.80";
    await spend(from, 4);
    const answers = [];
    for (const api of [one, two, one, two]) answers.push(await ask(from, address, api));
    const missing = `/media/images/${"f".repeat(64)}.png`;

    const refused = [await ask(from, address, one), await ask(from, missing, two)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429);
      expect(body).toEqual({
        message: "API rate limit exceeded",
        code: "RATE_LIMITED",
        request_id: expect.any(String),
        details: [
          {
            path: "",
            message: expect.stringMatching(
              /^Limit: 3000 requests per 10 seconds per client; retry in \d+ s$/,
            ),
          },
        ],
      });
      expect(headers.get("ratelimit-limit")).toBe("3000");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      // A cache in between must not keep it in the picture's place.
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect(missed).not.toContain(`${"f".repeat(64)}.png`);
    expect((await ask("203.0.113.81", address, one)).status).toBe(200);
    expect((await ask(from, "/collections", one)).status).toBe(200);
  });

  it("say nothing of limits while they are served: caches keep their headers for all", async () => {
    const { status, headers } = await ask("203.0.113.82");

    expect(status).toBe(200);
    expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  });
});
