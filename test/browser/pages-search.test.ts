/** The bar's search: its suggestions are those of the text in the field. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPagesWorld, HEROES } from "../api/pages/world.ts";
import { launchBrowser, visit } from "./browser.ts";
import { servePages } from "./pages-parts.ts";

const world = await createPagesWorld();
const baseUrl = await servePages(world.api.app);
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  await world.mint("1");
  await world.describe("1", { name: "Frost Dragon" });
});
afterAll(() => browser?.close());

/** A page whose search suggests what "frost" finds. */
async function suggested() {
  const { context, page } = await visit(browser, { baseUrl });
  await page.goto(`${HEROES}/1`);
  const field = page.getByRole("combobox");
  await field.click();
  await page.keyboard.type("frost");
  const option = page.getByRole("option", { name: /^Frost Dragon/ });
  await option.waitFor();
  return { context, page, field, option };
}

it("an arrow opens no suggestions over an empty field", async () => {
  const { context, page, field, option } = await suggested();
  await field.fill("");
  await option.waitFor({ state: "hidden" });
  await page.keyboard.press("ArrowDown");

  expect(await option.isVisible()).toBe(false);
  expect(await field.getAttribute("aria-activedescendant")).toBeNull();
  await context.close();
});

it("Enter searches for a text whose suggestions failed, and follows none of an earlier text", async () => {
  const { context, page, field, option } = await suggested();
  await page.route("**/search?*part=*", (route) => route.fulfill({ status: 429, body: "" }));
  await field.fill("ember");
  await option.waitFor({ state: "hidden" });
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");

  await page.waitForURL("**/search?q=ember");
  await context.close();
});

it("Escape closes the suggestions, and an arrow opens them again", async () => {
  const { context, page, option } = await suggested();
  await page.keyboard.press("Escape");
  await option.waitFor({ state: "hidden" });
  await page.keyboard.press("ArrowDown");

  expect(await option.getAttribute("aria-selected")).toBe("true");
  expect(await option.isVisible()).toBe(true);
  await context.close();
});
