/**
 * A store in a bucket, against s3rver as a process of its own. It does not show that signatures are right, since s3rver
 * is lax about them, nor that the server refuses a second write: s3rver ignores the condition and writes the same bytes
 * again. What a server says that knows more is in bucket-answers.test.ts.
 */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getRequestListener } from "@hono/node-server";
import sharp from "sharp";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { collectFiles } from "../../../src/api/media/storage/collect.ts";
import { openStore } from "../../../src/api/media/storage/disk.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import type { BucketAddress } from "../../../src/api/store-address.ts";
import { eventually } from "../../support/eventually.ts";
import { leaveEarly } from "../../support/http/leave-early.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { s3Credentials, startS3Server } from "../../support/servers/s3-server.ts";
import { createMediaHarness } from "./media-harness.ts";

Object.assign(process.env, s3Credentials);
const s3 = await startS3Server("pics");
afterAll(() => s3.close());
const store: BucketAddress = {
  kind: "bucket",
  bucket: "pics",
  prefix: "stage/one",
  region: "us-east-1",
  endpoint: s3.endpoint,
  forcePathStyle: true,
};
const harness = await createMediaHarness({ store });
const { answers, database, disk, enqueue, pass, read, rows, server, settled, startWorker, test } = harness;

const missed: string[] = [];
/** Another replica: its own connections to the bucket, and no folder in common. */
const { app } = createTestApp(test, {
  images: { disk: openStore(store), onMissing: async (name) => void missed.push(name) },
});
const pathOf = (url: string | null): string => new URL(url ?? "").pathname;
const fileIn = (url: string | null): string => pathOf(url).split("/").at(-1) ?? "";

/** An image that was never seen. */
async function publish(path: string): Promise<string> {
  const [r = 0, g = 0, b = 0] = randomBytes(3);
  const image = sharp({ create: { width: 480, height: 480, channels: 3, background: { r, g, b } } });
  answers.set(path, { body: await image.png().toBuffer() });
  return `${server.url}${path}`;
}

async function cached(image: string) {
  await enqueue({ image });
  await settled();
  return (await read({ image })).image;
}

describe("a picture in a bucket", () => {
  it("that one replica stored is served by another, with the headers of a folder's", async () => {
    startWorker();
    const { status, url } = await cached(await publish("/served.png"));

    expect(status).toBe("cached");
    const response = await app.request(pathOf(url));
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.status).toBe(200);
    expect(bytes.equals(Buffer.from(await disk.getBytes(storageKey(fileIn(url)))))).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "content-length": String(bytes.length),
      "cache-control": "public, max-age=31536000, immutable",
      etag: `"${fileIn(url).slice(0, 64)}"`,
    });
    const again = await app.request(pathOf(url), { headers: { "if-none-match": "*" } });
    expect(again.status).toBe(304);
    const head = await app.request(pathOf(url), { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(String(bytes.length));
  });

  it("has the path of its address behind the prefix, so that a CDN can read it from either", async () => {
    startWorker();
    const { url } = await cached(await publish("/cdn.png"));
    const client = new S3Client({ region: store.region, endpoint: s3.endpoint, forcePathStyle: true });

    const head = await client.send(new HeadObjectCommand({ Bucket: "pics", Key: `stage/one${pathOf(url)}` }));

    expect(head).toMatchObject({
      ContentType: "image/png",
      CacheControl: "public, max-age=31536000, immutable",
    });
  });

  it("is 404 if it is missing, and missed", async () => {
    const name = `${"0".repeat(64)}.gif`;
    const response = await app.request(`/media/images/${name}`);

    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(missed).toEqual([name]);
  });

  it("is deleted with its variants a day after its last use, and nothing else is", async () => {
    startWorker();
    const old = await cached(await publish("/old.png"));
    const kept = await cached(await publish("/kept.png"));
    await database.query("delete from vitrine.media where url like '%/old.png'");

    await collectFiles(database, disk);
    expect(await disk.exists(storageKey(fileIn(old.url)))).toBe(true);
    await pass("25 hours");
    await collectFiles(database, disk);

    for (const { url } of [old, ...old.variants])
      expect(await disk.exists(storageKey(fileIn(url)))).toBe(false);
    for (const { url } of [kept, ...kept.variants])
      expect(await disk.exists(storageKey(fileIn(url)))).toBe(true);
  });

  it("is listed beyond the first page, and deleted in batches", async () => {
    const pages = openStore({ ...store, prefix: "many" });
    const keys = Array.from({ length: 1_050 }, () => storageKey(`${randomBytes(32).toString("hex")}.png`));
    // As many as a service's workers put at once; beside more, one may take too long on a busy machine.
    for (let at = 0; at < keys.length; at += 8)
      await Promise.all(keys.slice(at, at + 8).map((key) => pages.put(key, "x")));

    const count = async (): Promise<number> => {
      let found = 0;
      for await (const { bytes } of pages.listPictures()) found += bytes;
      return found;
    };
    expect(await count()).toBe(keys.length);
    await pages.deleteMany(keys);
    expect(await count()).toBe(0);
  });
});

describe("a bucket that is away", () => {
  it("loses nothing: pictures are 503 and their probes wait, uncounted, until it is back", async () => {
    startWorker();
    const before = await cached(await publish("/before.png"));
    await s3.kill();

    const away = await app.request(pathOf(before.url));
    expect(away.status).toBe(503);
    expect(away.headers.get("cache-control")).toBe("no-store");
    expect(away.headers.get("etag")).toBeNull();
    expect(await away.json()).toMatchObject({ code: "UNAVAILABLE" });
    expect(await disk.check()).toContain("does not answer");

    const image = await publish("/during.png");
    await enqueue({ image });
    const [waiting] = await eventually(rows, (all) => all.some(({ reason }) => reason?.includes("store")));
    await enqueue({ image: `${server.url}/before.png` });
    await eventually(rows, (all) => all.filter(({ reason }) => reason?.includes("store")).length === 2);
    expect(waiting).toBeDefined();
    const during = (await rows()).find(({ status }) => status === "pending");
    expect(during).toMatchObject({ attempts: 0, isOpen: true });
    expect((await read({ image: `${server.url}/before.png` })).image).toMatchObject({
      status: "cached",
      url: before.url,
    });

    await s3.start();
    await pass("1 minute");
    await settled();
    const after = (await read({ image })).image;
    expect(after).toMatchObject({ status: "cached", reason: null });
    for (const { url } of [before, after, ...after.variants])
      expect((await app.request(pathOf(url))).status).toBe(200);
    expect(await disk.check()).toBeUndefined();
  });
});

describe("the check at boot", () => {
  it("names MEDIA_STORE for a bucket that does not exist", async () => {
    await expect(openStore({ ...store, bucket: "nowhere" }).check()).rejects.toThrow(
      `MEDIA_STORE names the bucket nowhere, which does not exist at S3_ENDPOINT ${s3.endpoint}.`,
    );
  });

  it("names the variables of credentials that the server does not know, and prints none", async () => {
    process.env.AWS_ACCESS_KEY_ID = "NOBODY";
    process.env.AWS_SECRET_ACCESS_KEY = "very-secret";
    try {
      const error = await openStore(store)
        .check()
        .then(
          () => undefined,
          (each: Error) => each,
        );
      expect(error?.message).toMatch(
        /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY do not open the bucket pics/,
      );
      expect(error?.message).not.toContain("very-secret");
    } finally {
      Object.assign(process.env, s3Credentials);
    }
  });
});

it("a reader who goes away in the middle holds no connection", async () => {
  startWorker();
  const { url } = await cached(await publish("/left.png"));
  // More than the SDK opens at once.
  for (let index = 0; index < 60; index++) await (await app.request(pathOf(url))).body?.cancel();

  expect((await app.request(pathOf(url))).status).toBe(200);
});

describe("a picture that a socket does not hold at once", () => {
  // One more than the SDK opens at once.
  const SURPLUS = 51;

  /** The path of another such picture, at a replica with connections of its own. */
  async function bigPicture() {
    const name = `${randomBytes(32).toString("hex")}.png`;
    await disk.put(storageKey(name), randomBytes(1_000_000));
    const replica = createTestApp(test, {
      images: { disk: openStore(store), onMissing: async () => undefined },
    });
    return { app: replica.app, path: `/media/images/${name}` };
  }

  it("holds no connection for a client that leaves early", async () => {
    const { app, path } = await bigPicture();
    const server = createServer(getRequestListener(app.fetch)).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());

    await leaveEarly((server.address() as AddressInfo).port, path, {}, SURPLUS, 8);

    expect((await app.request(path)).status).toBe(200);
  });

  it("is 503, with when to retry, while readers who stay hold every connection", async () => {
    const { app, path } = await bigPicture();
    const held: Response[] = [];
    for (let index = 0; index < SURPLUS; index++) held.push(await app.request(path));
    onTestFinished(() => void Promise.allSettled(held.map(({ body }) => body?.cancel())));

    const refused = held.filter(({ status }) => status !== 200);

    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers } of refused)
      expect([status, headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  });
});
