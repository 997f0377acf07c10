/** Pages of the console in a browser, over the application alone: the form of a collection, its groups, and what is live. */

import type { Browser } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createVisitor, type Visitor } from "../api/console/visitor.ts";
import { createPagesWorld } from "../api/pages/world.ts";
import { CHAIN_ID, COLLECTION } from "../support/refresh/refresh.ts";
import {
  accessibilityProblems,
  fitsWidth,
  launchBrowser,
  PHONE,
  picture,
  type Visit,
  visit,
} from "./browser.ts";
import { servePages } from "./pages-parts.ts";

let serveNow: (...asked: Parameters<Parameters<typeof servePages>[0]["fetch"]>) => unknown;
const baseUrl = await servePages({ fetch: (...asked) => serveNow(...asked) });
const world = await createPagesWorld({ baseUrl });
serveNow = world.api.app.fetch as typeof serveNow;
const partner = createVisitor(world.api, "198.51.100.1", baseUrl);
const operator = createVisitor(world.api, "198.51.100.2", baseUrl);
let browser: Browser;
let app: string;
let form: string;

beforeAll(async () => {
  browser = await launchBrowser();
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  await operator.signInAsOperator();
  app = await partner.createApp("Studio");
  form = `${app}/collections/${CHAIN_ID}/${COLLECTION}`;
  const { database } = world.test;
  await database.query("update vitrine.app set collections = $1, apis = '{market-partner}'", [
    [`${CHAIN_ID}:${COLLECTION}`],
  ]);
  await world.mint("1");
  await world.describe("1", {
    attributes: [
      { trait_type: "Hat", value: "Straw" },
      { trait_type: "Level", display_type: "number", value: 7 },
    ],
  });
  await database.query(
    `insert into vitrine.app_status
     select id, date_trunc('hour', now()) - n * interval '7 hours', 'market', (array[200, 404, 429, 503])[1 + n % 4], n * 30
       from vitrine.app, generate_series(1, 60) as n`,
  );
  await database.query(
    `insert into vitrine.request_log
     select id, now() - n * interval '1 second', gen_random_uuid(), gen_random_uuid(), 'GET',
            '/market/collections/' || repeat('x', 200), 404, 3, 'NOT_FOUND', 'Not found'
       from vitrine.app, generate_series(1, 5) as n`,
  );
  await partner.post(`${app}/permissions/ask/host`, {
    pattern: "cdn.example",
    collection: `${CHAIN_ID}:${COLLECTION}`,
  });
});
afterAll(() => browser?.close());

/** A browser with the visitor's session. */
async function open(visitor: Visitor, options: Partial<Parameters<typeof visit>[1]> = {}): Promise<Visit> {
  const opened = await visit(browser, { baseUrl, ...options });
  const [name = "", value = ""] = visitor.cookie.split("=");
  await opened.context.addCookies([{ name, value, url: baseUrl }]);
  return opened;
}
const order = (page: Visit["page"]): Promise<string[]> =>
  page.evaluate("[...document.querySelectorAll('[name=group_name]')].map(({ value }) => value)");

it("sorts groups by dragging, by arrow keys and by buttons, and previews and saves that order", async () => {
  const { page, context, complaints, outside } = await open(partner, {
    viewport: { width: 1280, height: 2_400 },
  });
  await page.goto(form);
  await page.getByLabel("Name", { exact: true }).fill("Heroes");
  for (const [nth, [name, traits]] of [
    ["Wear", "Hat"],
    ["Power", "Level"],
    ["More", "Nothing"],
  ].entries() as Iterable<[number, [string, string]]>) {
    await page.getByRole("button", { name: "Add a group" }).click();
    await page.getByLabel("Group", { exact: true }).nth(nth).fill(name);
    await page.getByLabel("Trait types, one per line").nth(nth).fill(traits);
  }
  await page.getByRole("button", { name: "Preview" }).last().click();
  expect(await order(page)).toEqual(["Wear", "Power", "More"]);

  const handle = await page.getByRole("button", { name: "Drag More" }).boundingBox();
  const first = await page.locator("#groups > li").first().boundingBox();
  if (!handle || !first) throw new Error("the groups are on the page");
  await page.mouse.move(handle.x + 5, handle.y + 5);
  await page.mouse.down();
  await page.mouse.move(handle.x + 5, first.y + first.height, { steps: 5 });
  await page.mouse.move(handle.x + 5, first.y + 5, { steps: 5 });
  await page.mouse.up();
  expect(await order(page)).toEqual(["More", "Wear", "Power"]);
  expect(await page.locator("#groups-state").textContent()).toBe("More is now 1 of 3.");

  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await order(page)).toEqual(["Wear", "Power", "More"]);
  await page.getByRole("button", { name: "Move Power up" }).focus();
  await page.keyboard.press("Enter");
  expect(await order(page)).toEqual(["Power", "Wear", "More"]);
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Move Power up");

  // Enter in a field shows the page, and does not save.
  await page.getByLabel("Creator").fill("Village");
  await page.keyboard.press("Enter");
  const preview = page.locator(".preview");
  await preview.getByText("Straw").waitFor();
  expect(await preview.locator(".category h3").allTextContents()).toEqual(["Power", "Wear"]);
  expect((await world.api.call(`/collections/${CHAIN_ID}/${COLLECTION}/1`)).text).not.toContain("Power");
  await picture(page, "information-form");
  await page.getByRole("button", { name: "Remove More" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Information saved").waitFor();

  expect(await order(page)).toEqual(["Power", "Wear"]);
  expect((await world.api.call(`/collections/${CHAIN_ID}/${COLLECTION}/1`)).text).toContain("Power");
  expect([complaints, outside]).toEqual([[], []]);
  await context.close();
});

it("shows a tip under a finger, and keeps its chart up to date", async () => {
  const { page, context } = await open(partner, { viewport: PHONE });
  await page.goto(`${app}/requests?range=7d`);
  const bars = page.locator(".plot .touch");
  await bars.nth(20).hover();
  await bars.nth(20).locator(".tip text").first().waitFor();
  const tip = await bars.nth(20).locator(".tip rect").boundingBox();
  expect(tip && tip.x >= 0 && tip.x + tip.width <= PHONE.width).toBe(true);
  await world.test.database.query(
    "insert into vitrine.request_log select id, now(), gen_random_uuid(), gen_random_uuid(), 'GET', '/market/fresh', 200, 1 from vitrine.app",
  );
  await page.getByText("GET /market/fresh").waitFor();
  await context.close();
});

it("shows buttons that need script when their script is there, each where it stays", async () => {
  const { database } = world.test;
  await database.query("update vitrine.app set apis = '{market}'");
  const { page, context } = await open(partner);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/first-request.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(app, { waitUntil: "commit" });
  const copy = page.getByRole("button", { name: "Copy" });
  const send = page.getByRole("button", { name: "Send the request" });
  await page.getByRole("button", { name: "Rotate the key" }).waitFor();
  expect([await copy.isVisible(), await send.isVisible()]).toEqual([false, false]);
  release();
  await copy.waitFor();
  const before = await copy.boundingBox();
  await page.waitForLoadState("load");
  expect(await send.isVisible()).toBe(true);
  expect(await copy.boundingBox()).toEqual(before);
  await database.query("update vitrine.app set apis = '{}'");
  await context.close();
});

it("moves nothing while a button is pressed, and catches up afterwards", async () => {
  const { page, context } = await open(partner);
  await page.goto(app);
  const copy = page.getByRole("button", { name: "Copy" });
  await copy.hover();
  const before = await copy.boundingBox();
  await page.mouse.down();
  await partner.post(`${app}/permissions/ask/api`, { subject: "market-partner" });
  // The second is asked for once the first has been handled.
  for (let nth = 0; nth < 2; nth++) await page.waitForResponse((answer) => answer.url().endsWith(app));
  expect(await copy.boundingBox()).toEqual(before);
  await page.mouse.up();

  await page.getByText("Copied.").waitFor();
  await page.getByText("Waiting for the operator: market-partner").waitFor();
  expect(await copy.boundingBox()).not.toEqual(before);
  await context.close();
});

it("goes on while something stays pressed", async () => {
  const { page, context } = await open(partner);
  await page.goto(app);
  await page.getByRole("button", { name: "Copy" }).hover();
  await page.mouse.down();
  await partner.post(`${app}/permissions/ask/api`, { subject: "market" });

  await page.getByText("Waiting for the operator: market-partner, market").waitFor();
  await page.mouse.up();
  await context.close();
});

it("says which parts are out of date while the service can't be reached", async () => {
  const { page, context } = await open(operator);
  await page.goto("/console/operator");
  await context.setOffline(true);
  await page.locator("#live[data-stale]").waitFor();
  expect(await notice(page, "#live")).toContain("the service can’t be reached");
  await context.setOffline(false);
  await page.locator("#live:not([data-stale])").waitFor();
  await context.close();
});

/** Wallets that announce themselves, note that they were asked, and refuse. */
const TWO_WALLETS = `
  globalThis.askedWallets = [];
  addEventListener("eip6963:requestProvider", () => {
    for (const name of ["Alpha", "Beta"]) {
      const request = () => {
        askedWallets.push(name);
        return Promise.reject(Object.assign(new Error("no"), { code: 4001 }));
      };
      const detail = { info: { name }, provider: { request } };
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    }
  });`;

it("asks the wallet that was chosen for a collection's proof, and gives the focus back if it refuses", async () => {
  await world.test.database.query("update vitrine.app set collections = '{}'");
  const { page, context, complaints } = await open(partner);
  await context.addInitScript(TWO_WALLETS);
  await page.goto(`${app}/permissions`);
  await page.getByRole("button", { name: "Sign with Alpha" }).waitFor();
  const beta = page.getByRole("button", { name: "Sign with Beta" });
  expect(await accessibilityProblems(page)).toEqual([]);
  await beta.press("Enter");
  await page.getByText("You rejected the request in your wallet.").waitFor();

  expect(await page.evaluate("askedWallets")).toEqual(["Beta"]);
  await expect.poll(() => beta.evaluate((button) => button.matches(":focus"))).toBe(true);

  await world.test.database.query("update vitrine.app set collections = null");
  await page.reload({ waitUntil: "networkidle" });
  expect(await page.getByLabel("Prove a collection").count()).toBe(0);
  expect(complaints).toEqual([]);
  await world.test.database.query("update vitrine.app set collections = $1", [[`${CHAIN_ID}:${COLLECTION}`]]);
  await context.close();
});

it("gives the focus back after a sign-in that the wallet refuses, and after a first request", async () => {
  const stranger = await visit(browser, { baseUrl });
  await stranger.context.addInitScript(TWO_WALLETS);
  await stranger.page.goto("/console/sign-in");
  const alpha = stranger.page.getByRole("button", { name: "Sign in with Alpha" });
  await alpha.press("Enter");
  await stranger.page.getByText("You rejected the request in your wallet.").waitFor();
  await expect.poll(() => alpha.evaluate((button) => button.matches(":focus"))).toBe(true);
  await stranger.context.close();

  await world.test.database.query("update vitrine.app set apis = '{market}'");
  const { page, context } = await open(partner);
  await page.goto(app);
  const send = page.getByRole("button", { name: "Send the request" });
  await send.press("Enter");
  await page.locator("#first-answer").getByText("It works").waitFor();
  await expect.poll(() => send.evaluate((button) => button.matches(":focus"))).toBe(true);
  await context.close();
});

const notice = (page: Visit["page"], part: string) =>
  page.evaluate<string>(`getComputedStyle(document.querySelector("${part}"), "::before").content`);

it.each([
  ["/health", "Token ids", "one", "Refresh these tokens", "/health", "#refresh"],
  [
    "/permissions",
    "Show videos and animations from",
    "not a host",
    "Request the host",
    "/permissions",
    "#apis",
  ],
])("stays live after a form of %s that is refused", async (tab, label, text, button, live, part) => {
  await world.test.database.query("update vitrine.app set apis = '{market-partner}'");
  const { page, context } = await open(partner);
  await page.goto(`${app}${tab}`);
  await page.getByLabel(label).fill(text);
  await page.getByRole("button", { name: button }).click();
  await page.locator(".error").waitFor();

  // The second is asked for once the first has been handled.
  for (let nth = 0; nth < 2; nth++)
    await page.waitForResponse(
      (answer) =>
        answer.request().resourceType() === "fetch" && new URL(answer.url()).pathname === app + live,
    );
  expect(await page.locator(`${part}[data-stale]`).count()).toBe(0);
  expect(await page.getByLabel(label).inputValue()).toBe(text);
  await context.close();
});

it("says that the session has ended where it has, and not that the service can't be reached", async () => {
  const { page, context } = await open(partner);
  await page.goto(`${app}/permissions`);
  await context.clearCookies();
  await page.locator("#apis[data-stale]").waitFor();

  expect(await notice(page, "#apis")).toContain("your session has ended");
  await context.close();
});

it.each([false, true])("breaks no rule of WCAG 2.2 AA and fits a phone, dark: %s", async (isDark) => {
  const problems: string[] = [];
  const pages = [
    [
      partner,
      [
        `${app}/requests`,
        `${app}/requests?range=30d&q=404`,
        `${app}/permissions`,
        `${app}/collections`,
        form,
      ],
    ],
    [operator, ["/console/operator", "/console/operator/overview"]],
  ] as const;
  for (const [visitor, paths] of pages) {
    const { page, context, complaints } = await open(visitor, { isDark });
    for (const path of paths) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(path);
      const problem = (text: string) => `${path.replace(app, "/app")} ${text}`;
      problems.push(...(await accessibilityProblems(page)).map(problem));
      const name = `parts${path.replace(app, "").replaceAll(/[/?&=]/g, "-")}${isDark ? "-dark" : ""}`;
      await picture(page, name);
      await page.setViewportSize(PHONE);
      if (!(await fitsWidth(page))) problems.push(problem("must be scrolled sideways on a phone"));
      await picture(page, `${name}-phone`);
    }
    problems.push(...complaints);
    await context.close();
  }
  expect(problems).toEqual([]);
});

it("withdraws a permission only once the operator has confirmed it, by keyboard too, while the page is live", async () => {
  await world.test.database.query("update vitrine.app set apis = '{market-partner,market}'");
  const { page, context } = await open(operator);
  await page.goto(`${app}/permissions`);
  const ask = page.getByRole("button", { name: "Withdraw…: market", exact: true });
  await ask.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Withdraw market from Studio?" });
  await dialog.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.waitForResponse((response) => response.url().endsWith("/permissions"));
  expect(await dialog.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Withdraw…: market");

  // It would cover what the keyboard goes to next.
  await ask.press("Enter");
  await dialog.getByRole("button", { name: "Withdraw: market", exact: true }).focus();
  await page.keyboard.press("Tab");
  await dialog.waitFor({ state: "hidden" });

  await ask.press("Enter");
  await dialog.getByRole("button", { name: "Withdraw: market", exact: true }).click();
  await page.getByText("Permission withdrawn").waitFor();
  await context.close();
});

it("copies a webhook's secret, which is shown once", async () => {
  const { page, context } = await open(partner);
  await page.goto(`${app}/webhooks`);
  await page.getByLabel("URL").fill("https://hooks.example/vitrine");
  await page.getByRole("button", { name: "Create webhook" }).click();
  const secret = await page.getByLabel("SECRET", { exact: true }).inputValue();
  expect(secret).toMatch(/^whsec_/);

  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByText("Copied.").waitFor();

  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
  expect(await accessibilityProblems(page)).toEqual([]);
  await context.close();
});

it("removes a host only once the operator has confirmed it", async () => {
  const { page, context, complaints } = await open(operator);
  await page.goto("/console/operator/hosts");
  await page.getByLabel("Host", { exact: true }).fill("video.example");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  const ask = page.getByRole("button", { name: "Remove video.example…" });
  await ask.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Remove video.example for every collection?" });
  await dialog.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });

  await ask.press("Enter");
  await dialog.getByRole("button", { name: "Remove the host" }).click();
  await page.waitForURL(/[?]done=host_removed$/);

  expect(await ask.count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it("requests and approves display types of names with line breaks and other control characters", async () => {
  const { database } = world.test;
  const every = String.fromCharCode(...Array.from({ length: 0x1f }, (_, nth) => nth + 1), 0x7f, 0x85, 0x2028);
  const names = ["Line\nbreak", "Line\rbreak", "Line\r\nbreak", "\nLine\n", `Every${every}one`];
  const describeAll = (values: readonly object[]) =>
    names.flatMap((name) => values.map((value) => ({ trait_type: name, ...value })));
  await world.mint("2");
  await world.describe("2", { attributes: describeAll([{ value: "five" }]) });
  await world.mint("3");
  await world.describe("3", { attributes: describeAll([{ display_type: "number", value: 5 }]) });
  const press = async (opened: Visit, path: string, action: string, done: string) => {
    await opened.page.goto(path);
    await opened.page.locator(`form[action$="${action}"] button`).first().click();
    await opened.page.waitForURL(new RegExp(`[?]done=${done}$`), { timeout: 5_000 });
  };

  const asking = await open(partner);
  for (const _ of names) await press(asking, `${app}/permissions`, "/ask/display-type", "requested");
  const asked = await database.query<{ subject: string }>(
    "select subject from vitrine.access_request where kind = 'display_type'",
  );
  const subjects = names.map((name) => `number ${CHAIN_ID}:${COLLECTION} ${name}`);
  expect(asked.map(({ subject }) => subject).sort()).toEqual(subjects.sort());

  const approving = await open(operator);
  for (const _ of names)
    await press(approving, "/console/operator/traits", "/traits/approve", "type_approved");
  const known = await database.query<{ trait_type: string }>(
    "select trait_type from vitrine.trait_type where display_type = 'number' and trait_type = any ($1)",
    [names],
  );
  expect(known.map((row) => row.trait_type).sort()).toEqual([...names].sort());
  for (const { complaints, context } of [asking, approving]) {
    expect(complaints).toEqual([]);
    await context.close();
  }
});
