/** Fields of Ponder's that fail: what the answer says while the database is away, and how soon. */

import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { redactError } from "../../../src/api/graphql/routes.ts";
import { createHarness, type Harness } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;
let harness: Harness;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
  await ponder.run(
    "create table _ponder_checkpoint (chain_name text, chain_id bigint, latest_checkpoint text, safe_checkpoint text)",
  );
  harness = await createHarness(ponder, { redactError });
});
afterAll(() => ponder.close());
afterEach(() => {
  vi.unstubAllEnvs();
  harness.reported.length = 0;
});

/** Has each statement fail, as it does with this error. */
function failWith(error: Error): { stop(): void } {
  const query = vi.spyOn(pg.Pool.prototype, "query").mockRejectedValue(error as never);
  return { stop: () => query.mockRestore() };
}

const away = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), { code: "ECONNREFUSED" });

describe.each(["test", "production"])("with NODE_ENV %s", (env) => {
  it.each([
    ["a list", "{ tokens { items { id } } }", "tokens"],
    ["a row", '{ token(id: "1") { id } }', "token"],
    ["a count", "{ tokens { totalCount } }", "tokens"],
    ["_meta", "{ _meta { status } }", "_meta"],
    ["a list beside a field of ours", "{ tokens { items { id } } viewer }", "tokens"],
  ])("%s says that the database is away, and when to try again", async (_what, query, field) => {
    vi.stubEnv("NODE_ENV", env);
    const { stop } = failWith(away);
    const { errors } = await harness.ask(query).finally(stop);

    expect(errors).toEqual([
      expect.objectContaining({
        message: "Service unavailable",
        path: [field],
        extensions: { code: "UNAVAILABLE", retryAfter: 5 },
      }),
    ]);
    expect(harness.reported).toEqual([]);
  });

  it("another fault is reported, and its text is not passed on", async () => {
    vi.stubEnv("NODE_ENV", env);
    const { stop } = failWith(new Error('column "secret" is ambiguous'));
    const { errors } = await harness.ask("{ tokens { items { id } } }").finally(stop);

    expect(errors).toMatchObject([{ message: "Internal server error", extensions: { code: "INTERNAL" } }]);
    expect(harness.reported).toHaveLength(1);
  });
});

it.each([
  ["a column", "{ blocks { items { chainId } } }", /^this field can't return a chain's id of 2\^31 or more/],
  ["a row", '{ block(chainId: 2147483648, number: "5") { number } }', /whole number of 32 bits/],
  ["a condition", "{ blocks(where: { chainId: 2147483648 }) { items { number } } }", /non 32-bit/],
])(
  "a chain's id that Int can't hold is refused with the reason, and not as a fault: %s",
  async (_what, query, reason) => {
    await ponder.run("insert into block values (2147483648, 5, 1)");
    const asked = ponder.received.length;
    const { errors } = await harness
      .ask(query)
      .finally(() => ponder.run("delete from block where number = 5"));

    expect(errors).toMatchObject([
      { message: expect.stringMatching(reason), extensions: { code: "INVALID_REQUEST" } },
    ]);
    expect(harness.reported).toEqual([]);
    expect(ponder.received.length - asked).toBeLessThanOrEqual(1);
  },
);

it("the largest chain's id that Int can hold is served", async () => {
  await ponder.run("insert into block values (2147483647, 5, 1)");
  const answer = await harness
    .ask('{ block(chainId: 2147483647, number: "5") { chainId } }')
    .finally(() => ponder.run("delete from block where number = 5"));

  expect(answer).toEqual({ data: { block: { chainId: 2_147_483_647 } } });
});

it("_meta and counts are read once: Ponder's own retries take a minute", async () => {
  const { readonlyQB } = (globalThis as unknown as { PONDER_DATABASE: { readonlyQB: object } })
    .PONDER_DATABASE;
  const wrap = vi.spyOn(readonlyQB as { wrap(): Promise<unknown> }, "wrap");

  expect(await harness.ask("{ _meta { status } tokens(limit: 1) { totalCount } }")).toEqual({
    data: { _meta: { status: {} }, tokens: { totalCount: 5 } },
  });
  expect(wrap).not.toHaveBeenCalled();
});
