/** How much callers without a key may have queued: token ids of one address, and tokens that are not known yet of all. */

import { Registry } from "prom-client";
import { beforeEach, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { anonymousTokensLimit } from "../../../src/api/http/limits/tiers.ts";
import { createUnseenQueue } from "../../../src/api/refresh/queue/unseen-queue.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp } from "../../support/processes/app.ts";
import { createWorkerSetup, failingWhen } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  emptyTables,
  found,
  passSeconds,
  readQueue,
} from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const { database } = test;
const workers = createWorkerSetup(test);
const UNSEEN_MAX = 10;
const CALL_MAX = 100;
const PAGE = `/collections/${CHAIN_ID}/${COLLECTION}`;

/** A replica as strangers reach it, with the GraphQL endpoint over its own services. */
async function replica(options: Parameters<typeof createTestApp>[1] = {}) {
  const inner = createTestApp(test, { unseenMax: UNSEEN_MAX, ...options });
  const { endpoint } = await createOwnEndpoint(inner);
  const { rateLimits, refresh } = inner;
  const outer = createTestApp(test, {
    rateLimits,
    refresh,
    graphql: graphqlRoutes(endpoint, rateLimits),
  });
  type From = { from?: string; key?: string; headers?: Record<string, string> };

  const post = async (query: string, variables: object, how: From = {}) =>
    (await outer.call("/graphql", { body: { query, variables }, ...how })).body;
  return {
    ...outer,
    existing: inner.existing,
    post,
    /** The receipt, or the error. */
    async request(tokenIds: readonly string[], how?: From) {
      const { data, errors } = await post(
        `mutation ($a: String!, $ids: [String!]!) {
           requestMetadataRefresh(tokenAddress: $a, tokenIds: $ids, chainId: ${CHAIN_ID}) {
             tokens { tokenId status reason } } }`,
        { a: COLLECTION, ids: tokenIds },
        how,
      );
      return { tokens: data?.requestMetadataRefresh.tokens, error: errors?.[0] };
    },
    /** The button of a token's page. */
    press: (tokenId: string, from: string) =>
      outer.call(`${PAGE}/${tokenId}/refresh`, {
        method: "POST",
        from,
        headers: { origin: BASE_URL, accept: "text/html" },
      }),
  };
}

const ids = (count: number, first = 1): string[] =>
  Array.from({ length: count }, (_, index) => String(first + index));
const queued = async (): Promise<number> => (await readQueue(database)).length;

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.rate_limit");
});

describe("token ids of one client address", () => {
  const MAX = anonymousTokensLimit.requests;
  const overLimit = {
    message: expect.stringMatching(
      /^API rate limit exceeded; Limit: 600 token ids per 60 seconds per client, pages and GraphQL combined; retry in \d+ s$/,
    ),
    extensions: { code: "RATE_LIMITED" },
  };
  beforeEach(() => workers.knowTokens(...ids(MAX + 3 * CALL_MAX)));

  it("are counted over GraphQL and by pages together; above the limit nothing is queued, and others go on", async () => {
    const api = await replica();
    const from = "203.0.113.10";
    for (let first = 1; first < MAX - CALL_MAX; first += CALL_MAX) {
      expect((await api.request(ids(CALL_MAX, first), { from })).error).toBeUndefined();
    }
    expect((await api.request(ids(CALL_MAX - 1, MAX - CALL_MAX + 1), { from })).error).toBeUndefined();
    expect((await api.press(String(MAX), from)).status).toBe(303);
    expect(await queued()).toBe(MAX);

    const page = await api.press(String(MAX + 1), from);
    const one = await api.post(
      `mutation { refreshMetadata(tokenAddress: "${COLLECTION}", tokenId: "601", chainId: ${CHAIN_ID}) }`,
      {},
      { from },
    );

    expect(page.status).toBe(429);
    expect(page.text).toContain("Too many requests");
    expect(page.text).toContain("Limit: 600 token ids per 60 seconds per client, pages and GraphQL combined");
    const retryAfter = Number(page.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(one).toMatchObject({ data: null, errors: [overLimit] });
    expect((await api.request(ids(2, MAX + 1), { from })).error).toMatchObject(overLimit);
    expect(await queued()).toBe(MAX);
    expect((await api.request(ids(2, MAX + 1), { from: "203.0.113.11" })).error).toBeUndefined();
    expect((await api.press(String(MAX + 3), "203.0.113.11")).status).toBe(303);
  });

  it("name the page of the permission that ends the limit, to an app that lacks it", async () => {
    const api = await replica();
    const from = "203.0.113.40";
    const key = await api.createKey(["market"], "Reader of GraphQL");
    for (let first = 1; first <= MAX; first += CALL_MAX)
      await api.request(ids(CALL_MAX, first), { from, key });

    const one = await api.post(
      `mutation { refreshMetadata(tokenAddress: "${COLLECTION}", tokenId: "1", chainId: ${CHAIN_ID}) }`,
      {},
      { from, key },
    );

    const [app] = await database.query<{ id: string }>(
      "select id from vitrine.app where name = 'Reader of GraphQL'",
    );
    const url = `${BASE_URL}/console/apps/${app?.id}/permissions`;
    const limited = { code: "RATE_LIMITED", retryAfter: expect.any(Number) };
    for (const error of [one.errors[0], (await api.request(ids(1), { from, key })).error]) {
      expect(error.extensions).toEqual({ ...limited, url });
      expect(error.message).toContain(`request access at ${url}`);
    }
    expect((await api.request(ids(1), { from })).error.extensions).toEqual(limited);
  });

  it("are no more when requests come at once, at two replicas", async () => {
    /** Undefined if the database did not answer in time: then each replica counts alone, by design (rate-limiter.ts). */
    async function askAtOnce(from: string) {
      const metrics = [new Registry(), new Registry()] as const;
      const replicas = [
        await replica({ metrics: metrics[0] }),
        await replica({ metrics: metrics[1] }),
      ] as const;
      const answers = await Promise.all(
        Array.from({ length: 2 * (MAX / CALL_MAX) }, (_, nth) =>
          replicas[nth % 2 === 0 ? 0 : 1].request(ids(CALL_MAX, 1 + nth * 50), { from }),
        ),
      );
      const counts = await Promise.all(
        metrics.map((each) => each.getSingleMetric("vitrine_rate_limit_fallbacks_total")?.get()),
      );
      expect(counts.every((count) => count !== undefined)).toBe(true);
      return counts.some((count) => count?.values.some(({ value }) => value > 0)) ? undefined : answers;
    }

    let answers: Awaited<ReturnType<typeof askAtOnce>>;
    for (let nth = 0; nth < 5 && !answers; nth++) answers = await askAtOnce(`203.0.113.${20 + nth}`);

    if (!answers) throw new Error("the database answered none of five runs in time");
    expect(answers.filter(({ error }) => !error)).toHaveLength(MAX / CALL_MAX);
    for (const { error } of answers) if (error) expect(error).toMatchObject(overLimit);
  });

  it("are no more when one operation asks under many names: each name is a call of its own", async () => {
    const api = await replica();
    const from = "203.0.113.30";
    for (let first = 1; first < MAX - CALL_MAX; first += CALL_MAX)
      await api.request(ids(CALL_MAX, first), { from });
    await api.request(ids(CALL_MAX - 5), { from });
    const calls = ids(10, MAX).map(
      (id) =>
        `c${id}: refreshMetadata(tokenAddress: "${COLLECTION}", tokenId: "${id}", chainId: ${CHAIN_ID})`,
    );

    const { errors } = await api.post(`mutation { ${calls.join(" ")} }`, {}, { from });

    expect(errors[0]).toMatchObject({ ...overLimit, path: ["c605"] });
    const asked = (await readQueue(database)).map(({ tokenId }) => Number(tokenId));
    expect(asked.filter((id) => id >= MAX)).toEqual([600, 601, 602, 603, 604]);
  });

  it("are those of the address that a trusted proxy names, and of no other header", async () => {
    const api = await replica({ config: { trustedProxies: ["10.0.0.1"] } });
    const via = (client: string, from = "10.0.0.1") => ({ from, headers: { "x-forwarded-for": client } });
    for (let first = 1; first < MAX; first += CALL_MAX) {
      await api.request(ids(CALL_MAX, first), via("198.51.100.1"));
    }

    expect((await api.request(["1"], via("198.51.100.1"))).error).toMatchObject(overLimit);
    expect((await api.request(["1"], via("198.51.100.2"))).error).toBeUndefined();
    for (let first = 1; first < MAX; first += CALL_MAX) {
      await api.request(ids(CALL_MAX, first), via(`198.51.100.${first % 250}`, "203.0.113.40"));
    }
    expect((await api.request(["1"], via("198.51.100.9", "203.0.113.40"))).error).toMatchObject(overLimit);
  });

  it("are not counted for the key of an app that may refresh over REST, and are for any other key", async () => {
    const api = await replica();
    const [partner, reader] = [
      await api.createKey(["market-partner"], "Partner"),
      await api.createKey(["market"], "Reader"),
    ];
    const from = "203.0.113.50";
    for (let first = 1; first < MAX; first += CALL_MAX) {
      expect((await api.request(ids(CALL_MAX, first), { from, key: reader })).error).toBeUndefined();
    }

    expect((await api.request(["1"], { from, key: reader })).error).toMatchObject({
      extensions: { code: "RATE_LIMITED" },
    });
    expect((await api.request(["1"], { from })).error).toMatchObject(overLimit);
    expect((await api.request(ids(CALL_MAX), { from, key: partner })).error).toBeUndefined();
  });

  it("cost nothing where the request can't be read", async () => {
    const api = await replica();
    const from = "203.0.113.60";
    for (let nth = 0; nth < 10; nth++) {
      expect((await api.request([...ids(CALL_MAX - 1), "01"], { from })).error.extensions.code).toBe(
        "INVALID_REQUEST",
      );
    }

    for (let first = 1; first < MAX; first += CALL_MAX) {
      expect((await api.request(ids(CALL_MAX, first), { from })).error).toBeUndefined();
    }
  });
});

describe("tokens that are not known yet", () => {
  const reason = "queue_full: 10 unknown tokens are already waiting; try again in 5 s";
  const isFull = {
    message: `Service unavailable; tokenIds[0]: ${reason}`,
    extensions: { code: "UNAVAILABLE", retryAfter: 5 },
  };
  const full = async () => {
    const api = await replica();
    for (const id of ids(100)) api.existing.add(id);
    expect((await api.request(ids(UNSEEN_MAX))).error).toBeUndefined();
    return api;
  };

  it("are refused above the bound, whoever asks without a key; known ones and callers with a key are not", async () => {
    const api = await full();
    const key = await api.createKey(["market-partner"], "Keyed");
    await workers.knowTokens("50");

    expect((await api.request(["11"], { from: "203.0.113.70" })).error).toEqual({
      ...isFull,
      locations: expect.anything(),
      path: ["requestMetadataRefresh"],
    });
    const page = await api.press("12", "203.0.113.71");
    expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(page.text).toContain("10 unknown tokens are already waiting");
    expect(page.text).not.toContain("database");
    expect(await queued()).toBe(UNSEEN_MAX);

    expect((await api.request(["13", "50"])).tokens).toEqual([
      { tokenId: "13", status: "failed", reason },
      { tokenId: "50", status: "queued", reason: null },
    ]);
    expect((await api.press("50", "203.0.113.72")).status).toBe(303);
    const rest = `/market-partner/collections/${COLLECTION}/refresh_metadata?chain_id=${CHAIN_ID}`;
    expect((await api.call(rest, { key, body: { token_ids: ["14"] } })).body.tokens).toEqual([
      { token_id: "14", status: "queued" },
    ]);
    expect((await api.request(["15"], { key })).tokens).toMatchObject([{ status: "queued" }]);
    expect((await readQueue(database)).map(({ tokenId }) => Number(tokenId)).sort((a, b) => a - b)).toEqual([
      ...ids(UNSEEN_MAX).map(Number),
      14,
      15,
      50,
    ]);
  });

  it("are taken again once those before them have been read", async () => {
    const api = await full();
    expect((await api.request(["11"])).error).toMatchObject(isFull);

    const { worker } = workers.start(() => found({ name: "Hero", image: "https://i.example/1" }));
    worker.wake();

    await expect.poll(async () => (await api.request(["11"])).error, { timeout: 10_000 }).toBeUndefined();
  });

  it("stay within the bound when requests come at once", async () => {
    const api = await replica();
    for (const id of ids(200)) api.existing.add(id);

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => api.request(ids(3, 1 + 3 * nth), { from: `203.0.113.${nth}` })),
    );

    expect(answers.filter(({ error }) => !error)).toHaveLength(Math.floor(UNSEEN_MAX / 3));
    expect(await queued()).toBe(9);
  });

  it("are no longer counted once somebody else wants them, as their mint does", async () => {
    const api = await full();
    await ask(
      database,
      ids(5).map((id) => [id, 3] as const),
      { trigger: "mint" },
    );
    const capacity = createUnseenQueue(database, UNSEEN_MAX).open();

    expect([await capacity.take(6), await capacity.take(5)]).toEqual([false, true]);
    // A stranger who asks for them once more changes nothing.
    await api.request(["1"]);
    const [row] = await database.query("select anonymous, unseen from vitrine.refresh where token_id = 1");
    expect(row).toEqual({ anonymous: false, unseen: false });
  });

  it("count as waiting until they have been read, between tries too", async () => {
    await full();
    const { worker } = workers.start(({ tokenId }) => {
      if (tokenId !== "1") return found({ name: "Hero", image: "https://i.example/1" });
      return {
        kind: "failed",
        reason: "timeout",
        message: "it took too long",
        transient: true,
        uri: "https://meta.example/1",
        block: 10,
        durationMs: 1,
        retryAfterMs: 600_000,
      };
    });
    worker.wake();
    await expect
      .poll(async () => (await readQueue(database)).filter(({ requested, done }) => requested > done).length)
      .toBe(1);
    await passSeconds(database, 1);

    const capacity = createUnseenQueue(database, UNSEEN_MAX).open();
    expect([await capacity.take(10), await capacity.take(9)]).toEqual([false, true]);
  });
});

describe("the count of what waits", () => {
  /** A queue of `waiting` tokens that counts how often it is asked. */
  const createCounted = (waiting: () => number | Promise<number>) => {
    let asked = 0;
    const db: Queryable = {
      query: async <Row>() => {
        asked++;
        return [{ waiting: await waiting() }] as Row[];
      },
    };
    return { db, asked: () => asked };
  };

  it("is one query a second, however many ask", async () => {
    let time = 0;
    const { db, asked } = createCounted(() => 0);
    const queue = createUnseenQueue(db, 1_000, () => time);

    await Promise.all(ids(200).map(() => queue.open().take(1)));
    time = 999;
    await queue.open().isLeft();
    expect(asked()).toBe(1);
    time = 1_000;
    await queue.open().isLeft();
    expect(asked()).toBe(2);
  });

  it("keeps what was accepted while it was made, and what is not committed yet", async () => {
    let time = 0;
    let counted = (_waiting: number): void => undefined;
    const { db } = createCounted(() => new Promise((resolve) => (counted = resolve)));
    const queue = createUnseenQueue(db, 10, () => time);
    const [first, open] = [queue.open(), queue.open()];
    const taken = [first.take(4), open.take(3)];
    counted(0);
    expect(await Promise.all(taken)).toEqual([true, true]);

    time = 2_000;
    const late = queue.open().take(7);
    // Committed after the next count began, so that it may not be in it.
    first.close();
    counted(0);

    expect(await late).toBe(false);
    open.close();
  });

  it("fails the request that needs it, and no later one", async () => {
    let isAway = true;
    const queue = createUnseenQueue(
      failingWhen(database, () => isAway),
      UNSEEN_MAX,
    );
    await expect(queue.open().isLeft()).rejects.toThrow();
    isAway = false;

    expect(await queue.open().isLeft()).toBe(true);
  });
});
