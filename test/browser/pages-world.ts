/** The demo's collections with all metadata read, and measurements and screenshots for tests of pages. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { informationOf } from "../../demo/information.ts";
import { createWorld, eventually, type World } from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";

const SCREENSHOTS = join(import.meta.dirname, "../../docs/screenshots");
// A busy machine takes minutes to start the service and read 64 documents and their pictures.
const READ_MS = 240_000;
// Of 64 tokens one is burned, five never have a document, and one host refuses.
const SERVED_MIN = 57;

/** A world in which every document and picture has been read, with information and allowed animations. */
export async function createPagesWorld(): Promise<World> {
  const world = await createWorld();
  const key = await createKey(world.service);
  const { baseUrl } = world.service;
  const send = async (method: string, path: string, headers: Record<string, string>, body: object) => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
  };
  const information = informationOf(world.host.url);
  const path = (address: string): string => `/market-partner/collections/${address}/information`;
  await send("PUT", path(world.heroes), { "x-api-key": key }, information.heroes);
  await send("PUT", path(world.items), { "x-api-key": key }, information.items);
  const operator = { authorization: `Bearer ${world.env.VITRINE_OPERATOR_TOKEN}` };
  await send("POST", "/admin/allowlist", operator, { pattern: new URL(world.host.url).host });
  await eventually(
    async () => {
      const [row] = await world.query<{ served: number; pending: number }>(
        `select (select count(*)::int from vitrine.token where served_version is not null) as served,
                (select count(*)::int from vitrine.media where status = 'pending') as pending`,
      );
      return row ?? { served: 0, pending: 0 };
    },
    ({ served, pending }) => served >= SERVED_MIN && pending === 0,
    READ_MS,
  );
  return world;
}

/** Saves what a visitor sees to docs/screenshots if UPDATE_SCREENSHOTS is set. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.UPDATE_SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const picture = await page.screenshot();
  writeFileSync(
    join(SCREENSHOTS, `${name}.png`),
    await sharp(picture).png({ palette: true, quality: 90 }).toBuffer(),
  );
}

export interface Figures {
  /** As transferred over the network. */
  readonly scriptBytes: number;
  readonly styleBytes: number;
  readonly fontBytes: number;
  readonly htmlBytes: number;
  /** The page with everything that it loads by itself. */
  readonly allBytes: number;
  readonly firstPaintMs: number;
  /** Largest Contentful Paint. */
  readonly largestPaintMs: number;
  /** How long the main thread was blocked: the parts of tasks above 50 ms (Total Blocking Time). */
  readonly blockedMs: number;
  /** Cumulative layout shift while the page loads. */
  readonly shift: number;
  /** The same with what loads when the visitor jumps to the end, which pushes the footer down. */
  readonly shiftAtEnd: number;
  /** Of those that were loaded. */
  readonly brokenImages: number;
}

/** The cost of a page for a visitor who opens it and scrolls to its end, with an empty cache. */
export async function measure(page: Page, path: string): Promise<Figures> {
  await page.goto(path, { waitUntil: "networkidle" });
  const { shift, ...figures } = await figuresOf(page);
  // What is scrolled into sight is found in the next frame; a state that was once reached isn't waited for again.
  await page.evaluate(`new Promise((done) => {
    scrollTo(0, 4_000);
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
  })`);
  await page.locator('#grid[aria-busy="true"]').waitFor({ state: "detached" });
  const brokenImages = await page.evaluate<number>(
    "[...document.images].filter((image) => image.complete && !image.naturalWidth).length",
  );
  return { ...figures, shift, shiftAtEnd: (await figuresOf(page)).shift, brokenImages };
}

const figuresOf = (page: Page) =>
  page.evaluate<Omit<Figures, "shiftAtEnd" | "brokenImages">>(`new Promise((done) => {
    let shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    let largest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) largest = entry.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    let blocked = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) blocked += entry.duration - 50;
    }).observe({ type: "longtask", buffered: true });
    const [{ encodedBodySize: htmlBytes }] = performance.getEntriesByType("navigation");
    const bytes = (kind) => performance.getEntriesByType("resource")
      .filter(({ name }) => new URL(name).pathname.endsWith(kind))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    // Buffered entries come with the next task.
    setTimeout(() => done({
      scriptBytes: bytes(".js"),
      styleBytes: bytes(".css"),
      fontBytes: bytes(".woff2"),
      htmlBytes,
      allBytes: htmlBytes + bytes(""),
      largestPaintMs: Math.round(largest),
      blockedMs: Math.round(blocked),
      firstPaintMs: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0),
      shift: Number(shift.toFixed(4)),
    }), 100);
  })`);
