/** Hosts that fail, workers that die, and lost pictures: what was shown stays, and the rest is retried. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readFaulty } from "../../../src/api/jobs/hosts.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createMediaClaim } from "../../../src/api/media/probes/probe-queue-store.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import { missFile } from "../../../src/api/media/storage/media-file-store.ts";
import { countRowsRead } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { failingWhen } from "../../support/processes/worker.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";
import { createMediaHarness } from "./media-harness.ts";
import { gif, png, pngHeader } from "./pictures.ts";

const harness = await createMediaHarness();
const { answers, server, database, decoder, folder, read, enqueue, settled, rows, asked, pass, startWorker } =
  harness;
const url = `${server.url}/1.png`;

async function cacheOne(): Promise<string | null> {
  answers.set("/1.png", { body: await png(480, 480) });
  await enqueue({ image: url });
  await settled();
  const { image } = await read({ image: url });
  expect(image.status).toBe("cached");
  return image.url;
}

/** Kills each decoder that starts, idle or busy, before it can answer, until `done` resolves. */
async function killingDecoders(done: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  const stopped = new Set<number>();
  const killing = (async () => {
    while (!isDone) {
      const pids = decoder.pids().filter((pid) => !stopped.has(pid));
      for (const pid of pids) {
        stopped.add(pid);
        process.kill(pid, "SIGSTOP");
      }
      // A file that was sent to it meanwhile has arrived and counts as being decoded.
      if (pids.length > 0) await sleep(100);
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await sleep(5);
    }
  })();
  await done();
  isDone = true;
  await killing;
}

describe("a host that can't answer", () => {
  it.each([
    [{ status: 500 }, "http_status: the host answered 500; trying again"],
    [{ status: 429, headers: { "retry-after": "1" } }, "http_status: the host answered 429; trying again"],
    [{ breaks: true }, /^unreachable: .*; trying again$/],
  ])("leaves a new image pending, says why, and is asked again: %j", async (answer, reason) => {
    answers.set("/1.png", answer);
    startWorker();

    await enqueue({ image: url });
    await settled();

    const { image } = await read({ image: url });
    expect(image).toMatchObject({ status: "pending", url });
    expect(image.reason).toMatch(reason);
    expect(await rows()).toMatchObject([{ isOpen: true }]);
    answers.set("/1.png", { body: await png(480, 480) });
    await pass("1 minute");
    await settled();
    expect((await read({ image: url })).image.status).toBe("cached");
  });

  it("rejects it after five tries, and goes on at a slower pace", async () => {
    // So that no retry is due by itself.
    answers.set("/1.png", { status: 500, headers: { "retry-after": "600" } });
    startWorker();
    await enqueue({ image: url });
    for (let tries = 1; tries <= 5; tries++) {
      await settled();
      expect((await read({ image: url })).image.status).toBe(tries < 5 ? "pending" : "rejected");
      await pass("11 minutes");
    }

    expect(await rows()).toMatchObject([{ reason: "http_status: the host answered 500", isOpen: true }]);
  });

  it("never blanks what is shown", async () => {
    startWorker();
    const shown = await cacheOne();
    for (const [answer, reason] of [
      [{ status: 500 }, "http_status: the host answered 500; trying again"],
      [{ status: 404 }, "http_status: the host answered 404"],
    ] as const) {
      answers.set("/1.png", answer);
      await pass("1 minute");
      await enqueue({ image: url });
      await settled();
      expect((await read({ image: url })).image).toMatchObject({ status: "cached", url: shown, reason });
    }

    answers.set("/1.png", { body: await png(480, 480) });
    await pass("1 minute");
    await enqueue({ image: url });
    await settled();
    expect((await read({ image: url })).image).toMatchObject({ status: "cached", url: shown, reason: null });
  });

  it("is not believed to have what was shown if our picture is gone too", async () => {
    startWorker();
    const shown = await cacheOne();
    rmSync(folder, { recursive: true });
    answers.set("/1.png", { body: "<!doctype html>", headers: { "content-type": "text/html" } });
    await pass("2 minutes");
    await missFile(database, shown?.split("/").at(-1) ?? "");
    await settled();

    expect((await read({ image: url })).image).toMatchObject({
      status: "rejected",
      url: null,
      reason: "image_wrong_format: HTML; it must be PNG, JPEG or GIF",
    });
  });

  // Of hosts whose domain was sold, whose bucket is gone behind a page, or whose disk was full.
  it.each([
    ["a page", "<!doctype html><title>This domain is for sale</title>", "HTML"],
    ["JSON", '{"error":"not found"}', "JSON"],
    ["text", "Not found", "an unknown format"],
    ["nothing", "", "an empty file"],
    ["a page over 1 MiB", `<!doctype html>${" ".repeat(1_100_000)}`, "HTML"],
    ["text over 1 MiB", "Não encontrada. ".repeat(80_000), "an unknown format"],
    ["text in Latin-1", Buffer.from("Página não encontrada", "latin1"), "an unknown format"],
    ["text in GBK", Buffer.from("d2b3c3e6b2bbb4e6d4da", "hex"), "an unknown format"],
    ["a page in UTF-16", Buffer.from("\ufeff<!doctype html>", "utf16le"), "an unknown format"],
  ])("never blanks what is shown by sending something else with 200: %s", async (_name, body, found) => {
    startWorker();
    const shown = await cacheOne();
    answers.set("/1.png", { body, headers: { "content-type": "text/html" } });
    await pass("1 minute");
    await enqueue({ image: url });
    await settled();

    expect((await read({ image: url })).image).toMatchObject({
      status: "cached",
      url: shown,
      reason: `image_wrong_format: ${found}; it must be PNG, JPEG or GIF`,
    });
    const [row] = await rows();
    expect(row?.dueIn).toBeGreaterThan(40_000);
    answers.set("/1.png", { body: await png(500, 500) });
    await pass("1 minute");
    await enqueue({ image: url });
    await settled();
    expect((await read({ image: url })).image).toMatchObject({ status: "cached", reason: null, width: 500 });
  });

  it.each([
    ["a PSD", Buffer.from("8BPS\0\x01\0\0", "latin1"), "image_wrong_format: an unknown format"],
    [
      "one of an unknown format",
      Buffer.from("\xe9\x05\x80\xfe", "latin1"),
      "image_wrong_format: an unknown format",
    ],
    [
      "a PNG over 1 MiB",
      Buffer.concat([pngHeader(500, 500), Buffer.alloc(1_100_000)]),
      "image_too_large: over",
    ],
    ["another file over 1 MiB", Buffer.alloc(1_100_000), "image_too_large: over"],
  ])("blanks it by sending another file: %s", async (_name, body, reason) => {
    startWorker();
    await cacheOne();
    answers.set("/1.png", { body });
    await pass("1 minute");
    await enqueue({ image: url });
    await settled();

    expect((await read({ image: url })).image).toMatchObject({
      status: "rejected",
      reason: expect.stringContaining(reason),
    });
  });

  it("that answers 404 rejects at once, is asked again in a day, or when a refresh asks", async () => {
    startWorker();
    await enqueue({ image: url });
    await settled();
    expect((await read({ image: url })).image).toMatchObject({
      status: "rejected",
      url: null,
      reason: "http_status: the host answered 404",
    });
    const [row] = await rows();
    expect(row?.dueIn).toBeGreaterThan(40_000);
    expect(row?.dueIn).toBeLessThanOrEqual(86_400);

    await pass("5 seconds");
    await cacheOne();
  });

  it("is paused when it fails for one image after another, and others go on", async () => {
    const dead = await startLocalServer((_request, response) => response.writeHead(500).end());
    harness.privateHosts.add(dead.host);
    answers.set("/1.png", { body: await png(480, 480) });
    const images = Array.from({ length: 30 }, (_, index) => ({ image: `${dead.url}/${index}.png` }));
    const isPaused = async () => (await readFaulty(database, [dead.host])).get(dead.host)?.isPaused === true;
    const worker = startWorker();

    await enqueue(...images);
    await eventually(isPaused, (paused) => paused);
    const tried = dead.requests.length;
    await enqueue({ image: url });
    await eventually(
      () => read({ image: url }),
      ({ image }) => image.status === "cached",
    );

    expect(tried).toBeLessThan(30);
    // Requests already running when the pause began may still have arrived.
    expect(dead.requests.length).toBeLessThanOrEqual(tried + 4);
    await worker.stop();
    await dead.close();
  });
});

describe("a worker", () => {
  it("that stops releases what it has not finished", async () => {
    let release = (): void => {};
    answers.set("/1.png", { after: new Promise<void>((resolve) => (release = resolve)) });
    const worker = startWorker();
    await enqueue({ image: url });
    const before = asked("/1.png");
    await eventually(
      () => asked("/1.png"),
      (count) => count > before,
    );

    await worker.stop();
    release();

    expect(await rows()).toMatchObject([{ lease: null, isOpen: true, attempts: 0, status: "pending" }]);
  });

  it("that died is replaced by another when its lease has run out", async () => {
    answers.set("/1.png", { body: await png(480, 480) });
    await enqueue({ image: url });
    const [lease] = await createMediaClaim(database, 8)(8);
    expect(lease?.url).toBe(url);
    startWorker();
    await pass("29 seconds");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await rows())[0]?.status).toBe("pending");

    await pass("2 seconds");
    await settled();

    expect((await read({ image: url })).image.status).toBe("cached");
  });

  it("that died is replaced at once, though a later request has to wait", async () => {
    answers.set("/1.png", { body: await png(480, 480) });
    await enqueue({ image: url });
    await createMediaClaim(database, 8)(8);
    await database.query(
      "update vitrine.media set wanted = wanted + 1, not_before = now() + interval '1 hour'",
    );
    await pass("31 seconds");
    startWorker();

    await eventually(
      () => read({ image: url }),
      ({ image }) => image.status === "cached",
    );
  });

  it("that died leaves a paused host alone, whose URLs wait for the end of the pause", async () => {
    answers.set("/1.png", { body: await png(480, 480) });
    await enqueue({ image: url });
    await createMediaClaim(database, 8)(8);
    await database.query(
      "insert into vitrine.host (host, failures, paused_until, reason) values ($1, 5, now() + interval '1 hour', 'timeout')",
      [server.host],
    );
    const before = asked("/1.png");
    await pass("31 seconds");
    startWorker();

    await eventually(rows, ([row]) => row?.lease === null);
    expect(asked("/1.png")).toBe(before);
    await database.query("update vitrine.host set paused_until = now()");
    await settled();

    expect((await read({ image: url })).image.status).toBe("cached");
  });

  it("goes through waiting hosts a part at a time, and stays with one that has work", async () => {
    // Strangers choose the number of hosts; dead ones wait for a day.
    await database.query(
      `insert into vitrine.media (kind, url_hash, url, host, not_before)
       select 'image', decode(md5(n::text), 'hex'), 'https://dead', '0' || n || '.example', now() + interval '1 day'
         from generate_series(1, 60000) n`,
    );
    await enqueue(...Array.from({ length: 20 }, (_, nth) => ({ image: `${server.url}/${nth}.png` })));
    let faults = 0;
    let isAway = false;
    const failing = failingWhen(database, (name) => isAway && name === "media hosts" && ++faults > 0);
    const claim = createMediaClaim(failing, 16);

    const found = await eventually(
      () => claim(8),
      ({ length }) => length > 0,
    );
    expect(found).toHaveLength(8);
    // The windows don't rest any more, and their fault loses nothing.
    await sleep(2_000);
    isAway = true;
    expect(await claim(9)).toHaveLength(8);
    expect(faults).toBe(1);
    isAway = false;
    // The host has as many as it may.
    expect(await claim(8)).toEqual([]);

    const read = await database.transaction(async (tx) => {
      const other = createMediaClaim(tx, 16);
      await other(8);
      // The windows rest.
      return countRowsRead(tx, ["vitrine"], async () => void (await other(8)));
    });
    expect(read).toBeLessThan(1_000);
  });

  it("whose decoder is killed in the middle tries once more, and nothing else happens", async () => {
    answers.set("/1.png", { body: gif(200, 480) }).set("/2.png", { body: await png(500, 480) });
    await decoder.decode("image", await png(480, 480));
    startWorker();
    await enqueue({ image: url }, { image: `${server.url}/2.png` });
    await eventually(
      () => asked("/1.png"),
      (count) => count > 0,
    );

    for (const pid of decoder.pids()) process.kill(pid, "SIGKILL");
    await settled();

    expect(await rows()).toMatchObject([
      { status: "accepted", reason: null, attempts: 0 },
      { status: "accepted", reason: null, attempts: 0 },
    ]);
  });

  it("whose decoder was killed twice is decoded again at the next refresh, though its bytes are the same", async () => {
    answers.set("/1.png", { body: gif(150, 480), headers: { etag: '"same"' } });
    await decoder.decode("image", await png(480, 480));
    startWorker();
    await enqueue({ image: url });
    await killingDecoders(settled);
    expect((await read({ image: url })).image.reason).toContain("decoding ended the decoder 2 times");

    await pass("1 minute");
    await enqueue({ image: url });
    await settled();

    expect((await read({ image: url })).image).toMatchObject({ status: "cached", reason: null });
  });

  it("asks one host for half as many at once as it may ask in all", async () => {
    let release = (): void => {};
    const after = new Promise<void>((resolve) => (release = resolve));
    const paths = Array.from({ length: 12 }, (_, index) => `/held-${index}.png`);
    for (const path of paths) answers.set(path, { after, status: 404 });
    const before = server.requests.length;
    startWorker({ concurrency: 6 });
    await enqueue(...paths.map((path) => ({ image: server.url + path })));

    await eventually(
      () => server.requests.length - before,
      (count) => count >= 3,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));

    expect(server.requests.length - before).toBe(3);
    release();
  });
});

describe("a picture that is gone from the disk", () => {
  /** Has more URLs show the cached picture: the one that ends with n was last probed n minutes before the first of them. */
  const share = (count: number, { prefix = `${server.url}/shared-`, host = server.host } = {}) =>
    database.query(
      `insert into vitrine.media (kind, url_hash, url, host, status, source_hash, file, wanted, started, done, last_started_at)
       select m.kind, sha256(convert_to(s.url, 'UTF8')), s.url, $3, m.status, m.source_hash, m.file, 1, 1, 1,
              now() - (n + 10) * interval '1 minute'
         from vitrine.media m, generate_series(1, $2) as n, lateral (select $1 || n as url) s where m.url = $4`,
      [prefix, count, host, url],
    );
  /** The numbers of the shared URLs that wait for a probe. */
  const waiting = async (): Promise<number[]> => {
    const found = await database.query<{ url: string }>("select url from vitrine.media where wanted > done");
    return found.map((row) => Number(row.url.split("-").at(-1))).toSorted((a, b) => a - b);
  };
  const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

  /** A picture that this many more URLs share, gone. Nothing is probed yet. */
  async function loseShared(count: number): Promise<string> {
    const worker = startWorker();
    const name = (await cacheOne())?.split("/").at(-1) ?? "";
    await worker.stop();
    await share(count);
    rmSync(folder, { recursive: true });
    return name;
  }

  it("is made again from one of the URLs that share it: ten at a time, and more only once those have failed", async () => {
    const name = await loseShared(25);
    answers.set("/shared-3", { body: await png(480, 480) });
    const isThere = () => harness.disk.exists(storageKey(name));

    for (let requests = 0; requests < 3; requests++) {
      await missFile(database, name);
      expect(await waiting()).toEqual(from(16, 25));
    }
    startWorker();
    await settled();
    expect([await isThere(), asked("/shared-16"), asked("/shared-15")]).toEqual([false, 1, 0]);

    await missFile(database, name);
    await settled();
    expect([await isThere(), asked("/shared-16"), asked("/shared-6")]).toEqual([false, 1, 1]);

    await missFile(database, name);
    await settled();
    expect([await isThere(), asked("/shared-3")]).toEqual([true, 1]);
  });

  it("is looked for at hosts that are paused after all others", async () => {
    const name = await loseShared(1);
    await share(20, { prefix: "https://away.example/away-", host: "away.example" });
    await database.query(
      `insert into vitrine.host (host, failures, reason, paused_until)
       values ('away.example', 9, 'timeout', now() + interval '1 hour')`,
    );

    for (let requests = 0; requests < 3; requests++) {
      await missFile(database, name);
      expect(await waiting()).toEqual([1, ...from(12, 20)]);
    }
  });

  it("is made again from its source when somebody asks for it, or when its token is refreshed", async () => {
    startWorker();
    const shown = await cacheOne();
    for (const ask of [
      () => missFile(database, shown?.split("/").at(-1) ?? ""),
      () => enqueue({ image: url }),
    ]) {
      rmSync(folder, { recursive: true });
      await pass("2 minutes");
      await ask();
      await settled();
      expect((await read({ image: url })).image).toMatchObject({
        status: "cached",
        url: shown,
        reason: null,
      });
      const { objects } = await harness.disk.listAll("images", { recursive: true });
      // With its two variants.
      expect([...objects]).toHaveLength(3);
    }
  });

  it("is looked for at its source once a minute at most", async () => {
    startWorker();
    const shown = await cacheOne();
    const before = asked("/1.png");

    await missFile(database, shown?.split("/").at(-1) ?? "");
    await settled();

    expect(asked("/1.png")).toBe(before);
  });
});

describe("a folder that can't be written", () => {
  it("is no fault of an image or its host: it waits, is tried again every 30 seconds, and one warning reports it", async () => {
    answers.set("/1.png", { body: await png(480, 480) });
    answers.set("/2.png", { body: await png(500, 500) });
    const lines: Record<string, unknown>[] = [];
    const note = (line: object): void => void lines.push({ ...line });
    startWorker({ logger: { ...silentLogger, warn: note, error: note } });
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    // Root may write anywhere else.
    writeFileSync(join(folder, "images"), "a file");

    await enqueue({ image: url }, { image: `${server.url}/2.png` });
    for (let tries = 0; tries < 7; tries++) {
      await settled();
      await pass("30 seconds");
    }

    const reason = "internal_error: the image store does not respond; trying again";
    expect((await read({ image: url })).image).toMatchObject({ status: "pending", url, reason });
    expect(lines).toEqual([
      { msg: "The image store is unavailable", reason: expect.stringMatching(/E[A-Z]+/) },
    ]);
    expect(await database.query("select from vitrine.host")).toEqual([]);
    // A try that had begun would fail after the folder is there.
    await settled();
    rmSync(folder, { recursive: true });
    await pass("30 seconds");
    await settled();
    expect((await read({ image: url })).image).toMatchObject({ status: "cached", reason: null });
  });

  it("has no image fetched for half a minute but those that are being probed", async () => {
    answers.set("/full.png", { body: await png(480, 480) });
    startWorker({ storePauseMs: 25_000 });
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    writeFileSync(join(folder, "images"), "a file");

    await enqueue({ image: `${server.url}/full.png` });
    await settled();
    for (const name of ["a", "b", "c"]) await enqueue({ image: `${server.url}/${name}.png` });
    for (let round = 0; round < 3; round++) {
      await pass("30 seconds");
      await settled();
    }

    expect(["/full.png", "/a.png", "/b.png", "/c.png"].map(asked)).toEqual([1, 0, 0, 0]);
    const reason = "internal_error: the image store does not respond; trying again";
    expect((await read({ image: `${server.url}/c.png` })).image).toMatchObject({ status: "pending", reason });
    rmSync(folder, { recursive: true });
  });
});
