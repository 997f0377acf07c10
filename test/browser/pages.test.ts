/** Visitors of collections and tokens, on a phone and on a desktop, with and without scripts. */

import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { World } from "../support/processes/world.ts";
import { accessibilityProblems, DESKTOP, fitsWidth, launchBrowser, NARROW, PHONE, visit } from "./browser.ts";
import { createPagesWorld, keepScreenshot, measure } from "./pages-world.ts";

// Up to 1,800 ms counts as good (web.dev, First Contentful Paint); a machine running all tests is slower.
const FIRST_PAINT_MS = 2_000;

let world: World;
let browser: Browser;
let heroes = "";
let items = "";

beforeAll(async () => {
  [world, browser] = await Promise.all([createPagesWorld(), launchBrowser()]);
  heroes = `/collections/${world.chain.chainId}/${world.heroes}`;
  items = `/collections/${world.chain.chainId}/${world.items}`;
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const open = (options: Partial<Parameters<typeof visit>[1]> = {}) =>
  visit(browser, { baseUrl: world.service.baseUrl, ...options });
const shown = (page: Page) => page.locator("#grid > li");
const count = (page: Page) => page.locator("#count").textContent();
const search = (page: Page): string => new URL(page.url()).search;

/** Every state that a page can be in, and its visible text. Their usual states are in pages-around.test.ts. */
const states = (): readonly (readonly [path: string, text: string])[] => [
  [`${heroes}?is:Class=Knight&from:Level=20&locked=false`, "6 tokens"],
  [`${heroes}?q=nobody`, "No tokens match these filters."],
  [`${heroes}?owner=nobody`, "is not an address"],
  [`${heroes}/2`, "Tradable"],
  [`${heroes}/4`, "Others"],
  [`${heroes}/5`, "Properties"],
  [`${heroes}/6`, "Burned"],
  [`${heroes}/38`, "Last read failed"],
  [`${heroes}/42`, "The image is not shown"],
  [`${items}/12`, "The animation is not shown"],
  [`${heroes}/owners?at_block=999999999`, "is not indexed yet"],
  [`${heroes}/2/activity`, "Minted"],
  [`/wallets/0x${"9".repeat(40)}`, "No activity indexed"],
  [`${heroes}/999`, "This token doesn’t exist"],
];

it.each([
  ["at a desk, in light", DESKTOP, false],
  ["on a phone, in dark", PHONE, true],
])(
  "breaks no rule of WCAG 2.2 AA in any state, %s, and nothing has to be scrolled sideways",
  async (_, viewport, isDark) => {
    const { context, page } = await open({ viewport, isDark });
    const problems: string[] = [];
    for (const [path, text] of states()) {
      await page.goto(path);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${path} ${problem}`));
      for (const size of [viewport, NARROW]) {
        await page.setViewportSize(size);
        if (!(await fitsWidth(page))) problems.push(`${path} must be scrolled sideways at ${size.width}`);
      }
      await page.setViewportSize(viewport);
    }
    expect(problems).toEqual([]);
    await context.close();
  },
);

describe("the filters of a collection", () => {
  it("count, narrow and widen in place, and can be shared, removed and undone by their addresses", async () => {
    const { context, page, complaints } = await open();
    await page.goto(heroes);
    const knights = page.getByRole("checkbox", { name: /^Knight/ });
    const owls = page.getByRole("checkbox", { name: /^Owl/ });
    await page.getByText("47 tokens", { exact: true }).waitFor();

    await knights.check();
    await page.getByText("9 tokens", { exact: true }).waitFor();
    expect(await knights.evaluate((box) => box.matches(":focus"))).toBe(true);
    await owls.check();
    await page.getByText("17 tokens", { exact: true }).waitFor();
    expect(search(page)).toBe("?is%3AClass=Knight&is%3AClass=Owl");

    const other = await context.newPage();
    await other.goto(page.url());
    expect(await count(other)).toBe("17 tokens");
    expect(await other.getByRole("checkbox", { name: /^Owl/ }).isChecked()).toBe(true);

    await page.goBack();
    await page.getByText("9 tokens", { exact: true }).waitFor();
    expect(await owls.isChecked()).toBe(false);
    await page.getByRole("link", { name: "Remove Class Knight" }).click();
    await page.getByText("47 tokens", { exact: true }).waitFor();
    expect(search(page)).toBe("");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("take numbers by slider and field, days, yes and no, locks, words and an order, by keyboard", async () => {
    const { context, page } = await open();
    await page.goto(heroes);
    const facet = (name: string) =>
      page.locator("details", { has: page.getByRole("heading", { name, exact: true }) });
    const level = facet("Level");
    // The traits of most tokens are open at first.
    for (const each of [level, facet("Born"), facet("Awakened")])
      if (!(await each.evaluate((details) => details.hasAttribute("open"))))
        await each.locator("summary").press("Enter");

    await level.getByRole("slider", { name: "Level, lowest" }).press("PageUp");
    await page.getByRole("link", { name: /^Remove Level/ }).waitFor();
    const low = Number(await level.getByRole("spinbutton", { name: "Lowest" }).inputValue());
    expect(low).toBeGreaterThan(1);
    expect(search(page)).toBe(`?from%3ALevel=${low}`);
    await level.getByRole("spinbutton", { name: "Lowest" }).fill("95");
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Remove Level 95 or more" }).waitFor();
    await page.getByRole("link", { name: "Remove Level 95 or more" }).press("Enter");
    await page.getByText("47 tokens", { exact: true }).waitFor();

    await page.getByLabel("From").fill("2024-01-01");
    await page.getByRole("link", { name: "Remove Born from 1 Jan 2024" }).waitFor();
    await page.getByRole("group", { name: "Awakened" }).getByRole("checkbox", { name: /^Yes/ }).check();
    await page.getByRole("link", { name: "Remove Awakened Yes" }).waitFor();
    await page.getByRole("link", { name: "Clear all" }).click();
    await page.getByText("47 tokens", { exact: true }).waitFor();

    await page.getByRole("radio", { name: "All" }).press("ArrowLeft");
    await page.getByText("2 tokens", { exact: true }).waitFor();
    await page.getByLabel("Sort by").selectOption("id_desc");
    await expect.poll(() => shown(page).first().textContent()).toContain("#8");
    await page.getByRole("searchbox").fill("ember");
    await page.getByText("1 token", { exact: true }).waitFor();
    expect(search(page)).toBe("?q=ember&sort=id_desc&locked=true");
    await context.close();
  });

  it("are a sheet on a phone, which says what it would show", async () => {
    const { context, page } = await open({ viewport: PHONE });
    await page.goto(heroes);
    expect(await page.getByRole("checkbox").count()).toBe(0);

    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("checkbox", { name: /^Knight/ }).check();
    await page.getByRole("button", { name: "Show 9" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, "filters-phone");
    await page.getByRole("button", { name: "Show 9" }).click();

    await page.getByText("9 tokens", { exact: true }).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Filters 1" }).isVisible()).toBe(true);
    await context.close();
  });

  it("say when the service does not answer, keep what is shown, and go on from there", async () => {
    const { context, page } = await open();
    await page.goto(heroes);
    await page.route("**/collections/**", (route) => route.abort());
    await page.getByRole("checkbox", { name: /^Knight/ }).check();
    await page.getByRole("alert").filter({ hasText: "The service did not answer." }).waitFor();
    expect(await shown(page).count()).toBeGreaterThanOrEqual(24);

    await page.unroute("**/collections/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("9 tokens", { exact: true }).waitFor();
    await context.close();
  });
});

describe("the tokens of a collection", () => {
  it("come as they are scrolled to, each once, until all are there", async () => {
    const { context, page, complaints } = await open();
    await page.goto(heroes);

    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 3_000);
          return shown(page).count();
        },
        { timeout: 20_000 },
      )
      .toBe(47);
    const links = await page
      .locator("a.token")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(new Set(links).size).toBe(47);
    expect(await count(page)).toBe("47 tokens, all shown");
    expect(await page.getByRole("link", { name: "More" }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([
    ["at a desk", DESKTOP],
    ["on a phone", PHONE],
    ["on a small phone", { width: 360, height: 640 }],
    ["at 400 %", NARROW],
  ])(
    "say %s that the next ones are on their way, or did not come, and come when asked again",
    async (_place, viewport) => {
      const { context, page } = await open({ viewport });
      const asked: Route[] = [];
      await page.route("**part=tokens", (route) => void asked.push(route));
      // The page says that it is loading before its request arrives here.
      const answer = async (isGood: boolean): Promise<void> => {
        await expect.poll(() => asked.length).toBe(1);
        await (isGood ? asked.pop()?.continue() : asked.pop()?.abort());
      };
      await page.goto(heroes);
      await page.locator("#more").scrollIntoViewIfNeeded();
      const loading = page.getByRole("link", { name: "Loading…" });
      await loading.waitFor();
      // However far the visitor has scrolled since, the link is in sight, and the toolbar isn't in front of it.
      const end = await page.evaluate<number>("document.documentElement.scrollHeight - innerHeight");
      for (let top = end; top > end - viewport.height / 2; top -= 25) {
        await page.evaluate(`scrollTo(0, ${top})`);
        const bar = await page.locator(".toolbar").boundingBox();
        const { y = 0, height = 0 } = (await loading.boundingBox()) ?? {};
        expect(y).toBeGreaterThanOrEqual(Math.max(0, (bar?.y ?? 0) + (bar?.height ?? 0)));
        expect(y + height).toBeLessThanOrEqual(viewport.height);
      }
      expect(await accessibilityProblems(page)).toEqual([]);
      await answer(false);
      const again = page.getByRole("link", { name: "Try again" });
      await again.waitFor();
      await again.press("Enter");
      await page.getByRole("link", { name: "Loading…" }).waitFor();
      await answer(true);

      await page.getByText("47 tokens, all shown").waitFor();
      expect(await page.evaluate("document.activeElement.className")).toBe("token");
      await context.close();
    },
  );
});

it("does all of it without script, but for what happens by itself", async () => {
  const context = await browser.newContext({ baseURL: world.service.baseUrl, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(heroes);
  await page.getByRole("checkbox", { name: /^Knight/ }).check();
  await page.getByRole("searchbox").fill("frost");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: "Remove Class Knight" }).click();
  await page.getByRole("link", { name: "Remove “frost”" }).click();
  await page.getByRole("link", { name: "More" }).click();
  await page.getByText("47 tokens, 23 shown").waitFor();
  await page.getByRole("link", { name: "Back to the first page" }).click();
  await page.getByRole("link", { name: "Frost Knight #2" }).click();
  await page.getByRole("button", { name: "Refresh metadata" }).click();
  await expect
    .poll(
      async () => {
        const again = page.getByRole("link", { name: "Check again" });
        if (await again.count()) await again.click();
        return page.locator("#refresh").textContent();
      },
      { timeout: 20_000 },
    )
    .toContain("Done: the document is the same as before.");
  await context.close();
});

it.each([
  [
    "a filtered collection in the dark",
    DESKTOP,
    true,
    () => `${heroes}?is:Class=Knight&is:Class=Owl&from:Level=20`,
  ],
  ["a token with an animation on a phone", PHONE, false, () => `${heroes}/4`],
])(
  "is light: %s costs little script, and nothing moves while it comes",
  async (name, viewport, isDark, path) => {
    const { context, page, complaints } = await open({ viewport, isDark });

    const figures = await measure(page, path());
    console.log(`${name}: ${JSON.stringify(figures)}`);

    expect(figures.brokenImages).toBe(0);
    expect(figures.scriptBytes).toBeGreaterThan(0);
    expect(figures.scriptBytes).toBeLessThan(10_000);
    expect(figures.shift).toBeLessThan(0.01);
    expect(figures.shiftAtEnd).toBeLessThan(0.1);
    expect(figures.firstPaintMs).toBeGreaterThan(0);
    expect(figures.firstPaintMs).toBeLessThan(FIRST_PAINT_MS);
    expect(complaints).toEqual([]);
    await context.close();
  },
);
