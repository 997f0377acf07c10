import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import {
  createClientAddress,
  createClientOf,
  createIsTrusted,
  isAddressRange,
} from "../../../src/api/http/client-address.ts";

async function addressOf(
  trusted: readonly string[],
  remoteAddress: string | undefined,
  forwardedFor?: string,
): Promise<string> {
  const clientAddress = createClientAddress(trusted);
  const app = new Hono().get("/", (c) => c.text(clientAddress(c)));
  const answer = await app.request(
    "/",
    { headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor } },
    { incoming: { socket: { remoteAddress } } },
  );
  return answer.text();
}

describe("the client's address", () => {
  it("is the peer's, and X-Forwarded-For is not read while nobody is trusted", async () => {
    expect(await addressOf([], "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
  });

  it("is not what a stranger says beside a trusted proxy", async () => {
    expect(await addressOf(["10.0.0.1"], "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
  });

  it.each([
    ["one proxy", "198.51.100.1", "198.51.100.1"],
    ["a client that made up hops of its own", "1.1.1.1, 2.2.2.2, 198.51.100.1", "198.51.100.1"],
    ["two trusted proxies in a row", "198.51.100.1, 10.9.9.9", "198.51.100.1"],
    ["a made-up hop that claims to be trusted", "10.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["a port after the address", "198.51.100.1:4711", "198.51.100.1"],
    ["IPv6 with a port", "[2001:db8:1:2:3::4]:4711", "2001:db8:1:2::"],
    ["nothing but proxies", "10.1.1.1", "10.1.1.1"],
    ["nothing", "", "10.0.0.1"],
    ["words", "unknown", "10.0.0.1"],
    ["a number that some libraries take for an address", "2130706433", "10.0.0.1"],
  ])("behind trusted proxies is the rightmost untrusted hop: %s", async (_what, header, address) => {
    expect(await addressOf(["10.0.0.0/8"], "10.0.0.1", header)).toBe(address);
  });

  it("is IPv4 for a dual-stack socket, on either side of the list", async () => {
    expect(await addressOf([], "::ffff:203.0.113.7")).toBe("203.0.113.7");
    expect(await addressOf(["::ffff:10.0.0.0/104"], "::ffff:10.0.0.1", "198.51.100.1")).toBe("198.51.100.1");
  });

  it("is one for a whole /64, which one client holds", async () => {
    const addresses = await Promise.all(
      ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"].map((peer) => addressOf([], peer)),
    );

    expect(addresses).toEqual(["2001:db8:1:2::", "2001:db8:1:2::", "2001:db8:1:3::"]);
  });

  it("is the same however often it is asked for, and of nobody who asked before", () => {
    const clientOf = createClientOf(["10.0.0.0/8"]);
    const long = `${"198.51.100.9, ".repeat(20)}198.51.100.2`;
    const asked = [
      ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
      ["10.0.0.1", "198.51.100.2", "198.51.100.2"],
      ["10.0.0.1", long, "198.51.100.2"],
      ["203.0.113.7", "198.51.100.1", "203.0.113.7"],
      ["10.0.0.1", undefined, "10.0.0.1"],
      [undefined, "198.51.100.1", "unknown"],
    ] as const;

    for (const [peer, header, address] of [...asked, ...asked]) expect(clientOf(peer, header)).toBe(address);
  });

  it("is one for all who have no socket", async () => {
    expect(await addressOf([], undefined, "198.51.100.1")).toBe("unknown");
  });
});

it.each([
  ["a listed machine", "10.0.0.1", undefined, true],
  ["one behind another", "10.0.0.1", "10.9.9.9", true],
  ["a stranger", "203.0.113.7", "10.0.0.1", false],
  ["a stranger behind a proxy", "10.0.0.1", "10.9.9.9, 203.0.113.7", false],
  ["whom a proxy can't name", "10.0.0.1", "unknown", false],
  ["nobody", undefined, undefined, false],
])("a caller is trusted if it is listed itself: %s", async (_who, remoteAddress, forwardedFor, trusted) => {
  const isTrusted = createIsTrusted(["10.0.0.0/8"]);
  const app = new Hono().get("/", (c) => c.json(isTrusted(c)));
  const headers = new Headers();
  if (forwardedFor !== undefined) headers.set("x-forwarded-for", forwardedFor);
  const answer = await app.request("/", { headers }, { incoming: { socket: { remoteAddress } } });
  expect(await answer.json()).toBe(trusted);
});

describe("an entry of TRUSTED_PROXIES", () => {
  it.each(["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"])("may be %s", (text) => {
    expect(isAddressRange(text)).toBe(true);
  });

  it.each(["", "proxy.internal", "10.0.0.0/33", "1", "10.0.0.1:80", "*"])("is refused as %j", (text) => {
    expect(isAddressRange(text)).toBe(false);
  });
});
