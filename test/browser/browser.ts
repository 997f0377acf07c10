/** A real Chromium, and wallets in it that sign with real keys. */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { HDAccount } from "viem/accounts";

// Chromium without windows first: the whole one draws each tab's window too, for half of the processor time.
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const WCAG_22_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** A screen of 1280 pixels at 400 % (WCAG 1.4.10). */
export const NARROW = { width: 320, height: 256 };

/** The browser at CHROMIUM_PATH, or in the usual places. If there is none, throws with instructions. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH || PLACES.find((place) => existsSync(place));
  if (!executablePath)
    throw new Error(
      "no Chromium was found; install it (apt-get install chromium-headless-shell) or set CHROMIUM_PATH",
    );
  // Chromium's sandbox refuses to run as root, as in containers.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Requests to origins other than the service's. */
  readonly outside: string[];
  /** The page's script errors, and violations of its content policy. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly baseUrl: string;
  readonly wallet?: HDAccount;
  readonly chainId?: number;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly isDark?: boolean;
}

/** A separate visitor, with a wallet (EIP-1193) if given. */
export async function visit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const { baseUrl, wallet, chainId = 1, viewport = DESKTOP, isDark = false } = options;
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport,
    colorScheme: isDark ? "dark" : "light",
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: baseUrl });
  if (wallet) {
    await context.exposeFunction("signWithTestWallet", (raw: `0x${string}`) =>
      wallet.signMessage({ message: { raw } }),
    );
    await context.addInitScript({ content: walletScript(wallet.address, chainId) });
  }
  const page = await context.newPage();
  const outside: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== new URL(baseUrl).origin) outside.push(url.href);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { context, page, outside, complaints };
}

/** A minimal wallet; its signatures are made outside the page. */
const walletScript = (address: string, chainId: number): string => `
  window.ethereum = {
    async request({ method, params }) {
      if (method === "eth_requestAccounts") return ["${address}"];
      if (method === "eth_chainId") return "0x${chainId.toString(16)}";
      if (method === "personal_sign") return window.signWithTestWallet(params[0]);
      throw new Error("the test wallet knows no " + method);
    },
  };`;

/**
 * The rules of WCAG 2.2 AA that the page violates, with the offending elements. It waits until the page has
 * loaded: elements can be found, and filled in, before the stylesheet that gives them their size is there.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.waitForLoadState("load");
  const { violations } = await new AxeBuilder({ page })
    .withTags(WCAG_22_AA)
    // Opening a page to put the results of frames together takes longer than most pages' check, and isn't needed
    // for one frame.
    .setLegacyMode(page.frames().length === 1)
    .analyze();
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
  );
}

/** True when nothing needs horizontal scrolling. */
export async function fitsWidth(page: Page): Promise<boolean> {
  await page.waitForLoadState("load");
  return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");
}

/** Saves a screenshot of the page in SCREENSHOTS, if that names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
