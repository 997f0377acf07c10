import { expect, it, vi } from "vitest";
import { createFaultIsolation } from "../../../src/api/jobs/fault-isolation.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";

const fault = (code: string) => Object.assign(new Error("canceling statement"), { code });

function start() {
  const { logger, entries } = createMemoryLogger();
  const isolation = createFaultIsolation("do it", logger);
  const fail = vi.fn(async () => {
    throw fault("57014");
  });
  return { isolation, entries, fail };
}

it("work that fails is logged and undefined, and other work is done", async () => {
  const { isolation, entries, fail } = start();

  expect(await isolation.run({ chain_id: 1 }, fail)).toBeUndefined();
  expect(await isolation.run({ chain_id: 2 }, async () => "done")).toBe("done");

  expect(entries).toMatchObject([{ msg: "Could not do it", chain_id: 1, reason: "canceling statement" }]);
});

it("work that has failed rests before it is tried again", async () => {
  const { isolation, fail } = start();

  for (let nth = 0; nth < 3; nth++) expect(await isolation.run({ chain_id: 1 }, fail)).toBeUndefined();
  expect(fail).toHaveBeenCalledTimes(1);

  await vi.waitFor(
    async () => expect(await isolation.run({ chain_id: 1 }, async () => "done")).toBe("done"),
    5_000,
  );
  expect(await isolation.run({ chain_id: 1 }, async () => "again")).toBe("again");
});

it("rejects while the database is away", async () => {
  const { isolation, entries } = start();
  const away = async () => {
    throw fault("57P01");
  };

  await expect(isolation.run({ chain_id: 1 }, away)).rejects.toThrow("canceling statement");
  expect(await isolation.run({ chain_id: 1 }, async () => "done")).toBe("done");
  expect(entries).toEqual([]);
});
