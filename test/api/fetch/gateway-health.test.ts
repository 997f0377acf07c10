/** Gateways that can't answer are tried last for a while, and never dropped. */

import { beforeEach, describe, expect, it } from "vitest";
import { createGatewayHealth, type GatewayHealth } from "../../../src/api/fetch/gateway-health.ts";

const A = "https://a.example";
const B = "https://b.example";
const C = "https://c.example";
const GATEWAYS = [A, B, C];

let clock: number;
let health: GatewayHealth;
beforeEach(() => {
  clock = 1_000;
  health = createGatewayHealth(GATEWAYS, () => clock);
});

const order = () =>
  health
    .inOrder(GATEWAYS.map((gateway) => `${gateway}/ipfs/x`))
    .map((url) => url.slice(8, 9))
    .join("");
const fail = (gateway: string, times = 1) => {
  for (let time = 0; time < times; time++) health.note(gateway, false);
};

describe("a gateway", () => {
  it("keeps its place after two failures and loses it after three", () => {
    fail(A, 2);
    expect(order()).toBe("abc");

    fail(A);
    expect(order()).toBe("bca");
  });

  it("starts its count anew with every answer", () => {
    fail(A, 2);
    health.note(A, true);
    fail(A, 2);

    expect(order()).toBe("abc");
  });

  it("is back in its place after 60 seconds, and paused again by one more failure", () => {
    fail(A, 3);
    clock += 59_999;
    expect(order()).toBe("bca");
    clock += 1;
    expect(order()).toBe("abc");

    fail(A);
    expect(order()).toBe("bca");
    clock += 60_000;
    expect(order()).toBe("abc");
  });

  it("is back at once when it answers from the end of the order", () => {
    fail(A, 3);
    health.note(A, true);

    expect(order()).toBe("abc");
  });

  it("is judged by its own answers alone", () => {
    fail(A, 2);
    fail(B, 2);
    fail(A);

    expect(order()).toBe("bca");
  });
});

describe("the order", () => {
  it("of those that are paused is the configured one", () => {
    fail(B, 3);
    fail(A, 3);

    expect(order()).toBe("cab");
  });

  it("is the configured one while all are paused: each is still asked", () => {
    for (const gateway of GATEWAYS) fail(gateway, 5);

    expect(order()).toBe("abc");
  });

  it("keeps a lone gateway", () => {
    const lone = createGatewayHealth([A], () => clock);
    for (let time = 0; time < 10; time++) lone.note(A, false);

    expect(lone.inOrder([`${A}/ipfs/x`])).toEqual([`${A}/ipfs/x`]);
  });

  it("leaves the URLs of others where they are, however alike", () => {
    fail(A, 3);

    expect(health.inOrder(["https://a.example.org/x", `${A}/ipfs/x`, `${B}/ipfs/x`])).toEqual([
      "https://a.example.org/x",
      `${B}/ipfs/x`,
      `${A}/ipfs/x`,
    ]);
    health.note("https://stranger.example", false);
    expect(health.inOrder(["https://stranger.example/x", `${B}/ipfs/x`])).toHaveLength(2);
  });
});

describe("a gateway that sends other bytes", () => {
  it("is asked last and distrusted for ten minutes, whatever it answers meanwhile", () => {
    expect(health.noteMismatch(A)).toBe(true);
    health.note(A, true);
    clock += 599_999;
    expect([order(), health.isDistrusted(A), health.isDistrusted(B)]).toEqual(["bca", true, false]);
    // It is paused for that already.
    expect(health.noteMismatch(A)).toBe(false);

    clock += 600_000;
    expect([order(), health.isDistrusted(A)]).toEqual(["abc", false]);
  });
});

describe("a gateway that gives no blocks", () => {
  it("is asked after those that may, and before those that are paused, for ten minutes", () => {
    health.noteBlocks(A, false);
    fail(B, 3);
    expect([order(), health.blocksOf(A)]).toEqual(["cab", "none"]);

    clock += 600_000;
    expect([order(), health.blocksOf(A)]).toEqual(["abc", "unknown"]);
  });

  it("is remembered for the blocks it gave until it gives none", () => {
    health.noteBlocks(A, true);
    clock += 10_000_000;
    expect(health.blocksOf(A)).toBe("given");

    health.noteBlocks(A, false);
    expect(health.blocksOf(A)).toBe("none");
    expect(health.blocksOf("https://stranger.example")).toBe("unknown");
  });
});
