/** Posts to receivers that strangers chose. */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FetchSettings } from "../../../src/api/fetch/guarded-fetch.ts";
import { createGuardedPost } from "../../../src/api/fetch/guarded-post.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const OPTIONS = { body: "{}", headers: {}, timeoutMs: 30_000, bytesMax: 1_000 };

let server: LocalServer;
let answer: (response: ServerResponse) => void;
beforeAll(async () => {
  server = await startLocalServer((_request, response) => answer(response));
});
afterAll(() => server.close());

/** Posts over connections of its own. */
const posting = () => {
  const post = createGuardedPost(new Set([server.host]), "test");
  return () => post(server.url, OPTIONS);
};

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

describe("a connection that the receiver gives up without an answer", () => {
  const ways = [
    ["closed", (socket: Socket | null) => void socket?.destroy()],
    ["reset", (socket: Socket | null) => void socket?.resetAndDestroy()],
  ] as const;

  it.each(ways)("is replaced where it had served one before: %s", async (_, giveUp) => {
    const served = new WeakSet<Socket>();
    answer = (response) => {
      const { socket } = response;
      if (socket === null || served.has(socket)) return giveUp(socket);
      served.add(socket);
      response.end();
    };
    const post = posting();
    const before = server.requests.length;

    for (let nth = 0; nth < 2; nth++) {
      expect(await post()).toMatchObject({ kind: "answered", status: 200 });
      // By then, the connection is free for the next request.
      await nextTurn();
    }
    // The second was sent twice.
    expect(server.requests.length - before).toBe(3);
  });

  it.each(ways)("is the receiver's failure where it had served none: %s", async (_, giveUp) => {
    answer = (response) => giveUp(response.socket);
    const before = server.requests.length;

    expect(await posting()()).toMatchObject({ reason: "unreachable", transient: true });
    expect(server.requests.length - before).toBe(1);
  });
});
