/** No firewall stands between the service and its own machine, so its public addresses are refused like private ones. */

import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createGuardedFetch, type FetchSettings } from "../../../src/api/fetch/guarded-fetch.ts";
import { createGuardedPost } from "../../../src/api/fetch/guarded-post.ts";
import { problemOfUrl } from "../../../src/api/webhooks/url.ts";

// In blocks that IANA reserves: public by every rule, and unassigned.
const [OWN, OTHER, THIRD] = ["2d00::1", "2d00::2", "2d00::3"];
const addresses: Record<string, string> = { own: OWN, other: OTHER, third: THIRD };

const settings: FetchSettings = {
  lookup: (hostname, _options, done) =>
    done(null, [{ address: addresses[hostname.split(".")[0] ?? ""] ?? "", family: 6 }]),
  connectTimeoutMs: 300,
};
const options = { bytesMax: 1_000, timeoutMs: 10_000, accept: "*/*" };

const interfaces = vi.spyOn(os, "networkInterfaces");
const has = (...own: readonly string[]) =>
  interfaces.mockReturnValue({
    eth0: own.map((address) => ({
      ...{ address, netmask: "ffff:ffff:ffff:ffff::", family: "IPv6", mac: "02:00:00:00:00:01" },
      ...{ internal: false, cidr: `${address}/64`, scopeid: 0 },
    })),
  });
let nowMs = performance.now();
vi.spyOn(performance, "now").mockImplementation(() => nowMs);
const fetchWith = (...allowed: readonly string[]) => createGuardedFetch(new Set(allowed), "test", settings);

beforeEach(() => {
  has(OWN);
  syncBuiltinESMExports();
  // By then, addresses are read again.
  nowMs += 5_000;
});

describe("an address of this machine", () => {
  it.each([
    ["by itself", `https://[${OWN}]:9091/`, `${OWN} is this machine`],
    ["by a name", "https://own.example:9091/", "own.example resolves to this machine"],
  ])("is refused %s", async (_, url, message) => {
    const refused = { kind: "failed", reason: "host_refused", message, transient: false };

    expect(await fetchWith()(url, options)).toMatchObject(refused);
    const post = createGuardedPost(new Set(), "test", settings);
    expect(await post(url, { ...options, body: "{}", headers: {} })).toMatchObject(refused);
  });

  it.each([
    [`[${OWN}]:9091`, `http://[${OWN}]:9091/`],
    ["own.example:9091", "http://own.example:9091/"],
  ])("may be reached as %s where the operator allows it", async (allowed, url) => {
    expect(await fetchWith(allowed)(url, options)).not.toMatchObject({ reason: "host_refused" });
  });

  it("is no receiver of webhooks", () => {
    expect(problemOfUrl(`https://[${OWN}]/`, new Set())).toBe(`must be public; ${OWN} is this machine`);
    expect(problemOfUrl(`https://[${OWN}]/`, new Set([`[${OWN}]:443`]))).toBeUndefined();
  });

  it("may change while the service runs, and is not read for each connection", async () => {
    const fetch = fetchWith();
    const read = async () => {
      const before = interfaces.mock.calls.length;
      const fetched = await Promise.all(
        ["own", "other"].map((name) => fetch(`http://${name}.example:9091/`, options)),
      );
      return [
        ...fetched.map((each) => "reason" in each && each.reason),
        interfaces.mock.calls.length - before,
      ];
    };

    expect(await read()).toEqual(["host_refused", expect.not.stringMatching("host_refused"), 1]);
    has(OTHER);
    expect(await read()).toEqual(["host_refused", expect.not.stringMatching("host_refused"), 0]);
    nowMs += 5_000;
    expect(await read()).toEqual([expect.not.stringMatching("host_refused"), "host_refused", 1]);
  });
});

it("where the system keeps its addresses from the service, other hosts can be reached", async () => {
  interfaces.mockImplementation(() => {
    throw new Error("uv_interface_addresses returned Unknown system error 97");
  });

  expect(await fetchWith()("http://third.example:9091/", options)).toMatchObject({
    reason: expect.stringMatching(/^(unreachable|timeout)$/),
  });
});
