/** Untrusted URLs and redirects never reach this machine or its network; the operator's own entries do. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const options = { bytesMax: 1_000, timeoutMs: 10_000, accept: "application/json" };
const PORT = "<port>";

/** Redirects to the URL in `?to=`. */
let origin: LocalServer;
/** Listens on every address; must receive no connection. */
let inside: LocalServer;
let guardedFetch: ReturnType<typeof createGuardedFetch>;
let hitsBefore: number;

beforeAll(async () => {
  origin = await startLocalServer(({ url }, response) => {
    const to = new URL(url ?? "", "http://origin").searchParams.get("to");
    response.writeHead(302, { location: to ?? "/" }).end();
  });
  inside = await startLocalServer((_request, response) => response.end("{}"));
  guardedFetch = createGuardedFetch(new Set([origin.host]), "test");
});
beforeEach(() => {
  hitsBefore = inside.requests.length;
});
afterAll(() => Promise.all([origin.close(), inside.close()]));

const at = (url: string) => url.replace(PORT, String(inside.port));

describe("private hosts", () => {
  it.each(["http://127.0.0.1/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/"])(
    "%s is refused at the scheme's own port",
    async (url) => {
      expect(await guardedFetch(url, options)).toMatchObject({ reason: "host_refused" });
    },
  );

  it("allows an entry of the list at its port only", async () => {
    const neighbour = await guardedFetch(inside.url, options);
    const otherName = await guardedFetch(`http://localhost:${origin.port}/?to=/`, options);

    expect([neighbour, otherName]).toMatchObject([{ reason: "host_refused" }, { reason: "host_refused" }]);
    expect(inside.requests.length).toBe(hitsBefore);
  });

  it.each([
    { entry: `localhost:${PORT}`, url: `http://LOCALHOST:${PORT}/` },
    { entry: `[::1]:${PORT}`, url: `http://[::1]:${PORT}/` },
    { entry: `127.0.0.1:${PORT}`, url: `http://0x7f000001:${PORT}/` },
  ])("allows $entry, as the operator wrote it", async ({ entry, url }) => {
    const allowing = createGuardedFetch(new Set([at(entry)]), "test");

    expect(await allowing(at(url), options)).toMatchObject({ kind: "fetched" });
  });
});

describe("redirects", () => {
  it.each([
    ...["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001", "169.254.169.254"].map(
      (host) => ({
        to: `http://${host}:${PORT}/secret`,
        reason: "host_refused",
      }),
    ),
    { to: "//localhost/secret", reason: "host_refused" },
    { to: `http://a:b@127.0.0.1:${PORT}/`, reason: "invalid_url" },
    { to: "file:///etc/passwd", reason: "invalid_url" },
    { to: "data:application/json,{}", reason: "invalid_url" },
    { to: "ftp://host.example/", reason: "invalid_url" },
    { to: "http://[", reason: "invalid_url" },
  ])("from an allowed host to $to are refused", async ({ to, reason }) => {
    const fetched = await guardedFetch(`${origin.url}/?to=${encodeURIComponent(at(to))}`, options);

    expect(fetched).toMatchObject({ kind: "failed", reason, transient: false });
    expect(inside.requests.length).toBe(hitsBefore);
  });
});

describe("URLs", () => {
  it.each([
    "",
    "host.example",
    "http://",
    "file:///etc/passwd",
    "data:,{}",
    "javascript:1",
    "https://user@host.example/",
    "https://user:password@host.example/",
    "https://:password@host.example/",
    "http://host.example:25/",
  ])("%j is refused for good", async (url) => {
    expect(await guardedFetch(url, options)).toMatchObject({ reason: "invalid_url", transient: false });
  });
});
