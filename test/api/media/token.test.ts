/** A token's media in API answers, and that the named URLs load. */

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { BASE_URL, createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { createMediaHarness } from "./media-harness.ts";
import { gif, png } from "./pictures.ts";

const { test, database, answers, server, disk, media, pass, settled, startWorker } =
  await createMediaHarness();
const api = createTestApp(test, { images: { disk, onMissing: async () => undefined } });
const key = await api.createKey();
await database.query("insert into vitrine.allowed_host (pattern, added_by) values ($1, 'tests')", [
  server.host,
]);
await test.setHead({ chainId: CHAIN_ID, block: 100 });

/** The end of a refresh: the document is recorded and its media enqueued, in one transaction. */
async function refresh(json: Record<string, unknown>): Promise<void> {
  const fields = { image: null, video: null, animation_url: null, ...json };
  await database.transaction(async (tx) => {
    await recordOne(api.metadata, tx, ref("1"), "rest", found({ name: "Hero", ...json }));
    await media.enqueue(tx, [fields]);
  });
}
const read = async () => (await api.call(`/market/collections/${COLLECTION}/tokens/1`, { key })).body;

describe("a token", () => {
  it("goes from its image's own address to the cached one, on both pages, and it can be loaded", async () => {
    await emptyTables(database);
    const image = `${server.url}/1.png`;
    const body = await png(700, 500);
    answers.set("/1.png", { body });
    await refresh({ image });
    const unknown = { width: null, height: null, bytes: null, format: null, placeholder: null, variants: [] };
    expect(await read()).toMatchObject({
      image: { status: "pending", url: image, reason: null, ...unknown },
      display: { collection_page: { kind: "image", url: image } },
    });

    startWorker();
    await settled();

    const token = await read();
    const { url } = token.image;
    expect(token).toMatchObject({
      image: {
        ...{ status: "cached", url: expect.stringMatching(/\.png$/), reason: null },
        ...{ width: 700, height: 500, bytes: body.length, format: "PNG" },
        placeholder: expect.stringMatching(/^[A-Za-z0-9+/]{20,48}=*$/),
        variants: [480, 240].map((side) => ({
          ...{ type: "image/webp", width: side, height: side, bytes: expect.any(Number) },
          url: expect.stringMatching(/\/media\/images\/[0-9a-f]{64}\.webp$/),
        })),
      },
      display: { collection_page: { kind: "image", url }, token_page: { kind: "image", url, skipped: [] } },
    });
    expect(url.startsWith(`${BASE_URL}/media/images/`)).toBe(true);
    const picture = await api.app.request(new URL(url).pathname);
    expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
    for (const variant of token.image.variants) {
      const { pathname } = new URL(variant.url);
      const response = await api.app.request(pathname);
      const content = Buffer.from(await response.arrayBuffer());
      expect([response.status, response.headers.get("content-type"), content.length]).toEqual([
        ...[200, "image/webp", variant.bytes],
      ]);
      expect(response.headers.get("cache-control")).toContain("immutable");
      expect(pathname).toContain(createHash("sha256").update(content).digest("hex"));
    }
  });

  it("whose image is refused says why, and its pages show none", async () => {
    await emptyTables(database);
    answers.set("/1.png", { body: await png(412, 412) });
    await refresh({ image: `${server.url}/1.png` });
    startWorker();
    await settled();

    expect(await read()).toMatchObject({
      name: "Hero",
      image: { status: "rejected", url: null, reason: "image_too_small: 412x412, at least 480x480" },
      display: {
        collection_page: { kind: "none", url: null },
        token_page: { kind: "none", url: null, skipped: [] },
      },
      metadata: { status: "current" },
    });
  });

  it("whose host no longer gives the image keeps the last one, with a warning once that is final", async () => {
    await emptyTables(database);
    answers.set("/1.png", { body: await png(480, 480) });
    await refresh({ image: `${server.url}/1.png` });
    startWorker();
    await settled();
    const { image, metadata } = await read();
    expect(metadata.issues).toEqual([]);
    const afterAnswer = async (status: number) => {
      answers.set("/1.png", { status });
      await pass("1 minute");
      await refresh({ image: `${server.url}/1.png` });
      await settled();
      return read();
    };

    const trying = await afterAnswer(503);
    const gone = await afterAnswer(404);

    expect(trying.image).toEqual({ ...image, reason: "http_status: the host answered 503; trying again" });
    expect(trying.metadata.issues).toEqual([]);
    expect(gone.image).toEqual({ ...image, reason: "http_status: the host answered 404" });
    expect(gone.metadata.issues).toEqual([
      { code: "http_status", level: "warning", path: "image", message: "the host answered 404" },
    ]);
  });

  it("whose animation is a picture shows the video or the image instead, and says why", async () => {
    await emptyTables(database);
    answers.set("/play", { body: gif(2, 480), headers: { "content-type": "image/gif" } });
    answers.set("/1.png", { body: await png(480, 480) });
    await refresh({ image: `${server.url}/1.png`, animation_url: `${server.url}/play` });
    startWorker();
    await settled();

    expect((await read()).display.token_page).toMatchObject({
      kind: "image",
      skipped: [
        {
          kind: "animation",
          host: server.host,
          reason: "animation_is_image",
          message: "the content is GIF; it must be HTML",
        },
      ],
    });
  });

  it("that was not probed yet shows what its allowed hosts hold", async () => {
    await emptyTables(database);
    await refresh({ image: `${server.url}/1.png`, animation_url: `${server.url}/play` });

    expect((await read()).display.token_page).toEqual({
      kind: "animation",
      url: `${server.url}/play`,
      skipped: [],
    });
  });
});
