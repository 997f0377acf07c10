/** What people see where a page has little room, or not its own colours, scripts or screen. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPagesWorld } from "../api/pages/world.ts";
import { fitsWidth, launchBrowser, NARROW, visit } from "./browser.ts";
import { servePages } from "./pages-parts.ts";

const world = await createPagesWorld();
const baseUrl = await servePages(world.api.app);
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
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
