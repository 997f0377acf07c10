/** What people see where a page has little room, or not its own colours, scripts or screen. */

import type { Browser } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ALICE, BOB, createPagesWorld, HEROES } from "../api/pages/world.ts";
import { DESKTOP, fitsWidth, launchBrowser, NARROW, PHONE, visit } from "./browser.ts";
import { servePages } from "./pages-parts.ts";

const FROM_THE_RIGHT = `שומר ${"הגדול של הממלכה ".repeat(5)}`;

const world = await createPagesWorld();
const baseUrl = await servePages(world.api.app);
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  for (const id of ["1", "2"]) await world.mint(id);
  await world.describe("1", {});
  await world.mint("3");
  await world.describe("3", {
    name: FROM_THE_RIGHT,
    attributes: [{ trait_type: "Class", value: FROM_THE_RIGHT }],
  });
  await world.move("2", ALICE, BOB, 1);
  await world.mint("4", { standard: "erc1155", owner: null, supply: 2n ** 255n });
});
afterAll(() => browser?.close());

it("a wallet's button fits the narrowest screen, however long the wallet's name is", async () => {
  const { context, page } = await visit(browser, { baseUrl, viewport: NARROW });
  await context.addInitScript(`
    const info = { name: "The Wallet of 0x${"a1".repeat(20)}, an Extension for Institutions" };
    addEventListener("eip6963:requestProvider", () => {
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info, provider: {} } }));
    });`);
  await page.goto("/console/sign-in");
  await page.getByRole("button", { name: /^Sign in with The Wallet of/ }).waitFor();

  expect(await fitsWidth(page)).toBe(true);
  await context.close();
});

it("a card shows its owner's address whole where text is twice as large", async () => {
  const { context, page } = await visit(browser, { baseUrl, viewport: NARROW });
  await page.goto(HEROES);
  await page.evaluate("document.documentElement.style.fontSize = '200%'");
  const right = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return (box?.x ?? Number.NaN) + (box?.width ?? Number.NaN);
  };

  expect(await right(".token-owner a")).toBeLessThanOrEqual(await right(".token-card"));
  await context.close();
});

it.each([
  ["a token's page", `${HEROES}/1`],
  ["the page of a token of many copies", `${HEROES}/4`],
  ["a collection's activity", `${HEROES}/activity`],
  ["signing in", "/console/sign-in"],
])("%s fits any screen where text is twice as large", async (_, path) => {
  for (const viewport of [NARROW, DESKTOP]) {
    const { context, page } = await visit(browser, { baseUrl, viewport });
    await page.goto(path);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");

    expect(await fitsWidth(page), `${viewport.width} pixels`).toBe(true);
    await context.close();
  }
});

it("forced colours leave in sight which tab and which size of cards is chosen", async () => {
  const { context, page } = await visit(browser, { baseUrl });
  await page.emulateMedia({ forcedColors: "active" });
  const line = (tab: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(".tabs ${tab}")).borderBottomColor`);
  const ground = async (name: string) =>
    (await sharp(await page.getByRole("button", { name }).screenshot()).stats()).dominant;

  await page.goto(`${HEROES}/activity`);
  expect(await line("a[aria-current]")).not.toBe(await line("a:not([aria-current])"));
  await page.goto(HEROES);
  expect(await ground("Large cards")).not.toEqual(await ground("Small cards"));
  await context.close();
});

it.each([
  ["/reference", "The API reference needs JavaScript"],
  ["/graphql", "The GraphQL explorer needs JavaScript"],
  ["/console/sign-in", "Wallets need JavaScript"],
])("%s says that it needs JavaScript where there is none, and promises nothing", async (path, text) => {
  const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(path);

  const notice = page.locator(".notice");
  expect([await notice.isVisible(), await notice.textContent()]).toEqual([
    true,
    expect.stringContaining(text),
  ]);
  expect(await page.getByText("Looking for wallets").isVisible()).toBe(false);
  await context.close();
});

it("a phone shows of each activity what it has, and a desk shows its columns", async () => {
  const { context, page } = await visit(browser, { baseUrl });
  await page.goto(`${HEROES}/activity`);
  const none = page.locator("td", { hasText: /^none$/ });
  expect(await none.filter({ visible: true }).count()).toBeGreaterThan(0);

  await page.setViewportSize(PHONE);
  expect(await none.filter({ visible: true }).count()).toBe(0);
  expect(await page.getByRole("link", { name: /a1$/ }).first().isVisible()).toBe(true);
  await context.close();
});

it("the button of a form stands beside its field", async () => {
  const { context, page } = await visit(browser, { baseUrl });
  await page.goto(`${HEROES}/owners`);
  const box = await page.getByLabel("At the end of block").boundingBox();
  const button = await page.getByRole("button", { name: "Show" }).boundingBox();

  expect([button?.y, button?.height]).toEqual([box?.y, box?.height]);
  await context.close();
});

it("paper has dark text in a dark theme too, and no bar, filters or footer", async () => {
  const { context, page } = await visit(browser, { baseUrl, isDark: true });
  await context.addCookies([{ name: "vitrine_theme", value: "dark", url: baseUrl }]);
  await page.goto(HEROES);
  await page.emulateMedia({ media: "print" });

  expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(28, 27, 25)");
  for (const part of [".bar", ".toolbar", ".filters", ".foot"])
    expect([part, await page.locator(part).isVisible()]).toEqual([part, false]);
  expect(await page.getByRole("heading", { level: 1 }).isVisible()).toBe(true);
  // The ground of white text on a banner would be the only thing on paper that is printed with grounds.
  await page.evaluate("document.querySelector('.collection-head').classList.add('with-banner')");
  const ground = "getComputedStyle(document.querySelector('.collection-head'), '::before').display";
  expect(await page.evaluate(ground)).toBe("none");
  await context.close();
});

it("a theme that was chosen on one page holds for the page that one goes back to", async () => {
  const { context, page } = await visit(browser, { baseUrl });
  const isDark = () => page.evaluate("document.documentElement.dataset.theme === 'dark'");
  for (const path of ["/", HEROES, `${HEROES}/1`]) await page.goto(path);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("button", { name: "Dark" }).click();
  await expect.poll(async () => (await context.cookies()).length).toBe(1);

  for (const path of [HEROES, "/"]) {
    await page.goBack();
    await page.waitForURL(`**${path}`);
    expect([path, await isDark()]).toEqual([path, true]);
  }

  // A page that was kept whole, with its scripts.
  await page.goto(HEROES);
  await page.evaluate(`(() => {
    document.cookie = "vitrine_theme=light; path=/";
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  })()`);
  expect(await isDark()).toBe(false);
  const light = page.locator("#themes [value=light]");
  expect(await light.getAttribute("aria-pressed")).toBe("true");
  await context.close();
});

it("a name that is written from right to left is cut at its end, on cards, among filters and in suggestions", async () => {
  const { context, page } = await visit(browser, { baseUrl });
  await page.goto(HEROES);
  await page.getByRole("combobox", { name: "Search collections" }).fill("שומר");
  await page.locator("#suggested-token-0").waitFor();
  // Where the first and the last letter are, and the line that shows them.
  const cut = (selector: string) =>
    page.evaluate(`(() => {
      const line = [...document.querySelectorAll("${selector}")].find(({ textContent }) => textContent.includes("שומר"));
      const { left, right } = line.getBoundingClientRect();
      const letters = document.createTreeWalker(line, NodeFilter.SHOW_TEXT).nextNode();
      const [first, last] = [0, letters.length - 2].map((at) => {
        const range = document.createRange();
        range.setStart(letters, at);
        range.setEnd(letters, at + 1);
        return range.getBoundingClientRect();
      });
      const isIn = (letter) => letter.left >= left - 1 && letter.right <= right + 1;
      return [isIn(first), isIn(last)];
    })()`);

  for (const line of [".token-name", ".choice", "#suggested-token-0 .name"])
    expect([line, await cut(line)]).toEqual([line, [true, false]]);
  await context.close();
});
