/** The application by itself in a browser, over a database that a test fills: states that a whole service passes by. */

import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Page, Route } from "playwright-core";
import { afterAll } from "vitest";

/** Serves an application to this machine until the file's tests are over, and answers where. */
export async function servePages({ fetch }: Parameters<typeof serve>[0]): Promise<string> {
  const server = await new Promise<ReturnType<typeof serve>>((done) => {
    const started = serve({ fetch, port: 0, hostname: "127.0.0.1" }, () => done(started));
  });
  afterAll(() => new Promise((done) => server.close(done)));
  // Browsers give a page on `localhost` what they give to https.
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

export interface Held {
  /** The addresses that were asked for, each without its path. */
  readonly asked: string[];
  /** Lets what is held and all that follows through. */
  release(): Promise<void>;
}

/** Holds back what a page's script asks for, as a slow line does, from now until it is released. */
export async function hold(page: Page, isHeld: (url: URL) => boolean = () => true): Promise<Held> {
  const waiting: Route[] = [];
  const asked: string[] = [];
  let isOpen = false;
  await page.route("**/collections/**", async (route) => {
    const url = new URL(route.request().url());
    if (route.request().resourceType() !== "fetch") return route.continue();
    asked.push(decodeURIComponent(url.search));
    if (isOpen || !isHeld(url)) return route.continue();
    waiting.push(route);
  });
  return {
    asked,
    async release() {
      isOpen = true;
      // Those that the page has given up are gone.
      await Promise.all(waiting.splice(0).map((route) => route.continue().catch(() => undefined)));
    },
  };
}

/** What has the focus: its id, or else its text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()");
