/** Posts to receivers that strangers chose. */

import { expect, it } from "vitest";
import type { FetchSettings } from "../../../src/api/fetch/guarded-fetch.ts";
import { createGuardedPost } from "../../../src/api/fetch/guarded-post.ts";

const OPTIONS = { body: "{}", headers: {}, timeoutMs: 30_000, bytesMax: 1_000 };

it("goes over plain http only to hosts that the operator allows", async () => {
  // In a block that IANA reserves: public by every rule, and unassigned.
  const settings: FetchSettings = {
    lookup: (_hostname, _options, done) => done(null, [{ address: "2d00::1", family: 6 }]),
    connectTimeoutMs: 300,
  };
  const failureOf = async (url: string, ...allowed: readonly string[]) => {
    const posted = await createGuardedPost(new Set(allowed), "test", settings)(url, OPTIONS);
    return posted.kind === "failed" && `${posted.reason}: ${posted.message}`;
  };

  expect(await failureOf("http://partner.example/")).toBe(
    "host_refused: partner.example must be asked over https",
  );
  expect(await failureOf("http://[2d00::1]:8080/")).toBe("host_refused: 2d00::1 must be asked over https");
  expect(await failureOf("https://partner.example/")).toMatch(/^(unreachable|timeout)/);
  expect(await failureOf("http://partner.example/", "partner.example:80")).toMatch(/^(unreachable|timeout)/);
});
