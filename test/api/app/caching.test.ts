/** What caches may store: nothing that doesn't say so, and nothing with the fields of one client. */

import { expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { requestOf, serveGuarded } from "../../support/http/guarded.ts";
import { exchange } from "../../support/http/raw-http.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
await test.setHead({ chainId: CHAIN_ID, block: 100 });
const api = createTestApp(test);
const key = await api.createKey();
const wallet = `0x${"ab".repeat(20)}`;
const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const keyed = { "x-api-key": key };
const html = { accept: "text/html" };

const NOTHING = "no-store";
const OWN = "private, no-cache";
it.each([
  ["a registry's answer", `/registry/v2/${wallet}`, {}, 200, NOTHING],
  ["an error of the registry", "/registry/v2/x", {}, 400, NOTHING],
  ["freshness", "/freshness", {}, 200, NOTHING],
  ["liveness", "/livez", {}, 200, NOTHING],
  ["an operator's answer", "/admin/keys", operator, 200, NOTHING],
  ["an operator's path without the token", "/admin/keys", {}, 404, NOTHING],
  ["an unknown token", `/market/collections/${COLLECTION}/tokens/9`, keyed, 404, NOTHING],
  ["a keyed path that nothing serves", "/market/nothing", keyed, 404, NOTHING],
  ["a missing key", "/market/collections", {}, 401, NOTHING],
  ["an unknown path", "/nothing", {}, 404, NOTHING],
  ["a missing image", `/media/images/${"0".repeat(64)}.png`, {}, 404, NOTHING],
  ["a keyed answer", "/market/collections", keyed, 200, OWN],
  ["a page", "/collections", html, 200, OWN],
  ["the page of an unknown path", "/nothing", html, 404, OWN],
  ["the page of an unknown collection", `/collections/${CHAIN_ID}/${wallet}`, html, 404, OWN],
  ["the reference", "/reference", html, 200, OWN],
  ["the explorer", "/graphql", html, 200, OWN],
  ["the console", "/console/sign-in", html, 200, NOTHING],
  ["the console before the sign-in", "/console", html, 303, NOTHING],
  ["a style", "/assets/ui.css", {}, 200, "public, no-cache"],
  ["the API's description", "/openapi.json", {}, 200, "public, no-cache"],
  ["the robots' file", "/robots.txt", {}, 200, "public, max-age=3600"],
  ["the sitemap", "/sitemap.xml", {}, 200, "public, max-age=3600"],
])(
  "%s says what may be stored of it, on Node's server as well",
  async (_title, path, headers, status, says) => {
    const port = await serveGuarded(api.app);
    for (const method of ["GET", "HEAD"]) {
      const answer = await api.call(path, { method, headers });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, says]);
      const sent = await exchange(port, requestOf(method, path, { ...headers, Connection: "close" }));
      expect([sent.status, sent.headers.get("cache-control")]).toEqual([status, says]);
    }
  },
);

it.each(["/robots.txt", "/sitemap.xml", "/sitemaps/collections.xml"])(
  "%s, which caches share, has no client's limits",
  async (path) => {
    const { headers } = await api.call(path);
    expect([...headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  },
);
