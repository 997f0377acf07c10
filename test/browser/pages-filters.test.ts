/** Filters as people use them: single keys, slow answers, a thumb on a slider, and changes that overtake each other. */

import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPagesWorld, HEROES } from "../api/pages/world.ts";
import { DESKTOP, launchBrowser, PHONE, visit } from "./browser.ts";
import { focused, pauseRequests, servePages } from "./pages-parts.ts";

const TOKENS = 60;
const KNIGHTS = 30;
const DAY_SECONDS = 86_400;
const BORN = Date.UTC(2023, 0, 1) / 1000;

const world = await createPagesWorld();
const baseUrl = await servePages(world.api.app);
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  for (let id = 1; id <= TOKENS; id++) {
    await world.mint(String(id));
    await world.describe(String(id), {
      name: `${id <= KNIGHTS ? "Knight" : "Mage"} ${id}`,
      attributes: [
        { trait_type: "Class", value: id <= KNIGHTS ? "Knight" : "Mage" },
        { trait_type: "Charges", display_type: "number", value: id % 9 },
        { trait_type: "Born", display_type: "date", value: BORN + id * DAY_SECONDS },
      ],
    });
  }
});
afterAll(() => browser?.close());

const open = async (path: string, viewport = DESKTOP) => {
  const { context, page } = await visit(browser, { baseUrl, viewport });
  await page.goto(path, { waitUntil: "networkidle" });
  return { context, page };
};
const waitForResults = (page: Page) =>
  expect.poll(() => page.locator("#results").getAttribute("aria-busy")).toBe("false");
/** The id of the focused element, if the head or the foot of the sheet covers it. */
const COVERED = `(() => {
  const parts = [document.activeElement, ...document.querySelectorAll(".filters-head, .filters-foot")];
  const [field, head, foot] = parts.map((part) => part.getBoundingClientRect());
  return field.top < head.bottom || field.bottom > foot.top ? [document.activeElement.id] : [];
})()`;
const asked = (page: Page): string => decodeURIComponent(new URL(page.url()).search).replaceAll("+", " ");
const names = (page: Page) => page.locator("#grid .token-name").allTextContents();
const waitForText = (page: Page, text: string) =>
  page.locator("#count").getByText(text, { exact: true }).waitFor();
const facet = (page: Page, name: string) =>
  page.locator("details", { has: page.getByRole("heading", { name, exact: true }) });
const knights = (page: Page) => page.getByRole("checkbox", { name: /^Knight/ });

describe("what is asked for", () => {
  it("stays asked for and ticked where nothing matches, its order too", async () => {
    const { context, page } = await open(
      `${HEROES}?is:Class=Knight&from:Charges=8&q=nobody&sort=trait:Class:desc`,
    );
    expect(await knights(page).isChecked()).toBe(true);
    expect(await page.getByLabel("Sort by").inputValue()).toBe("trait:Class:desc");

    await page.getByRole("searchbox").fill("knight");
    await waitForText(page, "3 tokens");

    expect(await page.getByLabel("Sort by").inputValue()).toBe("trait:Class:desc");
    expect(await page.locator("#sort option[value='trait:Charges:asc']").count()).toBe(1);
    expect(asked(page).slice(1).split("&").sort()).toEqual([
      "from:Charges=8",
      "is:Class=Knight",
      "q=knight",
      "sort=trait:Class:desc",
    ]);
    await context.close();
  });

  it("is a day once its year is typed, and not the years that typing passes by", async () => {
    const { context, page } = await open(HEROES);
    const { asked: requests, release } = await pauseRequests(page, () => false);
    const from = facet(page, "Born").getByLabel("From");
    await from.focus();
    await page.keyboard.type("02012023", { delay: 60 });
    await page.getByRole("link", { name: "Remove Born from 1 Feb 2023" }).waitFor();

    expect(await from.inputValue()).toBe("2023-02-01");
    expect(requests).toEqual(["?from:Born=2023-02-01"]);
    await waitForText(page, "30 tokens");
    await release();
    await context.close();
  });

  it("is not overwritten by an answer to what was asked before", async () => {
    const { context, page } = await open(HEROES);
    const { asked: requests, release } = await pauseRequests(page);
    const charges = facet(page, "Charges");
    await charges.getByRole("spinbutton", { name: "Lowest" }).focus();
    await page.keyboard.type("2");
    await page.keyboard.press("Tab");
    await page.keyboard.type("6");
    await release();
    await page.getByRole("link", { name: "Remove Charges 2 or more" }).waitFor();

    expect(await charges.getByRole("spinbutton", { name: "Highest" }).inputValue()).toBe("6");
    expect(requests).toEqual(["?from:Charges=2"]);
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Remove Charges 2 to 6" }).waitFor();
    expect(asked(page)).toBe("?from:Charges=2&to:Charges=6");
    await context.close();
  });

  it("leaves the focus where the visitor has gone meanwhile", async () => {
    const { context, page } = await open(HEROES);
    const { release } = await pauseRequests(page);
    await knights(page).press("Space");
    const summary = facet(page, "Charges").locator("summary");
    await summary.focus();
    await release();
    await waitForText(page, "30 tokens");

    expect(await summary.evaluate((element) => element.matches(":focus"))).toBe(true);
    await context.close();
  });

  it("is one step back for a text, however slowly it is typed", async () => {
    const { context, page } = await open(`${HEROES}?locked=false`);
    await page.getByRole("searchbox").focus();
    for (const [letter, url] of [
      ["m", "?q=m&locked=false"],
      ["a", "?q=ma&locked=false"],
      ["g", "?q=mag&locked=false"],
    ] as const) {
      await page.keyboard.type(letter);
      await expect.poll(() => asked(page)).toBe(url);
    }
    await page.goBack();
    await expect.poll(() => asked(page)).toBe("?locked=false");
    await waitForText(page, "60 tokens");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await context.close();
  });

  it.each([
    ["Enter", (page: Page) => page.getByRole("searchbox").press("Enter")],
    ["the same option again", (page: Page) => page.getByLabel("Sort").dispatchEvent("change")],
  ])("is one step back, too, after %s, which changes nothing", async (_, change) => {
    const { context, page } = await open(`${HEROES}?locked=false`);
    await page.getByRole("searchbox").fill("mage");
    await waitForText(page, "30 tokens");
    const { asked: requests } = await pauseRequests(page, () => false);
    await change(page);
    await expect.poll(() => requests.length).toBe(1);
    await waitForResults(page);

    await page.goBack();
    await waitForText(page, "60 tokens");
    expect(asked(page)).toBe("?locked=false");
    await context.close();
  });

  it("that fails is tried again as it was: without the filter that was removed", async () => {
    const { context, page } = await open(`${HEROES}?is:Class=Knight&q=knight`);
    await page.route("**/collections/**", (route) => route.abort());
    await page.getByRole("link", { name: "Remove Class Knight" }).click();
    const alert = page.getByRole("alert").filter({ hasText: "The service did not answer." });
    await alert.waitFor();
    await page.unroute("**/collections/**");
    await page.getByRole("button", { name: "Try again" }).click();

    await alert.waitFor({ state: "hidden" });
    expect(asked(page)).toBe("?q=knight");
    await context.close();
  });

  it("begins at the first of what it brings, wherever one has scrolled", async () => {
    const { context, page } = await open(HEROES);
    await page.locator("#more").scrollIntoViewIfNeeded();
    await waitForText(page, "60 tokens");
    await page.mouse.wheel(0, 2_000);
    await knights(page).dispatchEvent("click");
    await waitForText(page, "30 tokens");

    await expect
      .poll(() => page.evaluate("document.getElementById('grid').getBoundingClientRect().top >= 0"))
      .toBe(true);
    await context.close();
  });
});

describe("the sliders of a range", () => {
  it("move by one step a key, as often as it is pressed, and keep the focus", async () => {
    const { context, page } = await open(HEROES);
    const low = facet(page, "Charges").getByRole("slider", { name: "Charges, lowest" });
    await low.focus();
    for (const [key, value] of [
      ["ArrowRight", 1],
      ["ArrowRight", 2],
      ["PageUp", 3],
      ["ArrowLeft", 2],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("link", { name: `Remove Charges ${value} or more` }).waitFor();
    }

    expect(await low.evaluate((slider) => slider.matches(":focus"))).toBe(true);
    await context.close();
  });

  it("come apart again where both stand at the highest", async () => {
    const { context, page } = await open(`${HEROES}?from:Charges=8`);
    const box = await facet(page, "Charges").locator(".sliders").boundingBox();
    const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
    await page.mouse.move(x + width - 12, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
    await page.mouse.up();

    await page.getByRole("link", { name: "Remove Charges 4 or more" }).waitFor();
    await context.close();
  });
});

it("shows what is chosen in forced colours too, where the page has none of its own", async () => {
  const { context, page } = await open(HEROES);
  await page.emulateMedia({ forcedColors: "active" });
  const ground = async (name: string) => {
    const part = page.locator(".segments span").getByText(name, { exact: true });
    return (await sharp(await part.screenshot()).stats()).dominant;
  };

  expect(await ground("All")).not.toEqual(await ground("Unlocked"));
  expect(await ground("Locked")).toEqual(await ground("Unlocked"));
  await context.close();
});

describe("more tokens", () => {
  it("are never those of another filter, whichever answer comes first", async () => {
    const { context, page } = await open(HEROES);
    const { asked: requests, release } = await pauseRequests(page, (url) => !url.searchParams.has("part"));
    await knights(page).press("Space");
    await expect.poll(() => requests.length).toBe(1);
    await page.locator("#more").scrollIntoViewIfNeeded();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await names(page)).toHaveLength(24);
    await release();
    await waitForText(page, "30 tokens");
    await page.locator("#more").scrollIntoViewIfNeeded();
    await page.getByText("30 tokens, all shown").waitFor();

    const shown = await names(page);
    expect(shown.filter((name) => !name.startsWith("Knight"))).toEqual([]);
    expect(new Set(shown).size).toBe(30);
    await context.close();
  });

  it("are asked for once where the service refuses, and again by hand", async () => {
    const { context, page } = await open(HEROES);
    const { asked: requests } = await pauseRequests(page, () => false);
    const next = page.locator("#more a[rel=next]");
    await next.evaluate((link) => link.setAttribute("href", "?cursor=nonsense"));
    await page.locator("#more").scrollIntoViewIfNeeded();
    await page.getByRole("link", { name: "Couldn’t load more tokens. Try again" }).waitFor();
    await page.waitForLoadState("networkidle");

    expect(requests).toEqual(["?cursor=nonsense&part=tokens"]);
    await next.press("Enter");
    await expect.poll(() => requests.length).toBe(2);
    await context.close();
  });

  it("are all there again, and the place among them, after a visit to one token", async () => {
    const { context, page } = await open(HEROES);
    await page.locator("#more").scrollIntoViewIfNeeded();
    await page.getByText("60 tokens, 48 shown").waitFor();
    const token = page.getByRole("link", { name: "Mage 45" });
    await token.scrollIntoViewIfNeeded();
    const before = await page.evaluate<number>("scrollY");
    await token.click();
    await page.getByRole("heading", { name: "Mage 45", level: 1 }).waitFor();
    await page.goBack();

    await token.waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBe(before);
    await context.close();
  });

  it("stay when the content is skipped to", async () => {
    const { context, page } = await open(HEROES);
    await page.locator("#more").scrollIntoViewIfNeeded();
    await page.getByText("60 tokens, 48 shown").waitFor();
    const { asked: requests } = await pauseRequests(page, () => false);
    await page.evaluate("scrollTo(0, 0)");
    await page.getByRole("link", { name: "Skip to the content" }).press("Enter");
    await expect.poll(() => focused(page)).toBe("main");
    await page.waitForLoadState("networkidle");

    expect(requests).toEqual([]);
    expect((await names(page)).length).toBeGreaterThanOrEqual(48);
    await context.close();
  });
});

it("lets the keyboard pass the filters at once, to the tokens", async () => {
  const { context, page } = await open(HEROES);
  await page.getByRole("button", { name: "Small cards" }).focus();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the tokens");
  const link = await page.getByRole("link", { name: "Skip to the tokens" }).boundingBox();
  const panel = await page.locator("#filters").boundingBox();
  expect(link?.y).toBeGreaterThan(panel?.y ?? Number.NaN);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.className")).toBe("token");
  await context.close();
});

describe("the sheet on a phone", () => {
  it("says itself that the service did not answer, and names no number that may be wrong", async () => {
    const { context, page } = await open(HEROES, PHONE);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("button", { name: "Show 60 tokens" }).waitFor();
    await page.route("**/collections/**", (route) => route.abort());
    await knights(page).check();
    await page.locator("#filters").getByText("The service did not answer.").waitFor();
    await page.unroute("**/collections/**");

    await page.getByRole("button", { name: "Show tokens" }).click();
    await waitForText(page, "30 tokens");
    await context.close();
  });

  it("names no number without script, and keeps what has the focus clear of its head and foot", async () => {
    const context = await browser.newContext({ baseURL: baseUrl, viewport: PHONE, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(HEROES);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("button", { name: "Show tokens", exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 500 });
    const covered: string[] = [];
    for (const field of await page.locator("#filters input:visible").all()) {
      await field.focus();
      covered.push(...(await page.evaluate<string[]>(COVERED)));
    }
    expect(covered).toEqual([]);
    await context.close();
  });
});

describe("what is used before its script is there", () => {
  /** The page while a script is on its way, and what lets it come. */
  const openWithout = async (path: string, script: string) => {
    const { context, page } = await visit(browser, { baseUrl });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/${script}`, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(path, { waitUntil: "commit" });
    return { context, page, release };
  };

  it("applies once the script has come: a filter", async () => {
    const { context, page, release } = await openWithout(HEROES, "collection.js");
    await knights(page).check();
    expect(asked(page)).toBe("");
    release();

    await waitForText(page, "30 tokens");
    expect(asked(page)).toBe("?is:Class=Knight");
    expect(await knights(page).isChecked()).toBe(true);
    await context.close();
  });

  it.each(["/", "/collections"])("is answered once the script has come: a search on %s", async (path) => {
    const { context, page, release } = await openWithout(path, "site.js");
    await page.locator("#site-search").click();
    await page.keyboard.type("knight 7");
    release();

    await page.getByRole("option", { name: /^Knight 7/ }).waitFor();
    await context.close();
  });
});

it("returns to where one was among the tokens when one goes back from a filter", async () => {
  const { context, page } = await open(HEROES);
  await page.locator("#more").scrollIntoViewIfNeeded();
  await page.getByText("60 tokens, 48 shown").waitFor();
  await page.getByRole("link", { name: "Mage 45" }).scrollIntoViewIfNeeded();
  const before = await page.evaluate<number>("scrollY");
  await knights(page).dispatchEvent("click");
  await waitForText(page, "30 tokens");
  expect(await page.evaluate<number>("scrollY")).toBeLessThan(before);
  await page.goBack();

  await waitForText(page, "60 tokens");
  await expect.poll(() => page.evaluate("scrollY")).toBe(before);
  await context.close();
});

describe("a step back", () => {
  const openFiltered = async () => {
    const opened = await open(HEROES);
    const { page } = opened;
    await page.getByRole("searchbox").fill("mage");
    await waitForText(page, "30 tokens");
    await page.getByRole("searchbox").blur();
    return opened;
  };

  it("that fails keeps what is shown, and is tried again", async () => {
    const { context, page } = await openFiltered();
    await page.route("**/collections/**", (route) => route.abort());
    await page.goBack();
    await page.getByRole("alert").filter({ hasText: "The service did not answer." }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("mage");
    await page.unroute("**/collections/**");
    await page.getByRole("button", { name: "Try again" }).click();

    await waitForText(page, "60 tokens");
    expect(asked(page)).toBe("");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    await context.close();
  });

  it("that fails is undone by the next one forward", async () => {
    const { context, page } = await openFiltered();
    await page.route("**/collections/**", (route) => route.abort());
    await page.goBack();
    const alert = page.getByRole("alert").filter({ hasText: "The service did not answer." });
    await alert.waitFor();
    await page.unroute("**/collections/**");
    await page.goForward();

    await alert.waitFor({ state: "hidden" });
    expect(asked(page)).toBe("?q=mage");
    expect(await page.getByRole("searchbox").inputValue()).toBe("mage");
    await context.close();
  });

  it("that is undone before it was answered changes nothing", async () => {
    const { context, page } = await openFiltered();
    const { asked: requests, release } = await pauseRequests(page);
    await page.goBack();
    await expect.poll(() => requests).toEqual([""]);
    await page.goForward();
    await expect.poll(() => requests).toEqual(["", "?q=mage"]);
    await release();
    await waitForResults(page);

    await waitForText(page, "30 tokens");
    expect(await page.getByRole("searchbox").inputValue()).toBe("mage");
    await context.close();
  });
});

it.each([true, false])(
  "clears filters, and keeps the order, with a script: %s",
  async (javaScriptEnabled) => {
    const context = await browser.newContext({ baseURL: baseUrl, javaScriptEnabled, viewport: DESKTOP });
    const page = await context.newPage();
    const filtered = `${HEROES}?is:Class=Knight&locked=false&sort=id_desc`;
    for (const [path, name] of [
      [filtered, "Clear all"],
      [`${filtered}&q=nobody`, "Clear the filters"],
    ] as const) {
      await page.goto(path);
      await page.getByRole("link", { name, exact: true }).click();
      await waitForText(page, "60 tokens");
      expect([name, asked(page)]).toEqual([name, "?sort=id_desc"]);
    }
    await context.close();
  },
);

it("clears filters into the order that was chosen last", async () => {
  const { context, page } = await open(`${HEROES}?is:Class=Knight`, PHONE);
  await page.getByLabel("Sort by").selectOption("id_desc");
  await expect.poll(() => asked(page)).toContain("sort=id_desc");
  await page.getByRole("button", { name: /^Filters/ }).click();
  await page.getByRole("link", { name: "Clear", exact: true }).click();

  await waitForText(page, "60 tokens");
  expect(asked(page)).toBe("?sort=id_desc");
  await context.close();
});

it("closes the sheet of filters behind the keyboard, which goes to what it covers", async () => {
  const { context, page } = await open(HEROES, PHONE);
  const sheet = page.locator("#filters");
  const opener = page.getByRole("button", { name: /^Filters/ });
  for (const [within, key] of [
    ["#filters button[type=submit]", "Tab"],
    ["#filters .skip", "Shift+Tab"],
  ] as const) {
    await opener.press("Enter");
    await page.locator(within).focus();
    expect(await sheet.isVisible()).toBe(true);
    await page.keyboard.press(key);

    await sheet.waitFor({ state: "hidden" });
    expect(await page.evaluate("document.activeElement.matches('body, #filters *')")).toBe(false);
  }
  // A menu's own button closes it, and does not open it again.
  const theme = page.getByRole("button", { name: "Theme" });
  await theme.click();
  await page.locator("#themes").waitFor();
  await theme.click();
  expect(await page.locator("#themes").isVisible()).toBe(false);
  await context.close();
});

it("says how many tokens the filters show, of one too", async () => {
  const { context, page } = await open(`${HEROES}?q=knight`, PHONE);
  await page.getByRole("button", { name: /^Filters/ }).click();
  await page.getByRole("button", { name: "Show 30 tokens" }).waitFor();
  await facet(page, "Born").getByLabel("From").fill("2023-01-31");
  await page.getByRole("button", { name: "Show 1 token", exact: true }).waitFor();
  await context.close();
});
