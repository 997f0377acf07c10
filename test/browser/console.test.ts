/** A partner's path from a wallet to a first answer, with the operator's part in between. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { outputOf } from "../support/processes/command.ts";
import { createWorld, eventually, WITHOUT_PICTURES, type World } from "../support/processes/world.ts";
import {
  accessibilityProblems,
  fitsWidth,
  launchBrowser,
  PHONE,
  picture,
  type Visit,
  visit,
} from "./browser.ts";

const APP = "Hero Studio";

let world: World;
let browser: Browser;
let partner: Visit;
let operator: Visit;
let key = "";

beforeAll(async () => {
  [world, browser] = await Promise.all([createWorld({ host: WITHOUT_PICTURES }), launchBrowser()]);
  const { baseUrl } = world.service;
  // This wallet deployed the contracts and owns them.
  const wallet = world.chain.account(0);
  partner = await visit(browser, { baseUrl, wallet, chainId: world.chain.chainId });
  operator = await visit(browser, { baseUrl });
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

it("signs in with a wallet and creates an app, by keyboard alone", async () => {
  const { page } = partner;
  await page.goto("/console");
  await page.getByRole("button", { name: "Sign in with your wallet" }).waitFor();
  await picture(page, "sign-in");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Your apps" }).waitFor();
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.type(APP);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: APP, level: 1 }).waitFor();
  expect(await page.getByRole("textbox", { name: "KEY" }).inputValue()).toMatch(/^vk_[0-9a-f]{6}•+$/);
  await picture(page, "information");
});

it("asks for access, and is approved by an operator who came by a one-time link; both see it live", async () => {
  const link = (await outputOf(["login-link"], { env: world.env })).trim();
  await operator.page.goto(link);
  await operator.page.getByRole("button", { name: "Sign in" }).click();
  await operator.page.getByText("No pending requests").waitFor();

  const { page } = partner;
  await page.getByRole("link", { name: "Permissions" }).click();
  await page.getByRole("button", { name: "Request access: market-partner" }).click();
  await page.getByText("Request sent to the operator.").waitFor();
  await operator.page.getByRole("link", { name: "Operator 1 pending request" }).waitFor();
  await picture(operator.page, "operator-requests");
  await operator.page.getByRole("button", { name: `Approve market-partner for ${APP}` }).click();
  await operator.page.getByText("Approved.").waitFor();
  await operator.page.getByRole("link", { name: "Operator", exact: true }).waitFor();
  await page.getByRole("table", { name: "APIs" }).getByText("active", { exact: true }).waitFor();

  const stranger = await visit(browser, { baseUrl: world.service.baseUrl });
  await stranger.page.goto(link);
  await stranger.page.getByRole("button", { name: "Sign in" }).click();
  await stranger.page.getByRole("heading", { name: "Not signed in" }).waitFor();
  await stranger.context.close();
});

it("proves a collection by the signature of the contract's owner, without the operator", async () => {
  const { page } = partner;
  await page.reload();
  await picture(page, "permissions");
  await page.getByLabel("Prove a collection").selectOption(`${world.chain.chainId}:${world.heroes}`);
  await page.getByRole("button", { name: "Sign with your wallet" }).click();
  await page.getByText("The contract's owner or admin has signed").waitFor();

  expect(await page.getByRole("table", { name: "Collections of this app" }).textContent()).toContain(
    world.heroes,
  );
});

it("copies the KEY, and calls the refresh endpoint with it from the reference page", async () => {
  const { page } = partner;
  await page.getByRole("link", { name: "Information", exact: true }).click();
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied.").waitFor();
  key = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(key).toMatch(/^vk_[0-9a-f]{48}_[0-9a-f]{6}$/);

  await page.goto("/reference");
  await page.getByText(`Requests from this page use the key of your app “${APP}”.`).waitFor();
  await page.getByRole("button", { name: /Test Request.*refresh_metadata/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Send post request/ }).click();
  await dialog.getByText("Metadata refresh initiated").waitFor();
  expect(await dialog.textContent()).toContain("200 OK");
  await picture(page, "reference");
  expect(partner.outside).toEqual([]);
});

it("shows the reference with samples of our client, and operators' routes to operators only", async () => {
  const operatorRoute = "/admin/keys";
  const shown = async ({ page }: Visit): Promise<string> => {
    await page.goto("/reference");
    await page.getByRole("button", { name: /Test Request.*refresh_metadata/ }).waitFor();
    return page.locator("#reference").innerText();
  };
  const stranger = await visit(browser, { baseUrl: world.service.baseUrl });

  expect(await shown(stranger)).not.toContain(operatorRoute);
  await stranger.page.getByRole("link", { name: "Get one in the console" }).waitFor();
  expect(await shown(partner)).not.toContain(operatorRoute);
  expect(await shown(operator)).toContain("operator");
  for (const { page, outside, complaints } of [stranger, partner, operator]) {
    await page.locator(".request-card").first().getByRole("button", { name: /Curl/ }).click();
    const samples = await page.getByRole("listbox").innerText();
    expect(samples.match(/Vitrine client|Fetch|Requests|Curl/g)).toHaveLength(4);
    expect([outside, complaints]).toEqual([[], []]);
  }
  await stranger.context.close();
});

it("shows what the app has used", async () => {
  const { page } = partner;
  await page.goto("/console");
  await page.getByRole("link", { name: APP }).click();
  await page.getByRole("link", { name: "Limits" }).click();

  await eventually(
    async () => {
      await page.reload();
      return page
        .getByRole("table", { name: "Requests by API" })
        .textContent({ timeout: 1_000 })
        .catch(() => "");
    },
    (text) => /market-partner1/.test((text ?? "").replace(/Answered|\s/g, "")),
  );
  await picture(page, "limits");
});

it("draws how requests ended, with a tip under the pointer, and finds a request by its id", async () => {
  const { page } = partner;
  const refused = await fetch(`${world.service.baseUrl}/market-partner/refreshes/1`, {
    headers: { "x-api-key": key },
  });
  const id = refused.headers.get("x-request-id") ?? "";
  await page.getByRole("link", { name: "Requests", exact: true }).click();
  // It arrives without a reload.
  await page.getByRole("table", { name: "Last requests" }).getByText(id).waitFor();
  const now = page.locator(".plot .touch").last();
  await now.hover();
  await now.locator(".tip").getByText("Refused (4xx): 1").waitFor();
  await picture(page, "requests");
  await page.getByText("Show as a table").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("table", { name: "Requests by status, last 24 hours" }).waitFor();

  await page.getByLabel("Search").fill(id.slice(0, 13));
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Show all" }).waitFor();
  const rows = page.getByRole("table", { name: "Last requests" }).getByRole("row");
  expect(await rows.count()).toBe(2);
  expect(await rows.last().textContent()).toContain("INVALID_REQUEST");
});

it("shows the operator the service at a glance", async () => {
  const { page } = operator;
  await page.goto("/console/operator/overview");
  await page
    .getByRole("region", { name: "Index lag" })
    .getByText(`chain ${world.chain.chainId}: block`)
    .waitFor();
  await page.getByRole("region", { name: "Storage" }).getByText("free for pictures").waitFor();
  await picture(page, "operator-overview");
});

it("rotates the KEY: the new one is another, and the old one works for as long as was chosen", async () => {
  const { page } = partner;
  await page.getByRole("link", { name: "Information", exact: true }).click();
  await page.getByLabel("Keep the old key for").selectOption("0");
  await page.getByRole("button", { name: "Rotate the key" }).click();
  await page.getByText("Key rotated.").waitFor();
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("The key is shown.").waitFor();
  const fresh = await page.getByRole("textbox", { name: "KEY" }).inputValue();
  await page.getByRole("button", { name: "Hide" }).click();

  const statusOf = async (each: string): Promise<number> =>
    (await fetch(`${world.service.baseUrl}/market-partner/refreshes/1`, { headers: { "x-api-key": each } }))
      .status;
  expect(fresh).not.toBe(key);
  expect(await statusOf(fresh)).toBe(400);
  await eventually(
    () => statusOf(key),
    (status) => status === 401,
  );
});

it("breaks no rule of WCAG 2.2 AA on any page, light or dark, and fits a phone", async () => {
  const apps = new URL(partner.page.url()).pathname;
  // The others are in console-parts.test.ts.
  const ofApp = ["", "/permissions", "/limits"];
  const partnerPages = ["/console", "/reference", "/graphql", ...ofApp.map((tab) => `${apps}${tab}`)];
  const tabs = ["", "/apps", "/collections", "/refreshes", "/hosts", "/traits", "/audit"];
  const operatorPages = tabs.map((tab) => `/console/operator${tab}`);
  const problems: string[] = [];
  for (const isDark of [false, true]) {
    for (const [{ page }, paths] of [
      [partner, partnerPages],
      [operator, operatorPages],
    ] as const) {
      await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
      for (const path of paths) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await page.goto(path);
        if (path === "/reference")
          await page
            .getByRole("button", { name: /Test Request/ })
            .first()
            .waitFor();
        if (path === "/graphql") await page.locator(".graphiql-query-editor").waitFor();
        problems.push(...(await accessibilityProblems(page)).map((problem) => `${path} ${problem}`));
        const name = `${path.replace(apps, "/app").slice(1).replaceAll("/", "-")}${isDark ? "-dark" : ""}`;
        await picture(page, name);
        await page.setViewportSize(PHONE);
        if (!(await fitsWidth(page))) problems.push(`${path} must be scrolled sideways on a phone`);
        await picture(page, `${name}-phone`);
      }
    }
  }

  expect(problems).toEqual([]);
}, 300_000);

it("runs a GraphQL query in the explorer, which loads nothing from elsewhere", async () => {
  const { context, page, outside, complaints } = await visit(browser, { baseUrl: world.service.baseUrl });
  await page.goto("/graphql");
  await page.locator(".graphiql-editors .CodeMirror, .graphiql-query-editor .CodeMirror").first().waitFor();
  await page.getByRole("button", { name: /Execute query/ }).click();

  await eventually(
    () => page.locator(".result-window").textContent(),
    (text) => text?.includes(world.heroes) === true,
  );
  for (const name of ["LockedToken", "Refresh"])
    await page.getByRole("button", { name, exact: true }).waitFor();
  await page.getByRole("button", { name: "LockedToken", exact: true }).click();
  await page.getByRole("button", { name: /Execute query/ }).click();
  await eventually(
    () => page.locator(".result-window").textContent(),
    (text) => /"total"/.test(text ?? ""),
  );
  await picture(page, "graphiql");
  expect(outside).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it("is no other site's to read, though Ponder allows every origin on every path", async () => {
  const { baseUrl } = world.service;
  const headers = { origin: "https://evil.example" };
  const allowed = async (path: string): Promise<string | null> =>
    (await fetch(`${baseUrl}${path}`, { headers })).headers.get("access-control-allow-origin");

  expect(await allowed("/openapi.json")).toBe("*");
  expect(await allowed("/console/sign-in")).toBeNull();
  expect(await allowed("/admin/keys")).toBeNull();
});

it("ends sessions: a signed-out cookie opens nothing any more", async () => {
  const { context, page } = partner;
  const [cookie] = (await context.cookies()).filter(({ name }) => name.includes("vitrine_session"));
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" });
  await page.goto("/console");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("button", { name: "Sign in with your wallet" }).waitFor();

  const answer = await fetch(`${world.service.baseUrl}/console`, {
    headers: { cookie: `${cookie?.name}=${cookie?.value}` },
    redirect: "manual",
  });
  expect(answer.status).toBe(303);
});

it("leaves no key, ciphertext, cookie or link in any log line or metric", async () => {
  const metrics = await (await fetch(`${world.service.baseUrl}/metrics`)).text();
  const ciphertexts = await world.query<{ ciphertext: string }>(
    "select encode(sealed, 'hex') as ciphertext from vitrine.api_key",
  );
  const [cookie] = (await operator.context.cookies()).filter(({ name }) => name.includes("vitrine_session"));

  const written = `${world.service.log()}\n${metrics}`;

  expect(written).toContain("vitrine_refresh");
  expect(written).not.toMatch(/v[kls]_[0-9a-f]{7,}/);
  expect(written).not.toContain(key.slice(9));
  for (const { ciphertext } of ciphertexts) expect(written).not.toContain(ciphertext);
  expect(written).not.toContain(cookie?.value);
  expect(written).not.toContain(decodeURIComponent(cookie?.value ?? ""));
  expect(partner.complaints).toEqual([]);
  expect(operator.complaints).toEqual([]);
});
