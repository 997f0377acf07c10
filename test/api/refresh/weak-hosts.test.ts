/** Hosts that bear so many requests a second, or fail a few, on real sockets: what they are asked, and what comes of it. */

import type { RequestListener } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { answerHero, createReplicas, type Host, startHost } from "../../support/processes/replicas.ts";
import { createBarrier, createWorkerSetup } from "../../support/processes/worker.ts";
import { ask, emptyTables, found } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createWorkerSetup(test);
const startReplica = createReplicas(test);
beforeEach(() => emptyTables(database));

const CONCURRENCY = 32;
// Sweeps take ten seconds, and several times that on a busy machine. What is tested is what the hosts see.
const SWEEP_MS = 120_000;
const ANSWER_MS = 20;

const answerSoon: RequestListener = (request, response) => {
  setTimeout(() => answerHero(request, response), ANSWER_MS);
};

/** Bears so many requests a second, with what was not asked for in a tenth of one saved up; refuses the others. */
function bearing(perSecond: number, status: number) {
  const burst = Math.max(1, perSecond / 10);
  let credit = burst;
  let creditAt = performance.now();
  let refused = 0;
  const listener: RequestListener = (request, response) => {
    const now = performance.now();
    credit = Math.min(burst, credit + ((now - creditAt) * perSecond) / 1_000);
    creditAt = now;
    if (credit >= 1) {
      credit--;
      return answerSoon(request, response);
    }
    refused++;
    response.writeHead(status).end();
  };
  return { listener, refused: () => refused };
}

/** Works off one request after the other, each in its share of a second. */
function queueing(perSecond: number): RequestListener {
  let freeAt = 0;
  return (request, response) => {
    const now = performance.now();
    freeAt = Math.max(now, freeAt) + 1_000 / perSecond;
    setTimeout(() => answerHero(request, response), Math.max(freeAt - now, ANSWER_MS));
  };
}

interface Part {
  readonly host: Host;
  readonly tokens: number;
}

/** The first host's tokens have ids of three digits, the second's of four. */
const idsOf = (part: number, tokens: number): string[] =>
  Array.from({ length: tokens }, (_, index) => String(10 ** (part + 2) + index));

/** Sweeps tokens that were known before. Returns whether a host was ever paused, and the longest wait of a retry. */
async function sweep(parts: readonly Part[]) {
  for (const [part, { host, tokens }] of parts.entries()) {
    await setup.knowTokens(...idsOf(part, tokens));
    await ask(database, idsOf(part, tokens), { trigger: "sweep" });
    await database.query("update vitrine.refresh set host = $1 where host = ''", [host.host]);
  }
  startReplica(
    parts.map(({ host }) => host),
    CONCURRENCY,
  );
  const seen = { wasPaused: false, longestWait: 0 };
  await eventually(
    async () => {
      const [row] = await database.query<{ open: number; isPaused: boolean; wait: number | null }>(
        `select (select count(*)::int from vitrine.refresh where wanted > done) as open,
                exists (select from vitrine.host where paused_until is not null) as "isPaused",
                (select extract(epoch from max(not_before) - now())::float8 from vitrine.refresh
                  where wanted > done and lease is null) as wait`,
      );
      seen.wasPaused ||= row?.isPaused === true;
      seen.longestWait = Math.max(seen.longestWait, row?.wait ?? 0);
      return row?.open;
    },
    (open) => open === 0,
    SWEEP_MS,
  );
  return seen;
}

const countGood = async (): Promise<number> =>
  (await database.query("select from vitrine.token where last_outcome = 'good'")).length;

describe("hosts that bear 5, 50 and 500 requests a second, asked side by side,", () => {
  const CAPACITIES = [
    { perSecond: 5, tokens: 30 },
    { perSecond: 50, tokens: 200 },
    { perSecond: 500, tokens: 1_500 },
  ];

  it.each([
    // The first refusals, until a pace is found, weigh more among few.
    [429, [0.35, 0.1, 0.1]],
    [503, [0.35, 0.15, 0.15]],
  ])(
    "and answer %d beyond that, refuse a small share and are never paused, and every token is read",
    async (status, refusedMax) => {
      const models = CAPACITIES.map(({ perSecond }) => bearing(perSecond, status));
      const hosts = await Promise.all(models.map(({ listener }) => startHost(listener)));

      const { wasPaused } = await sweep(
        hosts.map((host, part) => ({ host, tokens: CAPACITIES[part]?.tokens ?? 0 })),
      );

      expect(await countGood()).toBe(1_730);
      expect(wasPaused).toBe(false);
      const shares = models.map(({ refused }, part) => refused() / (hosts[part]?.requests.length ?? 0));
      for (const [part, share] of shares.entries()) expect(share).toBeLessThanOrEqual(refusedMax[part] ?? 0);
    },
  );

  it("and take longer beyond that, are not asked ever more at once", async () => {
    const hosts = await Promise.all(CAPACITIES.map(({ perSecond }) => startHost(queueing(perSecond))));

    await sweep(hosts.map((host, part) => ({ host, tokens: CAPACITIES[part]?.tokens ?? 0 })));

    expect(await countGood()).toBe(1_730);
    expect(hosts.map(({ requests }) => requests.length)).toEqual(CAPACITIES.map(({ tokens }) => tokens));
    expect(hosts[0]?.most()).toBeLessThanOrEqual(10);
    expect(hosts[1]?.most()).toBeLessThanOrEqual(16);
    expect(hosts[2]?.most()).toBeLessThanOrEqual(24);
  });
});

it("a host that bears all is asked ever more at once, up to three quarters of what a replica fetches", async () => {
  const host = await startHost(answerSoon);
  await sweep([{ host, tokens: 900 }]);

  // On a busy machine answers take longer now and then, and less is asked for a while.
  expect(host.most()).toBeGreaterThan(8);
  expect(host.most()).toBeLessThanOrEqual(24);
  expect(host.requests).toHaveLength(900);
});

describe("a few faults", () => {
  const TOKENS = 900;

  it.each([500, 503])(
    "of %d, once for 5 % of the documents, never pause their host, and cost a second request within a second",
    async (status) => {
      const failed = new Set<string>();
      const host = await startHost((request, response) => {
        const { url = "" } = request;
        if (Number(url.slice(1)) % 20 > 0 || failed.has(url)) return answerSoon(request, response);
        failed.add(url);
        setTimeout(() => response.writeHead(status).end(), ANSWER_MS);
      });

      const { wasPaused, longestWait } = await sweep([{ host, tokens: TOKENS }]);

      expect(await countGood()).toBe(TOKENS);
      expect(failed.size).toBe(TOKENS / 20);
      expect(host.requests).toHaveLength(TOKENS + failed.size);
      expect(wasPaused).toBe(false);
      expect(longestWait).toBeLessThanOrEqual(1);
    },
  );

  it("that come back for the same token wait as long as any", async () => {
    const host = await startHost((request, response) =>
      request.url === "/100" ? response.writeHead(500).end() : answerHero(request, response),
    );
    await setup.knowTokens(...idsOf(0, 20));
    await ask(database, idsOf(0, 20), { trigger: "sweep" });
    startReplica([host]);

    const wait = () =>
      database.query<{ attempts: number; wait: number }>(
        `select attempts, extract(epoch from not_before - last_started_at)::float8 as wait
           from vitrine.refresh where token_id = 100 and lease is null`,
      );
    const [row] = await eventually(wait, ([each]) => each?.attempts === 2);

    expect(row?.wait).toBeGreaterThanOrEqual(5);
  });
});

describe("fetched documents that wait to be recorded", () => {
  it("count neither at their host nor as fetches: others go on", async () => {
    const { opened, open } = createBarrier();
    const names = Array.from({ length: 60 }, (_, index) => String(index));
    await setup.knowTokens(...names);
    await ask(database, names);
    const { calls } = setup.start(() => found({ name: "Hero", image: "https://img.example/1.png" }), {
      database: {
        ...database,
        async transaction(work, kind) {
          await opened;
          return database.transaction(work, kind);
        },
      },
    });

    await eventually(
      () => calls.length,
      (count) => count === 60,
    );
    expect(await countGood()).toBe(0);
    open();
    await eventually(countGood, (count) => count === 60);
  });
});
