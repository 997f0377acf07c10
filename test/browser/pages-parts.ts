/** The application alone in a browser, over a database that a test fills: states that a service soon leaves. */

import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { Page, Route } from "playwright-core";
import { afterAll } from "vitest";

/** Serves an application on this machine until the file's tests are over, and returns its URL. */
export async function servePages({ fetch }: Parameters<typeof serve>[0]): Promise<string> {
  const server = await new Promise<ReturnType<typeof serve>>((done) => {
    const started = serve({ fetch, port: 0, hostname: "127.0.0.1" }, () => done(started));
  });
  afterAll(() => new Promise((done) => server.close(done)));
  // Browsers treat a page on `localhost` like https.
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

export interface Paused {
  /** The requested URLs, without their paths. */
  readonly asked: string[];
  /** Releases delayed requests and all later ones. */
  release(): Promise<void>;
}

/** Delays the page script's requests from now until `release`, as a slow connection does. */
export async function pauseRequests(
  page: Page,
  isPaused: (url: URL) => boolean = () => true,
): Promise<Paused> {
  const waiting: Route[] = [];
  const asked: string[] = [];
  let isOpen = false;
  await page.route("**/collections/**", async (route) => {
    const url = new URL(route.request().url());
    if (route.request().resourceType() !== "fetch") return route.continue();
    asked.push(decodeURIComponent(url.search));
    if (isOpen || !isPaused(url)) return route.continue();
    waiting.push(route);
  });
  return {
    asked,
    async release() {
      isOpen = true;
      // Requests that the page has aborted are gone.
      await Promise.all(waiting.splice(0).map((route) => route.continue().catch(() => undefined)));
    },
  };
}

/** The focused element: its id, or else its text. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()");
