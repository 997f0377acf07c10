/** The format of allowlist entries, the hosts that each covers, and how changes reach those who keep the list. */

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listen } from "../../../src/api/db/listener.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { ALLOWLIST_CHANNEL, createAllowlist } from "../../../src/api/media/display/allowlist.ts";
import { hostMatches, parseHostPattern } from "../../../src/api/media/display/host-pattern.ts";
import { createOperatorActions } from "../../../src/api/operator/module.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const { database, tables, url } = await createTestDatabase();

describe("entries", () => {
  it.each([
    { text: "example.com", pattern: "example.com" },
    { text: "CDN.Example.COM", pattern: "cdn.example.com" },
    { text: "example.com:8443", pattern: "example.com:8443" },
    { text: "*.example.com", pattern: "*.example.com" },
    { text: "*.example.com:8443", pattern: "*.example.com:8443" },
    { text: "localhost:3000", pattern: "localhost:3000" },
    { text: "127.0.0.1:3000", pattern: "127.0.0.1:3000" },
    { text: "xn--bcher-kva.example", pattern: "xn--bcher-kva.example" },
    { text: "My_Bucket.s3.amazonaws.com", pattern: "my_bucket.s3.amazonaws.com" },
    { text: "*._media.example.com:8443", pattern: "*._media.example.com:8443" },
  ])("$text is kept as $pattern", ({ text, pattern }) => {
    expect(parseHostPattern(text)).toBe(pattern);
  });

  it.each([
    "",
    " ",
    "*",
    "*.",
    "**.example.com",
    "*example.com",
    "cdn.*.example.com",
    "example.*",
    "https://example.com",
    "example.com/",
    "example.com/path",
    "user@example.com",
    ".example.com",
    "example..com",
    "example.com.",
    "example.com:",
    "example.com:port",
    "example.com:123456",
    "example.com:65536",
    "example.com:0443",
    "127.1",
    "1.2.3.999",
    " example.com",
    "example.com\n",
    "a,b",
    "b\u00fccher.example",
  ])("%j is refused", (text) => {
    expect(parseHostPattern(text)).toBeUndefined();
  });
});

it("an entry has at most 253 characters; one more is refused by the operator's route, with how many arrived", async () => {
  const api = createTestApp({ database, tables });
  const host = (length: number) => `${"abcdefghi.".repeat(26).slice(0, length - 4)}.com`;
  const add = (pattern: string) =>
    api.call("/admin/allowlist", {
      ...{ method: "POST", headers: { authorization: `Bearer ${OPERATOR_TOKEN}` }, body: { pattern } },
    });
  const anyHost = Array.from({ length: 3_000 }, (_, nth) => ((nth * 7_919) % 36).toString(36)).join("");

  expect((await add(host(253))).status).toBe(200);
  for (const [text, length] of [
    [host(254), 254],
    [`${anyHost}.com`, 3_004],
  ] as const) {
    const { status, body } = await add(text);
    expect(status).toBe(400);
    expect(body.details).toEqual([
      { path: "pattern", message: expect.stringMatching(`has ${length} characters; the limit is 253$`) },
    ]);
  }
});

describe("coverage", () => {
  it.each([
    {
      pattern: "example.com",
      covers: ["example.com"],
      not: ["cdn.example.com", "example.com:8443", "example.co"],
    },
    {
      pattern: "example.com",
      covers: [],
      not: ["evilexample.com", "example.com.evil.net", "example.com.", ""],
    },
    { pattern: "example.com:8443", covers: ["example.com:8443"], not: ["example.com", "example.com:443"] },
    {
      pattern: "*.example.com",
      covers: ["cdn.example.com", "a.b.example.com"],
      not: ["example.com", ".example.com"],
    },
    {
      pattern: "*.example.com",
      covers: [],
      not: ["evilexample.com", "cdn.example.com.evil.net", "example.com.evil"],
    },
    {
      pattern: "*.example.com",
      covers: [],
      not: ["cdn.example.com:8443", "*.example.org", "cdn.example.com."],
    },
    {
      pattern: "my_bucket.s3.example",
      covers: ["my_bucket.s3.example"],
      not: ["my-bucket.s3.example", "mybucket.s3.example"],
    },
    {
      pattern: "*.example.com:8443",
      covers: ["cdn.example.com:8443"],
      not: ["cdn.example.com", "example.com:8443"],
    },
  ])("$pattern covers $covers and not $not", ({ pattern, covers, not }) => {
    expect(covers.filter((host) => !hostMatches(pattern, host))).toEqual([]);
    expect(not.filter((host) => hostMatches(pattern, host))).toEqual([]);
  });
});

describe("a change", () => {
  const HOST = "films.example";
  const isAllowed = async (allowlist: ReturnType<typeof createAllowlist>) => (await allowlist.forAll())(HOST);

  it("is shown once it is made, though others read the list meanwhile", async () => {
    const allowlist = createAllowlist(database, () => 0);
    const audit = async (): Promise<void> => void (await isAllowed(allowlist));
    const actions = createOperatorActions({ database, allowlist, access: { audit } } as unknown as Parameters<
      typeof createOperatorActions
    >[0]);

    await actions.allowHost("operator", HOST, null);
    expect(await isAllowed(allowlist)).toBe(true);

    await actions.disallowHost("operator", HOST, null);
    expect(await isAllowed(allowlist)).toBe(false);
  });

  it("reaches a replica that is notified, whatever it has cached", async () => {
    const replica = createAllowlist(database, () => 0);
    const woken = vi.fn(replica.forget);
    const listener = listen(url, [ALLOWLIST_CHANNEL], woken, silentLogger);
    onTestFinished(() => listener.close());
    // It is woken once it is connected, too.
    await vi.waitFor(() => expect(woken).toHaveBeenCalled());
    expect(await isAllowed(replica)).toBe(false);

    // Its clock does not advance, so only the notification makes it reload.
    for (const change of ["add", "remove"] as const) {
      const made = createAllowlist(database);
      await database.transaction<unknown>((tx) => made[change](tx, HOST, null, "operator"));
      await eventually(
        () => isAllowed(replica),
        (is) => is === (change === "add"),
      );
    }
  });
});
