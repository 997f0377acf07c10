/** A token's page in a browser: its media, a refresh followed to its end, and hostile metadata. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { World } from "../support/processes/world.ts";
import { DESKTOP, launchBrowser, PHONE, visit } from "./browser.ts";
import { createPagesWorld } from "./pages-world.ts";

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

it.each([
  ["at a desk", DESKTOP, 3],
  ["on a phone", PHONE, 9],
])("follows a refresh to its end, and shows what it brought, %s", async (_, viewport, id) => {
  const { context, page, complaints } = await open({ viewport });
  await page.goto(`${heroes}/${id}`);
  world.host.patch("heroes", id, { name: `Renamed ${id}` });

  await page.getByRole("button", { name: "Refresh metadata" }).press("Enter");
  await page.getByRole("list", { name: "Progress of the refresh" }).waitFor();
  await page.getByText("Done: the metadata has changed").waitFor();
  await page.getByRole("heading", { name: `Renamed ${id}`, level: 1 }).waitFor();

  expect(await page.title()).toContain(`Renamed ${id}`);
  expect(await page.evaluate("document.activeElement.id")).toBe("ask");
  await page
    .getByRole("table", { name: /Every read/ })
    .getByText("A visitor’s request")
    .waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it("says why a refresh brought nothing, and shows what was read before", async () => {
  const { context, page } = await open();
  await page.goto(`${heroes}/13`);
  const name = await page.getByRole("heading", { level: 1 }).textContent();
  world.host.set("heroes", 13, { status: 404, body: { error: "gone" } });

  await page.getByRole("button", { name: "Refresh metadata" }).click();
  await page.getByText("Failed: the document could not be read. The last good version stays.").waitFor();

  await page.getByText("Last read failed").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(name);
  await context.close();
});

it("lets an animation run, without power over the page, and a video play", async () => {
  const { context, page, outside, complaints } = await open();
  await page.goto(`${heroes}/4`);
  const frame = page.frame({ url: /\/play\/heroes\/4/ }) ?? (await page.waitForEvent("frameattached"));
  await frame.waitForLoadState();
  await frame.locator("#card").waitFor();

  expect(await frame.evaluate("self.origin")).toBe("null");
  expect(
    await frame.evaluate("(() => { try { return parent.document.title } catch { return 'refused' } })()"),
  ).toBe("refused");
  await page.goto(`${heroes}/5`);
  const video = page.getByLabel(/^Video of/);
  await video.press("Space");
  await expect
    .poll(() =>
      page.evaluate("(({ paused, videoWidth }) => [paused, videoWidth])(document.querySelector('video'))"),
    )
    .toEqual([false, 480]);

  const host = new URL(world.host.url).origin;
  expect(outside.map((url) => new URL(url).origin).filter((origin) => origin !== host)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it("holds moving pictures still for people who asked for less motion, after a refresh too", async () => {
  const { context, page } = await open();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`${heroes}/19`);

  const still = page.getByRole("img", { name: /^Image of/ });
  await still.and(page.locator("canvas")).waitFor();
  expect(await still.getAttribute("width")).toBe("480");
  world.host.patch("heroes", 19, { name: "Renamed 19" });
  await page.getByRole("button", { name: "Refresh metadata" }).click();
  await page.getByRole("heading", { name: "Renamed 19", level: 1 }).waitFor();
  expect(await still.and(page.locator("canvas")).count()).toBe(1);
  await context.close();
});

it("gives hostile metadata nothing to run, style, frame or fetch", async () => {
  const { context, page, outside, complaints } = await open();
  const attack = `"><script>globalThis.harmed=1</script><img src="${world.host.url}/harm.png" onerror="globalThis.harmed=1"><style>body{display:none}</style><iframe src="${world.host.url}/harm"></iframe>`;
  world.host.patch("heroes", 14, {
    name: `\u202e${attack}`,
    description: `${attack}\n`.repeat(2_000),
    animation_url: `javascript:globalThis.harmed=1`,
    video: `data:text/html,${attack}`,
    attributes: [
      { trait_type: attack, value: attack },
      { trait_type: "Wide", value: "W".repeat(5_000) },
    ],
  });
  await page.goto(`${heroes}/14`);
  await page.getByRole("button", { name: "Refresh metadata" }).click();
  await page.getByText("Done: the metadata has changed").waitFor();

  for (const path of [`${heroes}/14`, `${heroes}?q=harmed`, heroes]) {
    await page.goto(path);
    await page.getByText("<script>globalThis.harmed=1</script>").first().waitFor({ state: "attached" });
    expect(
      await page.evaluate(
        "[globalThis.harmed, document.querySelectorAll('main iframe, main style, main script').length]",
      ),
    ).toEqual([undefined, 0]);
    expect(await page.evaluate("getComputedStyle(document.body).display")).toBe("flex");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  }
  const more = page.getByText("Show more");
  await page.goto(`${heroes}/14`);
  await more.click();
  await page.getByText("more characters are left out here.").waitFor();

  expect(outside.filter((url) => url.includes("harm"))).toEqual([]);
  // The browser reports anything that the page's policy blocks.
  expect(complaints).toEqual([]);
  await context.close();
});
