/** The public address of a picture. */

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createDisk, keyOf } from "../../../src/api/media/disk.ts";
import { createTestApp } from "../../support/app.ts";
import { createTestDatabase } from "../../support/database.ts";
import { noise } from "./pictures.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-images-"));
const disk = createDisk(folder);
const missed: string[] = [];
const { app } = createTestApp(await createTestDatabase(), {
  images: { disk, onMissing: async (name) => void missed.push(name) },
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = await noise().png().toBuffer();
const hash = createHash("sha256").update(bytes).digest("hex");
await disk.put(keyOf(`${hash}.png`), bytes);
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

describe("an address without a picture", () => {
  it("is 404, which nobody remembers, and the picture is missed", async () => {
    const name = `${"0".repeat(64)}.gif`;
    const response = await get(`/media/images/${name}`);

    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ code: "NOT_FOUND" });
    expect(missed).toEqual([name]);
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
