/** HEAD answers as GET would, without its body (RFC 9110, 9.3.2). */

import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { makePrivateFolder } from "../../support/folder.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
await test.setHead({ chainId: CHAIN_ID, block: 100 });
const api = createTestApp(test, {
  config: { dataFolder: makePrivateFolder() },
  connectionString: test.url,
});
const key = await api.createKey();
const html = { accept: "text/html" };
const LETTERS = `0x${"aB".repeat(20)}`;
const exported = `/market/collections/${COLLECTION}/export`;

// Of the moment, or of the request.
const VARYING =
  /^(?:x-request-id|ratelimit|content-length$|transfer-encoding$|connection$|content-security-policy$)/;
async function ask(method: string, path: string, headers: Record<string, string>) {
  const response = await api.app.request(
    path,
    { method, headers: { "x-api-key": key, ...headers } },
    { incoming: { socket: { remoteAddress: "127.0.0.1" } } },
  );
  await response.body?.cancel();
  const said = [...response.headers].filter(([name]) => !VARYING.test(name));
  return { status: response.status, headers: Object.fromEntries(said) };
}

describe("HEAD", () => {
  it.each([
    ["the stream of an unknown collection", `/market/events?collection_address=${LETTERS}`, 404, {}],
    ["the stream of an unknown chain", "/market/events?chain_id=5", 400, {}],
    ["the stream", "/market/events", 200, {}],
    ["an export", exported, 200, {}],
    ["an export to compress", `${exported}?format=csv`, 200, { "accept-encoding": "gzip, br" }],
    ["an export of owners", `${exported}?what=owners&at_block=5&format=parquet`, 200, {}],
    ["an export past the index", `${exported}?what=owners&at_block=99999999`, 400, {}],
    ["an export of an unknown collection", `/market/collections/${LETTERS}/export`, 404, {}],
    ["the console", "/console", 303, html],
    ["a page of the console", "/console/login", 303, html],
    ["a checksummed address", `/collections/${CHAIN_ID}/${LETTERS}`, 301, html],
    ["a path that nothing serves", "/nothing", 404, html],
    ["a console's path that nothing serves", "/console/sign-in/nothing", 303, html],
    ["a page of pages that nothing serves", "/collections/nothing/at/all/of/it", 404, html],
    ["a keyed path that nothing serves", "/market/nothing", 404, {}],
    ["a keyed list", "/market/collections", 200, { "accept-encoding": "gzip" }],
    ["a page", "/collections", 200, { ...html, "accept-encoding": "gzip" }],
    ["the robots' file", "/robots.txt", 200, {}],
  ])("of %s has the status and headers of GET", async (_title, path, status, headers) => {
    const get = await ask("GET", path, headers);
    expect(get.status).toBe(status);
    expect(await ask("HEAD", path, headers)).toEqual(get);
  });
});

describe("HEAD of a stream", () => {
  const snapshots = async () =>
    test.database.query("select from pg_stat_activity where application_name = 'vitrine snapshot'");

  it.each(["/market/events", exported])("holds no place: %s", async (path) => {
    const before = (await snapshots()).length;
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask("HEAD", path, {})));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await snapshots()).length).toBeLessThanOrEqual(before);
  });
});
