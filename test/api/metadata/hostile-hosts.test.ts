/** Every spelling of a private address, through the real fetch: refused before a connection is opened. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const options = { bytesMax: 1_000, timeoutMs: 10_000, accept: "application/json" };
const guardedFetch = createGuardedFetch(new Set(), "test");

/** Listens on every address of this machine; must receive no connection. */
let canary: LocalServer;
beforeAll(async () => {
  canary = await startLocalServer((_request, response) => response.end("{}"));
});
afterAll(() => canary.close());

/** Fetches, and counts the sockets that this process opens: none for an address that is refused as written. */
async function fetchCounting(url: string) {
  let sockets = 0;
  const count = (): void => {
    sockets++;
  };
  subscribe("net.client.socket", count);
  const fetched = await guardedFetch(url, options);
  unsubscribe("net.client.socket", count);
  return { reason: fetched.kind === "failed" ? fetched.reason : fetched.kind, sockets };
}

const literals: Record<string, readonly string[]> = {
  "this machine": ["127.0.0.1", "127.0.0.2", "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]"],
  "short forms": ["127.1", "127.0.1", "0", "0.0", "10.1", "192.168.257", "169.254.43518"],
  hexadecimal: ["0x7f000001", "0x7F.0.0.1", "0x7f.1", "0x7f.0x0.0x0.0x1", "0xa9fea9fe", "0x0", "127.0x0.1"],
  octal: ["0177.0.0.1", "0177.1", "017700000001", "00000177.0.0.1", "012.0.0.1", "0300.0250.0.1"],
  decimal: ["2130706433", "3232235521", "2852039166", "167772161", "4294967295"],
  "other digits and dots": [
    "１２７.0.0.1",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "¹27.0.0.1",
  ],
  "percent and dots": ["%31%32%37.0.0.1", "127.0.0.1%2e", "127%2E0.0.1", "127.0.0.1.", "0x7f000001."],
  unspecified: ["0.0.0.0", "0.1.2.3", "[::]", "[0::0]"],
  private: [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fdff:ffff::1]",
    "[fec0::1]",
  ],
  "link-local and cloud metadata": [
    "169.254.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "[febf::1]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "192.0.0.192",
  ],
  "a carrier's": ["100.64.0.1", "100.127.255.254"],
  "mapped, compatible and translated": [
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:10.0.0.1]",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:8.8.8.8]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::7f00:1]",
    "[64:ff9b:1:ffff::10.0.0.1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
  ],
  "multicast and broadcast": ["224.0.0.1", "239.255.255.250", "255.255.255.255", "[ff02::1]", "[ff0e::1]"],
  reserved: ["240.0.0.1", "254.1.2.3", "192.0.0.1", "192.88.99.1", "[100::1]", "[5f00::1]", "[4000::1]"],
  "for tests and documents": [
    "192.0.2.1",
    "198.18.0.1",
    "198.19.255.254",
    "198.51.100.1",
    "203.0.113.1",
    "[2001:db8::1]",
    "[2001:2::1]",
    "[3fff::1]",
  ],
};

describe.each(Object.entries(literals))("%s", (_kind, hosts) => {
  it.each(hosts)("%s is refused by either scheme", async (host) => {
    const refused = { reason: "host_refused", sockets: 0 };

    expect(await fetchCounting(`http://${host}:${canary.port}/`)).toEqual(refused);
    expect(await fetchCounting(`https://${host}:${canary.port}/`)).toEqual(refused);
    expect(canary.connections()).toBe(0);
  });
});

describe("names of this machine", () => {
  it.each([
    "localhost",
    "LocalHost",
    "localhost.",
    "LOCALHOST.",
    "%6cocalhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "ｌocalhost",
    "metadata.localhost",
    "a.b.LOCALHOST.",
  ])("%s is refused", async (host) => {
    expect((await fetchCounting(`http://${host}:${canary.port}/`)).reason).toBe("host_refused");
    expect(canary.connections()).toBe(0);
  });
});

describe("URLs that hide where they lead", () => {
  const PORT = "<port>";

  it.each([
    { url: `http:127.0.0.1:${PORT}/`, reason: "host_refused" },
    { url: `http:/127.0.0.1:${PORT}/`, reason: "host_refused" },
    { url: `http:////127.0.0.1:${PORT}/`, reason: "host_refused" },
    { url: `http:\\\\127.0.0.1:${PORT}\\`, reason: "host_refused" },
    { url: `http://127.0.0.1:${PORT}\\@public.example/`, reason: "host_refused" },
    { url: `http://127.0.0.1:${PORT}#@public.example/`, reason: "host_refused" },
    { url: `http://127.0.0.1:${PORT}?@public.example/`, reason: "host_refused" },
    { url: `ht\ntp://127.0\t.0.1:${PORT}/`, reason: "host_refused" },
    { url: `\u0000 http://127.0.0.1:${PORT}/ `, reason: "host_refused" },
    { url: `HTTP://127.0.0.1:0${PORT}/`, reason: "host_refused" },
    { url: `http://127\u00ad.0.0.1:${PORT}/`, reason: "host_refused" },
    { url: `http://public.example@127.0.0.1:${PORT}/`, reason: "invalid_url" },
    { url: `http://public.example:80@127.0.0.1:${PORT}/`, reason: "invalid_url" },
    { url: `http://public.example%40@127.0.0.1:${PORT}/`, reason: "invalid_url" },
    { url: `http://[fe80::1%25eth0]:${PORT}/`, reason: "invalid_url" },
    { url: `http://[::1%25lo]:${PORT}/`, reason: "invalid_url" },
    { url: `http://[::ffff:127.1]:${PORT}/`, reason: "invalid_url" },
    { url: `http://127.0.0.1%00:${PORT}/`, reason: "invalid_url" },
    { url: `http://256.0.0.1:${PORT}/`, reason: "invalid_url" },
    { url: `http://127.0.0.0.1:${PORT}/`, reason: "invalid_url" },
    { url: `http://1.2.3.4.5:${PORT}/`, reason: "invalid_url" },
    { url: `http://4294967296:${PORT}/`, reason: "invalid_url" },
    { url: "http://127.0.0.1:65536/", reason: "invalid_url" },
    { url: "http://127.0.0.1:-1/", reason: "invalid_url" },
    { url: "http://127.0.0.1:25/", reason: "invalid_url" },
    { url: "http://127.0.0.1:6379/", reason: "host_refused" },
    { url: `ws://127.0.0.1:${PORT}/`, reason: "invalid_url" },
    { url: `gopher://127.0.0.1:${PORT}/`, reason: "invalid_url" },
    { url: `blob:http://127.0.0.1:${PORT}/x`, reason: "invalid_url" },
  ])("$url is $reason", async ({ url, reason }) => {
    expect(await fetchCounting(url.replace(PORT, String(canary.port)))).toEqual({ reason, sockets: 0 });
    expect(canary.connections()).toBe(0);
  });
});

it("would reach the canary if it were allowed, so the refusals are owed to the guard", async () => {
  const open = createGuardedFetch(new Set([canary.host]), "test");

  expect(await open(canary.url, options)).toMatchObject({ kind: "fetched" });
  expect(canary.connections()).toBe(1);
});
