/** What stands around every page, in a browser: the search of the bar, themes, card sizes, neighbours; and what a page costs. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { World } from "../support/processes/world.ts";
import { accessibilityProblems, DESKTOP, fitsWidth, launchBrowser, NARROW, PHONE, visit } from "./browser.ts";
import { createPagesWorld, type Figures, keepScreenshot, measure } from "./pages-world.ts";

const SHIFT_MAX = 0.01;
const SCRIPT_BYTES_MAX = 10_000;
const FONT_BYTES_MAX = 21_000;
// Up to 1,800 ms counts as good (web.dev, First Contentful Paint); a machine running all tests is slower.
const FIRST_PAINT_MS = 2_000;

let world: World;
let browser: Browser;
let heroes = "";

beforeAll(async () => {
  [world, browser] = await Promise.all([createPagesWorld(), launchBrowser()]);
  heroes = `/collections/${world.chain.chainId}/${world.heroes}`;
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const open = (options: Partial<Parameters<typeof visit>[1]> = {}) =>
  visit(browser, { baseUrl: world.service.baseUrl, ...options });
/** Their banner and avatar, which they keep themselves. */
const isCreators = (url: string): boolean => url.startsWith(`${world.host.url}/art/`);
const box = (page: Page) => page.getByRole("combobox", { name: "Search collections, tokens and wallets" });
const theme = (page: Page) => page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme");

it("a suggestion that the keyboard has chosen stays chosen when a later answer comes, and not when more is typed", async () => {
  const { context, page } = await open();
  await page.goto("/collections");
  await page.locator("#site-search").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("frost k");
  const option = page.getByRole("option", { name: /^Frost Knight #2/ });
  await option.waitFor();

  const answered = page.waitForResponse((response) => response.url().includes("q=frost+kn"));
  await page.keyboard.type("n");
  await page.keyboard.press("ArrowDown");
  await (await answered).finished();
  await page.waitForFunction("document.querySelector('#suggestions').textContent.includes('frost kn')");
  expect(await option.getAttribute("aria-selected")).toBe("true");
  expect(await box(page).getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));

  await page.keyboard.type("i");
  expect(await option.getAttribute("aria-selected")).toBeNull();
  expect(await box(page).getAttribute("aria-activedescendant")).toBeNull();
  await context.close();
});

it.each(["/", "/collections", "/reference"])(
  "`/` goes to the search on %s, whose suggestions the keyboard chooses, follows and closes",
  async (path) => {
    const { context, page, complaints, outside } = await open();
    await page.goto(path);
    await page.locator("#site-search").waitFor();
    await page.keyboard.press("/");
    await box(page).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("site-search");
    await page.keyboard.type("frost kn");
    const option = page.getByRole("option", { name: /^Frost Knight #2/ });
    await option.waitFor();
    expect(await box(page).getAttribute("aria-expanded")).toBe("true");

    await page.keyboard.press("ArrowDown");
    expect(await option.getAttribute("aria-selected")).toBe("true");
    expect(await box(page).getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));
    if (path !== "/reference") expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await option.isVisible()).toBe(false);
    expect(await box(page).inputValue()).toBe("frost kn");
    // Up from the text itself is the last: the whole search.
    await page.keyboard.press("ArrowUp");
    expect(await page.getByRole("option", { name: /^All results/ }).getAttribute("aria-selected")).toBe(
      "true",
    );
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${heroes}/2`);
    expect(outside.filter((url) => !isCreators(url))).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  },
  // The reference draws a document of hundreds of kilobytes.
  180_000,
);

it("a theme and a card size hold at once, on the next page and in the reference, without a flash", async () => {
  const { context, page, complaints } = await open();
  await page.goto(heroes);
  expect(await theme(page)).toBe("light dark");
  await page.getByRole("button", { name: "Theme" }).click();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole("button", { name: "Dark" }).click();
  expect(await theme(page)).toBe("dark");
  const width = async () => (await page.locator(".token-card").first().boundingBox())?.width ?? 0;
  const roomy = await width();
  await page.getByRole("button", { name: "Small cards" }).click();
  await expect.poll(width).toBeLessThan(roomy * 0.75);
  expect(await page.getByRole("button", { name: "Small cards" }).getAttribute("aria-pressed")).toBe("true");
  await expect
    .poll(async () => (await context.cookies()).map(({ name }) => name).sort())
    .toEqual(["vitrine_density", "vitrine_theme"]);
  // Before any script has run.
  const html = await (await context.request.get(`${heroes}/2`)).text();
  expect(html).toMatch(/<html lang="en" data-theme="dark" data-density="dense">/);
  await page.goto("/reference");
  await page.locator("body.dark-mode").waitFor();
  await page.goto("/graphql");
  await page.locator("body.graphiql-dark").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("search, theme and card size need no script", async () => {
  const context = await browser.newContext({ baseURL: world.service.baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${heroes}?q=knight`);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("button", { name: "Dark" }).click();
  await page.locator('html[data-theme="dark"]').waitFor();
  await page.getByRole("button", { name: "Small cards" }).click();
  await page.locator('html[data-density="dense"]').waitFor();
  expect(new URL(page.url()).search).toBe("?q=knight");
  await page.getByLabel("Search collections, tokens and wallets").fill("dragon");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search for “dragon”" }).waitFor();
  await page
    .getByRole("link", { name: /^Bloom Dragon #1/ })
    .first()
    .click();
  await page.getByRole("link", { name: "Next token, #2" }).click();
  await page.getByRole("heading", { name: "Frost Knight #2" }).waitFor();
  await context.close();
});

it("the toolbar stays in sight, and nothing that has the focus is behind it", async () => {
  for (const viewport of [DESKTOP, PHONE, { width: 360, height: 640 }, { width: 320, height: 568 }]) {
    const { context, page } = await open({ viewport });
    // With the number of conditions in its button.
    await page.goto(`${heroes}?locked=false`);
    await page.mouse.wheel(0, 2_500);
    await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(600);
    const bar = async () => page.locator(".toolbar").boundingBox();
    await expect.poll(async () => Math.round((await bar())?.y ?? -1)).toBe(0);
    const padding = await page.evaluate<string>(
      "getComputedStyle(document.documentElement).scrollPaddingTop",
    );
    expect((await bar())?.height).toBeLessThanOrEqual(Number.parseFloat(padding));
    await page.locator("a.token").nth(2).focus();
    const focused = await page.locator("a.token").nth(2).boundingBox();
    expect(focused?.y ?? 0).toBeGreaterThanOrEqual((await bar())?.height ?? 0);
    await context.close();
  }
});

it("a collection's header is 120 pixels high at a desk, and its first token is in the upper half", async () => {
  const { context, page } = await open();
  await page.goto(heroes);
  expect((await page.locator(".collection-head").boundingBox())?.height).toBe(120);
  expect((await page.locator("a.token").first().boundingBox())?.y).toBeLessThan(DESKTOP.height / 2);
  await context.close();
});

const PAGES = {
  home: () => "/",
  collections: () => "/collections",
  collection: () => heroes,
  token: () => `${heroes}/7`,
  search: () => "/search?q=knight",
  wallet: () => `/wallets/${world.chain.account(1).address.toLowerCase()}`,
  activity: () => `${heroes}/activity`,
  owners: () => `${heroes}/owners`,
} as const;

// In docs/pages.md.
const SHOWN = ["home", "collection", "token", "search"];

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

it.each([
  ["desk", "light", DESKTOP, false],
  ["desk", "dark", DESKTOP, true],
  ["phone", "light", PHONE, false],
  ["phone", "dark", PHONE, true],
] as const)(
  "every page is light, still, fast and accessible: at a %s, in %s",
  async (place, colours, viewport, isDark) => {
    const rows: Record<string, string>[] = [];
    const problems: string[] = [];
    for (const [name, path] of Object.entries(PAGES)) {
      const { context, page, outside, complaints } = await open({ viewport, isDark });
      const figures: Figures = await measure(page, path());
      problems.push(...(await accessibilityProblems(page)).map((each) => `${name}: ${each}`));
      problems.push(
        ...[...outside.filter((url) => !isCreators(url)), ...complaints].map((each) => `${name}: ${each}`),
      );
      if (figures.brokenImages > 0) problems.push(`${name}: ${figures.brokenImages} broken images`);
      if (!(await fitsWidth(page))) problems.push(`${name}: must be scrolled sideways`);
      await page.evaluate("scrollTo(0, 0)");
      if (SHOWN.includes(name)) await keepScreenshot(page, `${name}-${place}-${colours}`);
      await page.setViewportSize(NARROW);
      if (!(await fitsWidth(page))) problems.push(`${name}: must be scrolled sideways at 320 pixels`);
      const { firstPaintMs, largestPaintMs, blockedMs, shift, shiftAtEnd } = figures;
      if (shift >= SHIFT_MAX || shiftAtEnd >= 0.1)
        problems.push(`${name}: shifts by ${shift}, ${shiftAtEnd}`);
      const hasScript = figures.scriptBytes > 0;
      if (hasScript === (name === "home") || figures.scriptBytes >= SCRIPT_BYTES_MAX)
        problems.push(`${name}: ${figures.scriptBytes} bytes of script`);
      if (figures.fontBytes === 0 || figures.fontBytes > FONT_BYTES_MAX)
        problems.push(`${name}: ${figures.fontBytes} bytes of fonts`);
      if (firstPaintMs <= 0 || firstPaintMs >= FIRST_PAINT_MS)
        problems.push(`${name}: paints at ${firstPaintMs}`);
      rows.push({
        page: name,
        "first paint": `${firstPaintMs} ms`,
        "largest paint": `${largestPaintMs} ms`,
        blocked: `${blockedMs} ms`,
        shift: String(shift),
        html: kilobytes(figures.htmlBytes),
        script: kilobytes(figures.scriptBytes),
        style: kilobytes(figures.styleBytes),
        font: kilobytes(figures.fontBytes),
        all: kilobytes(figures.allBytes),
      });
      await context.close();
    }
    const heads = Object.keys(rows[0] ?? {});
    const lines = [heads, ...rows.map((row) => Object.values(row))].map((cells) =>
      cells.map((cell) => cell.padEnd(14)).join(""),
    );
    console.log(`${place}, ${colours}\n${lines.join("\n")}`);
    expect(problems).toEqual([]);
  },
  300_000,
);
