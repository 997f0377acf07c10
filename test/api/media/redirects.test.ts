/** A video or page is shown from its redirect target, so that host must be allowed too. */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Blocks, startIpfsGateway } from "../../support/servers/ipfs-gateway.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";
import { createMediaHarness } from "./media-harness.ts";
import { png } from "./pictures.ts";

const { answers, server, read, enqueue, settled, pass, startWorker, privateHosts } =
  await createMediaHarness();
const video = readFileSync(new URL("../../fixtures/media/480x480.mp4", import.meta.url));
const types: Readonly<Record<string, string>> = { "/1.mp4": "video/mp4", "/page": "text/html" };

let elsewhere: LocalServer;
beforeAll(async () => {
  elsewhere = await startLocalServer(({ url = "" }, response) => {
    response.writeHead(200, { "content-type": types[url] ?? "", etag: '"same"' });
    response.end(url === "/page" ? "<!doctype html><title>A page</title>" : video);
  });
  privateHosts.add(elsewhere.host);
});
afterAll(() => elsewhere.close());

it("notes where each leads, and that it leads there no more", async () => {
  const fields = { video: `${server.url}/v`, animation_url: `${server.url}/a` };
  answers
    .set("/v", { status: 302, headers: { location: `${elsewhere.url}/1.mp4` } })
    .set("/a", { status: 301, headers: { location: `${elsewhere.url}/page` } });
  startWorker();

  await enqueue(fields);
  await settled();
  expect((await read(fields)).ends).toEqual({ animation: elsewhere.host, video: elsewhere.host });

  answers
    .set("/v", { body: video, headers: { "content-type": "video/mp4", etag: '"same"' } })
    .set("/a", { body: "<!doctype html>", headers: { "content-type": "text/html" } });
  await pass("1 minute");
  await enqueue(fields);
  await settled();
  expect((await read(fields)).ends).toEqual({ animation: undefined, video: undefined });
});

it("keeps where verified content led, which is not fetched again", async () => {
  const blocks = new Blocks();
  const cid = await blocks.add({ "": video });
  const gateway = await startIpfsGateway(blocks);
  privateHosts.add(gateway.host);
  const fields = { video: `${server.url}/ipfs/${cid}` };
  for (const query of ["", "?format=car&dag-scope=entity"])
    answers.set(`/ipfs/${cid}${query}`, {
      status: 302,
      headers: { location: `${gateway.url}/ipfs/${cid}${query}` },
    });
  startWorker();

  for (let time = 0; time < 2; time++) {
    await enqueue(fields);
    await settled();
    expect((await read(fields)).ends).toEqual({ video: gateway.host });
    await pass("1 minute");
  }
  expect(gateway.requests).toHaveLength(1);
  await gateway.close();
});

it("does not mind a redirect within the host", async () => {
  const fields = { video: `${server.url}/old` };
  answers
    .set("/old", { status: 302, headers: { location: "/new" } })
    .set("/new", { body: video, headers: { "content-type": "video/mp4" } });
  startWorker();

  await enqueue(fields);
  await settled();

  expect(await read(fields)).toMatchObject({ ends: {}, faults: {} });
});

it("shows what it leads to now, though both files have the same ETag under URLs of their own", async () => {
  const files: Readonly<Record<string, Buffer>> = {
    "/v1/1.png": await png(500, 500),
    "/v2/1.png": await png(600, 500),
  };
  const versions = await startLocalServer(({ url = "", headers }, response) => {
    const isKnown = headers["if-none-match"] === '"1"';
    response.writeHead(isKnown ? 304 : 200, { "content-type": "image/png", etag: '"1"' });
    response.end(isKnown ? "" : files[url]);
  });
  privateHosts.add(versions.host);
  const fields = { image: `${server.url}/latest.png` };
  const widthAt = async (path: string): Promise<number | null> => {
    answers.set("/latest.png", { status: 302, headers: { location: `${versions.url}${path}` } });
    await pass("1 minute");
    await enqueue(fields);
    await settled();
    return (await read(fields)).image.width;
  };
  startWorker();

  expect(await widthAt("/v1/1.png")).toBe(500);
  expect(await widthAt("/v2/1.png")).toBe(600);
  await versions.close();
});

it("refuses a video of a byte too much", async () => {
  const fields = { video: `${server.url}/long` };
  answers.set("/long", { body: Buffer.concat([video, Buffer.alloc(1_048_577 - video.length)]) });
  startWorker();

  await enqueue(fields);
  await settled();

  expect((await read(fields)).faults.video).toEqual({
    reason: "video_too_large",
    message: "over 1048576 bytes, at most 1048576",
  });
});
