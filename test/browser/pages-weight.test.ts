/** How much a page of 24 tokens with pictures full of detail weighs, in a browser with an empty cache. */

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drawHeavyPng } from "../../demo/art.ts";
import { createDecoder } from "../../src/api/media/decoder/decoder.ts";
import { createDisk } from "../../src/api/media/storage/disk.ts";
import { storageKey } from "../../src/api/media/storage/media-disk.ts";
import { addFile } from "../../src/api/media/storage/media-file-store.ts";
import { createPagesWorld, HEROES } from "../api/pages/world.ts";
import { DESKTOP, launchBrowser, PHONE } from "./browser.ts";
import { servePages } from "./pages-parts.ts";

const TOKENS = 24;
const folder = mkdtempSync(join(tmpdir(), "vitrine-weight-"));
const disk = createDisk(folder);
const decoder = createDecoder({ processes: 2 });
const world = await createPagesWorld({ images: { disk, onMissing: async () => undefined } });
const baseUrl = await servePages(world.api.app);
let browser: Browser;

const fileName = (bytes: Buffer, extension: string): string =>
  `${createHash("sha256").update(bytes).digest("hex")}.${extension}`;

/** A token whose picture and variants the decoder has made, from a PNG of about 800 kB. */
async function show(tokenId: string): Promise<void> {
  const image = await decoder.decode("image", await drawHeavyPng(`hero ${tokenId}`, 560));
  if (!("kind" in image) || image.kind !== "image") throw new Error(JSON.stringify(image));
  const { format, width, height, placeholder } = image;
  const variants = (image.variants ?? []).map(({ side, bytes }) => ({
    stored: {
      name: fileName(bytes, "webp"),
      type: "image/webp",
      width: side,
      height: side,
      bytes: bytes.length,
    },
    bytes,
  }));
  const name = fileName(image.bytes, "png");
  await addFile(world.test.database, {
    ...{ name, sourceHash: tokenId, format, width, height, placeholder },
    variants: variants.map(({ stored }) => stored),
  });
  await disk.put(storageKey(name), image.bytes);
  for (const { stored, bytes } of variants) await disk.put(storageKey(stored.name), bytes);
  await world.mint(tokenId);
  await world.describe(tokenId, {});
  await world.cacheImage(tokenId, name);
}

beforeAll(async () => {
  browser = await launchBrowser();
  for (let id = 1; id <= TOKENS; id++) await show(String(id));
});
afterAll(async () => {
  await browser?.close();
  await decoder.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  ["at a desk", DESKTOP, 1, 500_000, 240],
  // Sharp there: pictures of less detail, such as the demo's, stay under 500 kB.
  ["at a desk with a dense screen", DESKTOP, 2, 1_000_000, 480],
  ["on a phone", PHONE, 1, 300_000, 240],
  ["on a phone with a dense screen", PHONE, 3, 300_000, 240],
] as const)("is light, %s", async (_, viewport, deviceScaleFactor, bytesMax, side) => {
  const context = await browser.newContext({ baseURL: baseUrl, viewport, deviceScaleFactor });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  let bytes = 0;
  const pictures = new Set<string>();
  const measured: Promise<void>[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().startsWith("data:")) return;
    if (request.url().includes("/media/images/")) pictures.add(request.url());
    measured.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        bytes += responseBodySize + responseHeadersSize;
      }),
    );
  });

  await page.goto(HEROES, { waitUntil: "networkidle" });
  await page.mouse.wheel(0, 20_000);
  await page.waitForLoadState("networkidle");
  await expect.poll(() => pictures.size).toBe(TOKENS);
  await Promise.all(measured);

  expect(bytes).toBeLessThan(bytesMax);
  // Measured, and not merely empty.
  expect(bytes).toBeGreaterThan(TOKENS * 1_000);
  expect([...pictures].filter((url) => !url.endsWith(".webp"))).toEqual([]);
  const widths = await page.evaluate<number[]>(
    `Promise.all([...document.querySelectorAll("#grid img")].map(async ({ currentSrc }) => {
      const picture = new Image();
      picture.src = currentSrc;
      await picture.decode();
      return picture.naturalWidth;
    }))`,
  );
  expect(widths).toEqual(Array.from({ length: TOKENS }, () => side));
  expect(await page.locator("#grid .placeholder").count()).toBe(TOKENS);
  expect(complaints).toEqual([]);
  await context.close();
});
