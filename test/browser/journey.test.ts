/** From the home page to a first successful refresh with one's own key: at most five clicks, and no dead end. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createWorld, WITHOUT_PICTURES, type World } from "../support/processes/world.ts";
import { accessibilityProblems, launchBrowser, picture, visit } from "./browser.ts";

const CLICKS_MAX = 5;
const APP = "First steps";

let world: World;
let browser: Browser;

beforeAll(async () => {
  [world, browser] = await Promise.all([
    createWorld({
      host: WITHOUT_PICTURES,
      env: { AUTO_APPROVE: "market-partner,market", DEMO_WALLET: "true" },
    }),
    launchBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const open = (options: Partial<Parameters<typeof visit>[1]> = {}) =>
  visit(browser, { baseUrl: world.service.baseUrl, ...options });

it("leads a visitor without a wallet to a refresh with a key of their own", async () => {
  const { context, page, outside, complaints } = await open();
  let clicks = 0;
  const problems: string[] = [];
  const click = async (name: string, role: "button" | "link" = "button"): Promise<void> => {
    problems.push(...(await accessibilityProblems(page)).map((each) => `before ${name}: ${each}`));
    clicks++;
    await page.getByRole(role, { name, exact: true }).first().click();
  };

  await page.goto("/");
  await picture(page, "home");
  await click("Create an app", "link");
  await page.getByRole("button", { name: "Sign in with the demo wallet" }).waitFor();
  await picture(page, "sign-in-demo");
  await click("Sign in with the demo wallet");
  await page.getByLabel("Name", { exact: true }).fill(APP);
  await picture(page, "create-app");
  await click("Create app");
  await page.getByRole("heading", { name: "First steps", level: 2 }).waitFor();
  await page.getByText("Granted: market-partner, market").waitFor();
  await picture(page, "first-steps");
  // Live: the search index of a service that has just started may take a moment.
  await page.getByRole("heading", { name: "Refresh a token" }).waitFor();
  expect(await page.locator("#first-answer").isVisible()).toBe(false);
  await click("Send the request");
  await page.getByText("It works: the service answered 200.").waitFor();
  const answer = JSON.parse((await page.locator("#first-answer pre").textContent()) ?? "");

  expect(answer).toMatchObject({ tokens: [{ status: expect.stringMatching(/^(?:updated|unchanged)$/) }] });
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
  // The checklist goes by itself; the answer stays.
  await page.getByRole("heading", { name: "First steps", level: 2 }).waitFor({ state: "detached" });
  await page.getByText("It works: the service answered 200.").waitFor();
  expect(await world.query("select name from vitrine.app where first_success_at is not null")).toEqual([
    { name: APP },
  ]);
  problems.push(...(await accessibilityProblems(page)));
  expect(problems).toEqual([]);
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it("asks before a key is revoked, and names its last use", async () => {
  const { context, page } = await open();
  await page.goto("/console");
  await page.getByRole("button", { name: "Sign in with the demo wallet" }).click();
  await page.getByRole("link", { name: APP }).click();
  await page.getByRole("button", { name: /^Revoke the key vk_.*…$/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Revoke the key vk_/ });
  await dialog.getByText("It was last used on").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await page.evaluate("document.activeElement.textContent.trim()")).toBe("Keep the key");
  await picture(page, "revoke");
  await dialog.getByRole("button", { name: "Keep the key" }).click();
  expect(await dialog.isVisible()).toBe(false);
  await page.getByText("in use").waitFor();

  await page.getByRole("button", { name: /^Revoke the key vk_.*…$/ }).click();
  await dialog.getByRole("button", { name: /^Revoke the key/ }).click();
  await page.getByText("Key revoked.").waitFor();
  await context.close();
});

it("says what to install where there is no wallet, and takes a rejected signature calmly", async () => {
  const { context, page } = await open();
  await page.route("**/demo-wallet.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: "" }),
  );
  await page.goto("/console/sign-in");
  await page.getByRole("heading", { name: "No wallet in this browser" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.addInitScript(
    "window.ethereum = { request: () => Promise.reject(Object.assign(new Error('User rejected'), { code: 4001 })) };",
  );
  await page.reload();
  await page.getByRole("button", { name: "Sign in with your wallet" }).click();
  await page.getByText("You rejected the request in your wallet.").waitFor();
  expect(await page.locator("#wallet-state.bad").count()).toBe(0);
  await context.close();
});

const askWallet = (call: object): Promise<Response> =>
  fetch(`${world.service.baseUrl}/console/demo-wallet`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: world.service.baseUrl },
    body: JSON.stringify(call),
  });

it.each([1, 8192])("the demo's wallet signs %i bytes", async (length) => {
  const accounts = await askWallet({ method: "eth_requestAccounts" });
  const { result } = (await accounts.json()) as { result: [string] };

  const response = await askWallet({
    method: "personal_sign",
    params: [`0x${"0a".repeat(length)}`, result[0]],
  });

  expect([response.status, await response.json()]).toEqual([
    200,
    { result: expect.stringMatching(/^0x[0-9a-f]{130}$/) },
  ]);
});

it.each([
  ["0x", 'must be 1 to 8,192 bytes in hex; it is "0x"'],
  ["hello", 'must be 1 to 8,192 bytes in hex; it is "hello"'],
  [`0x${"00".repeat(8193)}`, expect.stringMatching(/^must be 1 to 8,192 bytes in hex; it is "0x0+…"$/)],
  [7, "must be a string; it is a number"],
])("the demo's wallet does not sign %o", async (text, message) => {
  const response = await askWallet({ method: "personal_sign", params: [text, "0x"] });

  expect([response.status, ((await response.json()) as { details: unknown }).details]).toEqual([
    400,
    [{ path: "params[0]", message }],
  ]);
});

it("tables keep their headings on one line", async () => {
  const { context, page } = await open({ viewport: { width: 1440, height: 900 } });
  await page.goto(`/collections/${world.chain.chainId}/${world.items}/1`);
  const heads = page.getByRole("columnheader", { name: "Quantity" });
  await heads.first().waitFor();

  for (const head of await heads.all())
    expect(await head.evaluate((each) => each.getClientRects()[0]?.height)).toBeLessThan(48);
  await context.close();
});
