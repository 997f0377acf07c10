/** States that a running demo passes too quickly or never reaches, and the narrowest supported screen. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/api/db/database.ts";
import { anonymousGraphqlLimit } from "../../src/api/http/limits/tiers.ts";
import { silentLogger } from "../../src/api/logging/logger.ts";
import { ALICE, BOB, createPagesWorld, HEROES } from "../api/pages/world.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../support/processes/app.ts";
import { CHAIN_ID } from "../support/refresh/refresh.ts";
import { accessibilityProblems, DESKTOP, fitsWidth, launchBrowser, NARROW, PHONE, visit } from "./browser.ts";
import { focused, pauseRequests, servePages } from "./pages-parts.ts";

const LONG_ID = String(2n ** 256n - 1n);

const world = await createPagesWorld();
// Limits are counted in the database.
const crowded = await createPagesWorld();
const { database } = world.test;
const away = createDatabase("postgres://nobody@127.0.0.1:1/none", silentLogger);
const [baseUrl, deadUrl, brokenUrl, busyUrl] = await Promise.all(
  [
    world.api,
    createTestApp({ ...world.test, database: away }),
    createTestApp({ ...world.test, tables: { ...world.test.tables, tokenState: "no_such_table" } }),
    crowded.api,
  ].map(({ app }) => servePages(app)),
);
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  await world.test.setHead({ chainId: FAR_CHAIN_ID, block: 100 });
  for (const id of ["1", "2", "3", "4", "5", LONG_ID]) await world.mint(id);
  await world.move("2", ALICE, BOB, 1);
  for (const id of ["2", "3", "4", LONG_ID])
    await world.describe(id, {
      description: "It goes on.\n".repeat(40),
      attributes: [{ trait_type: "Class", value: "Mage" }],
    });
});
afterAll(async () => {
  await browser?.close();
  await away.close();
});

/** How each state comes about, on which page, and its visible text. */
const states: readonly (readonly [name: string, open: (page: Page) => Promise<unknown>, text: string])[] = [
  [
    "an empty collection",
    (page) => page.goto(`/collections/${FAR_CHAIN_ID}/${FAR_COLLECTION}`),
    "No token has been minted yet.",
  ],
  [
    "a token that was not read",
    (page) => page.goto(`${HEROES}/1`),
    "Not known yet: its document has not been read.",
  ],
  ["a picture on its way", (page) => page.goto(`${HEROES}/2`), "Image on its way"],
  ["an id of 78 digits", (page) => page.goto(`${HEROES}/${LONG_ID}`), LONG_ID],
  [
    "a refresh that waits",
    async (page) => {
      await page.goto(`${HEROES}/2`);
      await page.getByRole("button", { name: "Refresh metadata" }).click();
    },
    "Waiting in the queue.",
  ],
  ["a database that is away", (page) => page.goto(`${deadUrl}${HEROES}`), "The database is unreachable."],
  ["a fault of ours", (page) => page.goto(`${brokenUrl}${HEROES}`), "The fault is ours and has been logged."],
  ["too many requests", (page) => askTooOften(page), "Your address has sent too many requests"],
  [
    "an index that is being built",
    async (page) => {
      await world.test.setHead({ chainId: CHAIN_ID, block: 100, ready: false });
      await page.goto(HEROES);
    },
    "The index of this chain is still being built.",
  ],
];

async function askTooOften(page: Page): Promise<void> {
  // Again if the limit's window ended in between.
  for (let tries = 0; tries < 5; tries++) {
    for (let nth = 0; nth <= anonymousGraphqlLimit.requests; nth += 50)
      await Promise.all(Array.from({ length: 50 }, () => fetch(`${busyUrl}/collections/nowhere`)));
    if ((await page.goto(`${busyUrl}/collections`))?.status() === 429) return;
  }
}

it.each([
  ["at a desk, in light", DESKTOP, false],
  ["on a phone, in dark", PHONE, true],
])(
  "breaks no rule of WCAG 2.2 AA in states that come rarely, %s, and fits every screen",
  async (_, viewport, isDark) => {
    const problems: string[] = [];
    for (const [name, reach, text] of states) {
      const { context, page } = await visit(browser, { baseUrl: baseUrl ?? "", viewport, isDark });
      await reach(page);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${name}: ${problem}`));
      await page.setViewportSize(NARROW);
      if (!(await fitsWidth(page))) problems.push(`${name}: must be scrolled sideways`);
      await context.close();
    }
    await world.test.setHead({ chainId: CHAIN_ID, block: 100 });
    expect(problems).toEqual([]);
  },
);

const WATCH = `(() => {
  globalThis.rewrites = 0;
  new MutationObserver((changes) => { rewrites += changes.length })
    .observe(document.getElementById("said"), { childList: true, characterData: true, subtree: true });
})()`;

describe("a refresh that is waited for", () => {
  const end = (status: string) => database.query("update vitrine.receipt_token set status = $1", [status]);
  const ask = async (page: Page, id: string) => {
    await page.goto(`${HEROES}/${id}`);
    await page.getByRole("button", { name: "Refresh metadata" }).click();
    await page.getByText("Waiting in the queue.").waitFor();
  };

  it("leaves the reader where he is when it ends: focus, opened text, and an address that asks for nothing", async () => {
    const { context, page } = await visit(browser, { baseUrl: baseUrl ?? "" });
    await ask(page, "3");
    await page.getByText("Show more").click();
    const trait = page.locator("a.trait").first();
    await trait.focus();
    await world.describe("3", {
      name: "Renamed 3",
      description: "It goes on.\n".repeat(40),
      attributes: [{ trait_type: "Class", value: "Mage" }],
    });
    await end("updated");
    await page.getByText("Done: the metadata has changed").waitFor();

    await page.getByRole("heading", { name: "Renamed 3", level: 1 }).waitFor();
    expect(await trait.evaluate((link) => link.matches(":focus"))).toBe(true);
    expect(await page.locator("#description").getAttribute("open")).not.toBeNull();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`${HEROES}/3`);
    await context.close();
  });

  it("leaves what the page shows: the image in place of an animation, and an earlier page of transfers", async () => {
    const { context, page } = await visit(browser, { baseUrl: baseUrl ?? "" });
    await ask(page, "5?show=image&transfers=2");
    const fields = () => Object.fromEntries(new URL(page.url()).searchParams);
    expect(fields()).toEqual({ show: "image", transfers: "2", refresh: expect.any(String) });
    await end("updated");
    await page.getByText("Done: the metadata has changed").waitFor();

    expect(fields()).toEqual({ show: "image", transfers: "2" });
    await context.close();
  });

  it("is not said to have ended before what it brought can be shown", async () => {
    const { context, page } = await visit(browser, { baseUrl: baseUrl ?? "" });
    await ask(page, "4");
    const { asked, release } = await pauseRequests(page, (url) => !url.searchParams.has("part"));
    await page.route("**/collections/**", (route) => {
      const isPart = route.request().url().includes("part=");
      return isPart || route.request().resourceType() !== "fetch" ? route.fallback() : route.abort();
    });
    await world.describe("4", { name: "Renamed 4" });
    await end("updated");
    await page.getByText("The service is unreachable at the moment").waitFor();
    // The message must not be announced again with each attempt.
    await page.evaluate(WATCH);
    const attempts = asked.length;
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBeGreaterThan(attempts + 2);
    expect(await page.evaluate("rewrites")).toBe(0);
    expect(await page.getByText("Done:").count()).toBe(0);

    await page.unroute("**/collections/**");
    await release();
    await page.getByText("Done: the metadata has changed").waitFor();
    await page.getByRole("heading", { name: "Renamed 4", level: 1 }).waitFor();
    await context.close();
  });
});

it("gives ids and addresses whole: by one button each, on a phone too", async () => {
  const { context, page } = await visit(browser, { baseUrl: baseUrl ?? "", viewport: PHONE });
  await page.goto(`${HEROES}/${LONG_ID}`);
  await page.getByRole("button", { name: "Copy the token’s id" }).click();
  await page.getByText("Copied.").waitFor();

  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(LONG_ID);
  expect(await focused(page)).toBe("");
  await context.close();
});
