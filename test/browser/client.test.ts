/** @vitrine/client in a page and in a worker of a real Chromium, from another origin than the service's. */

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve, sep } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type InstalledClient, installClient } from "../support/http/client-package.ts";
import {
  createPartner,
  createWorld,
  eventually,
  WITHOUT_PICTURES,
  type World,
} from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";
import { launchBrowser } from "./browser.ts";

let world: World;
let client: InstalledClient;
let browser: Browser;
let site: Server;
let origin: string;
let job: string;
beforeAll(async () => {
  [world, client, browser] = await Promise.all([
    createWorld({ host: WITHOUT_PICTURES }),
    installClient(),
    launchBrowser(),
  ]);
  const key = await createKey(world.service);
  const partner = createPartner(world.service.baseUrl, key);
  await eventually(
    () => partner.token(world.heroes, 7),
    (token) => token.lock?.lock_count === 2 && token.name !== null,
  );
  job = `
    import { createVitrine, VitrineError } from "/client/index.js";
    export async function run() {
      const vitrine = createVitrine({ baseUrl: "${world.service.baseUrl}", apiKey: "${key}" });
      const { name } = await vitrine.token("${world.heroes}", 7n);
      const [locked] = await vitrine.tokens("${world.heroes}", { locked: true }).take(1);
      const stream = vitrine.events({ types: ["lock"], lastEventId: 0 });
      let event;
      for await (event of stream) break;
      const error = await vitrine.token("${world.heroes}", "777777").catch((error) => error);
      return [name, locked.token_id, event.type, stream.lastEventId !== undefined,
        error instanceof VitrineError && error.status];
    }`;
  const dist = join(client.folder, "node_modules/@vitrine/client/dist");
  site = createServer((request, response) => {
    const answer = (type: string, text: string): void => {
      response.writeHead(200, { "content-type": type }).end(text);
    };
    const path = request.url ?? "/";
    if (path === "/job.js") return answer("text/javascript", job);
    if (path === "/worker.js")
      return answer("text/javascript", 'import { run } from "/job.js"; postMessage(await run());');
    const file = resolve(dist, path.replace("/client/", ""));
    if (path.startsWith("/client/") && file.startsWith(dist + sep))
      return answer("text/javascript", readFileSync(file, "utf8"));
    answer("text/html", "<!doctype html><title>A page elsewhere</title>");
  });
  await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  client?.close();
  await world?.close();
});

describe("the client reads, searches, follows events and gets errors", () => {
  it.each([
    ["a page", 'import("/job.js").then(({ run }) => run())'],
    [
      "a worker",
      `new Promise((done, fail) => {
        const worker = new Worker("/worker.js", { type: "module" });
        worker.onmessage = ({ data }) => done(data);
        worker.onerror = ({ message }) => fail(new Error(message));
      })`,
    ],
  ])("in %s", async (_where, script) => {
    const page = await browser.newPage();
    await page.goto(origin);

    expect(await page.evaluate(script)).toEqual(["Ember Knight #7", "7", "lock", true, 404]);
  });
});
