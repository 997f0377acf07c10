/** From a document's URL to a picture, over a real database, a real host and real decoders. */

import { rmSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { noMetrics } from "../../../src/api/media/probes/metrics.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import { eventually } from "../../support/eventually.ts";
import { BASE_URL, createMediaHarness } from "./media-harness.ts";
import { gif, jpeg, png, pngOfBytes } from "./pictures.ts";

const harness = await createMediaHarness();
const { answers, server, folder, disk, read, enqueue, settled, rows, asked, pass, startWorker } = harness;
const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";

const nameIn = (url: string | null): string => url?.split("/").at(-1) ?? "";

describe("an image that was asked for", () => {
  it("is pending with its own address, then cached under the hash of its content", async () => {
    const url = `${server.url}/1.png`;
    answers.set("/1.png", { body: await jpeg(600, 500) });
    expect((await read({ image: url })).image).toMatchObject({ status: "pending", url, reason: null });
    await enqueue({ image: url });
    expect((await read({ image: url })).image).toMatchObject({ status: "pending", url, reason: null });

    startWorker();
    await settled();

    const { image } = await read({ image: url });
    expect(image).toMatchObject({
      status: "cached",
      url: expect.stringMatching(new RegExp(`^${BASE_URL}/media/images/[0-9a-f]{64}\\.png$`)),
      reason: null,
    });
    const picture = Buffer.from(await disk.getBytes(storageKey(nameIn(image.url))));
    expect(await sharp(picture).metadata()).toMatchObject({ format: "png", width: 480, height: 480 });
  });

  it("with new bytes at its old address gets a new address", async () => {
    const url = `${server.url}/1.png`;
    answers.set("/1.png", { body: await png(500, 500) });
    startWorker();
    await enqueue({ image: url });
    await settled();
    const before = (await read({ image: url })).image.url;
    answers.set("/1.png", { body: gif(2, 480) });

    await pass("1 minute");
    await enqueue({ image: url });
    await settled();

    const after = (await read({ image: url })).image;
    expect(after.status).toBe("cached");
    expect(nameIn(after.url)).toMatch(/\.gif$/);
    expect(after.url).not.toBe(before);
  });

  it("with the same bytes is fetched again and not decoded again", async () => {
    const url = `${server.url}/1.png`;
    answers.set("/1.png", { body: await png(500, 500) });
    let decoded = 0;
    startWorker({ metrics: { ...noMetrics, rendered: () => decoded++ } });
    await enqueue({ image: url });
    await settled();
    const before = await read({ image: url });

    await pass("1 minute");
    await enqueue({ image: url });
    await settled();

    expect([asked("/1.png") >= 2, decoded]).toEqual([true, 1]);
    expect(await read({ image: url })).toEqual(before);
  });

  it("that was refused is not decoded again until its bytes change", async () => {
    const url = `${server.url}/1.png`;
    answers.set("/1.png", { body: await png(100, 100) });
    let decoded = 0;
    startWorker({ metrics: { ...noMetrics, rendered: () => decoded++ } });
    for (let round = 0; round < 3; round++) {
      await pass("1 minute");
      await enqueue({ image: url });
      await settled();
      expect((await read({ image: url })).image).toMatchObject({ status: "rejected" });
    }
    expect(decoded).toBe(1);

    answers.set("/1.png", { body: await png(480, 480) });
    await pass("1 minute");
    await enqueue({ image: url });
    await settled();
    expect((await read({ image: url })).image.status).toBe("cached");
  });

  it("is not even sent again by a host that names its bytes, until they change or our picture is lost", async () => {
    const url = `${server.url}/tagged.png`;
    answers.set("/tagged.png", { body: await png(500, 500), headers: { etag: '"one"' } });
    startWorker();
    const readEtag = async (): Promise<string | undefined> => {
      await pass("1 minute");
      await enqueue({ image: url });
      await settled();
      return server.requests.filter((each) => each.url === "/tagged.png").at(-1)?.headers["if-none-match"];
    };
    expect(await readEtag()).toBeUndefined();
    const before = await read({ image: url });

    answers.set("/tagged.png", { status: 304, headers: { etag: '"one"' } });
    expect(await readEtag()).toBe('"one"');
    expect(await read({ image: url })).toEqual(before);

    answers.set("/tagged.png", { body: await png(501, 501), headers: { etag: 'W/"two"' } });
    expect(await readEtag()).toBe('"one"');
    expect((await read({ image: url })).image).toMatchObject({ status: "cached" });
    // A weak ETag may stand for other bytes.
    expect(await readEtag()).toBeUndefined();

    answers.set("/tagged.png", { body: await png(500, 500), headers: { etag: '"three"' } });
    await readEtag();
    rmSync(folder, { recursive: true });
    expect(await readEtag()).toBeUndefined();
    expect(await read({ image: url })).toEqual(before);
  });

  it("by many tokens is fetched once, by two processes as by one", async () => {
    const urls = Array.from({ length: 20 }, (_, index) => `/shared-${index}.png`);
    for (const [index, path] of urls.entries()) answers.set(path, { body: await png(480, 480 + index) });
    const tokens = urls.flatMap((path) => Array.from({ length: 50 }, () => ({ image: server.url + path })));
    await Promise.all([enqueue(...tokens), enqueue(...tokens.toReversed()), enqueue(...tokens)]);
    // A request that comes after a fetch has started is another one.
    startWorker();
    startWorker();
    await settled();

    expect(urls.map(asked)).toEqual(urls.map(() => 1));
    expect((await rows()).map(({ status }) => status)).toEqual(urls.map(() => "accepted"));
  });

  it("while it is being fetched is probed once more afterwards", async () => {
    const url = `${server.url}/slow.png`;
    let release = (): void => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    answers.set("/slow.png", { body: await png(480, 480), after });
    startWorker();
    await enqueue({ image: url });
    await eventually(
      () => asked("/slow.png"),
      (count) => count === 1,
    );

    answers.set("/slow.png", { body: await png(481, 481) });
    await enqueue({ image: url }, { image: url });
    await enqueue({ image: url });
    release();
    await settled();

    expect(asked("/slow.png")).toBe(1);
    await pass("5 seconds");
    await settled();
    expect(asked("/slow.png")).toBe(2);
  });

  it("at ipfs:// comes from a gateway", async () => {
    answers.set(`/gateway/ipfs/${CID}/1.png`, { body: await png(480, 480) });
    startWorker();

    await enqueue({ image: `ipfs://${CID}/1.png` });
    await settled();

    expect((await read({ image: `ipfs://${CID}/1.png` })).image.status).toBe("cached");
  });

  it("with the same content as another has the same address", async () => {
    const body = await png(480, 480);
    answers.set("/a.png", { body }).set("/b.png", { body });
    startWorker();

    await enqueue({ image: `${server.url}/a.png` }, { image: `${server.url}/b.png` });
    await settled();

    const [a, b] = [
      await read({ image: `${server.url}/a.png` }),
      await read({ image: `${server.url}/b.png` }),
    ];
    expect(a.image).toEqual(b.image);
    expect(a.image.status).toBe("cached");
  });
});

describe("an image that is refused", () => {
  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ["too small", () => png(412, 412), "image_too_small: 412x412, at least 480x480"],
    ["a byte too long", () => pngOfBytes(1_048_577), "image_too_large: over 1048576 bytes, at most 1048576"],
    ["no image", () => Buffer.from("<html></html>"), "image_wrong_format: HTML; it must be PNG, JPEG or GIF"],
  ])("says why, and shows nothing: %s", async (_name, make, reason) => {
    const url = `${server.url}/bad.png`;
    answers.set("/bad.png", { body: await make() });
    startWorker();

    await enqueue({ image: url });
    await settled();

    expect((await read({ image: url })).image).toMatchObject({ status: "rejected", url: null, reason });
    expect(await rows()).toMatchObject([{ isOpen: false }]);
  });

  it("passes with one byte less", async () => {
    const url = `${server.url}/fits.png`;
    answers.set("/fits.png", { body: await pngOfBytes(1_048_576) });
    startWorker();

    await enqueue({ image: url });
    await settled();

    expect((await read({ image: url })).image.status).toBe("cached");
  });

  it.each<[string, () => Promise<Buffer> | Buffer]>([
    ["another image", () => png(100, 100)],
    ["an image of another format", () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ["another file", () => Buffer.from("%PDF-1.7\n")],
    ["bytes of a format that nobody knows", () => Buffer.from([0xff, 0x0a, 0xfa, 0x00])],
  ])(
    "takes the place of what was shown before, since its owner has put it there: %s",
    async (_name, make) => {
      const url = `${server.url}/1.png`;
      answers.set("/1.png", { body: await png(480, 480) });
      startWorker();
      await enqueue({ image: url });
      await settled();

      answers.set("/1.png", { body: await make() });
      await pass("1 minute");
      await enqueue({ image: url });
      await settled();

      expect((await read({ image: url })).image).toMatchObject({ status: "rejected", url: null });
    },
  );

  it.each([
    ["data:image/png;base64,AAAA", "unsupported_scheme: the URI is data:; it must be http, https or ipfs"],
    ["1.png", "invalid_uri: the URI has no scheme; it must be http, https or ipfs"],
    [
      `https://img.example/${"a".repeat(8_192)}`,
      "invalid_uri: the URL has 8212 characters; the limit is 8192",
    ],
  ])("by its address alone is never asked for: %s", async (url, reason) => {
    await enqueue({ image: url });

    expect((await read({ image: url })).image).toMatchObject({ status: "rejected", url: null, reason });
    expect(await rows()).toEqual([]);
  });
});

describe("videos and animations", () => {
  it("are found fit or faulty, by their content", async () => {
    const html = { headers: { "content-type": "text/html" }, body: "<!doctype html><p>Play" };
    answers
      .set("/play", html)
      .set("/picture", { body: gif(2, 480), headers: { "content-type": "text/html" } });
    answers.set("/film", { body: await png(480, 480) });
    const good = { animation_url: `${server.url}/play` };
    const bad = { animation_url: `${server.url}/picture`, video: `${server.url}/film` };
    startWorker();

    await enqueue(good, bad);
    await settled();

    expect((await read(good)).faults).toEqual({ animation: undefined, video: undefined });
    expect((await read(bad)).faults).toEqual({
      animation: { reason: "animation_is_image", message: "the content is GIF; it must be HTML" },
      video: { reason: "video_wrong_format", message: "PNG; it must be MP4 or WEBM" },
    });
  });

  it("of any length are recognised by their start", async () => {
    const long = "x".repeat(10_000_000);
    const html = { headers: { "content-type": "text/html" }, body: `<!doctype html><p>${long}` };
    answers
      .set("/long-page", html)
      .set("/long-picture", { body: Buffer.concat([gif(2, 480), Buffer.from(long)]) });
    const [page, picture] = ["/long-page", "/long-picture"].map((path) => ({
      animation_url: server.url + path,
    }));
    startWorker();

    await enqueue(page ?? {}, picture ?? {});
    await settled();

    expect((await read(page ?? {})).faults.animation).toBeUndefined();
    expect((await read(picture ?? {})).faults.animation?.reason).toBe("animation_is_image");
  });

  it("that no page could load are not asked for", async () => {
    await enqueue(
      { video: "ftp://host/1.mp4", animation_url: "javascript:alert(1)" },
      { video: "https://u:p@host/" },
    );

    expect(await rows()).toEqual([]);
  });
});
