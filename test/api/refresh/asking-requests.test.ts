/** The worker names the requests that its fetches are for. */

import { expect, it } from "vitest";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import {
  ask,
  COLLECTION,
  emptyTables,
  failed,
  found,
  makeDue,
  SHARE,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createWorkerSetup(test);
const api = createTestApp(test);
const key = await api.createKey();
for (const id of ["1", "2", "3"]) api.existing.add(id);

async function request(tokenIds: readonly string[]): Promise<string> {
  const path = `/market-partner/collections/${COLLECTION}/refresh_metadata`;
  const { status, headers } = await api.call(path, { key, body: { token_ids: tokenIds } });
  expect(status).toBe(200);
  return headers.get("x-request-id") ?? "";
}

it("logs each request with the outcomes of its own tokens, whoever else waits for them", async () => {
  const both = await request(["1", "2"]);
  const one = await request(["2"]);
  const { log } = setup.start(({ tokenId }) =>
    tokenId === "1" ? found({ name: "Hero" }) : failed("http_status"),
  );

  const outcomes = (id: string): Record<string, number> => {
    const lines = log.filter(({ msg, request_id }) => msg === "Refresh recorded" && request_id === id);
    const sum = (name: string): number => lines.reduce((all, line) => all + Number(line[name] ?? 0), 0);
    return { updated: sum("updated"), failed: sum("failed") };
  };
  await eventually(
    () => outcomes(one),
    ({ failed }) => failed === 1,
  );
  await eventually(
    () => outcomes(both),
    ({ updated, failed }) => updated === 1 && failed === 1,
  );
  expect(outcomes(one)).toEqual({ updated: 0, failed: 1 });
});

it("names the requests in the line of a fetch that fails by a fault of ours", async () => {
  const id = await request(["3"]);
  const { log } = setup.start(() => {
    throw new Error("a fault");
  });

  const line = await eventually(
    () => log.find(({ msg }) => msg === "A refresh failed unexpectedly"),
    (entry) => entry !== undefined,
  );
  expect(line).toMatchObject({ collection: COLLECTION, token_id: "3", request_id: id });
});

it("reads the requests only of what callers asked for: the five oldest that the fetch answers", async () => {
  await emptyTables(database);
  const ids: string[] = [];
  for (let nth = 0; nth < 6; nth++) ids.push(await request(["1"]));
  await database.transaction((tx) => ask(tx, ["2"], { trigger: "event" }));
  await makeDue(database);

  const leases = await claim(database, tables, SHARE, 10);
  const askers = new Map(leases.map((lease) => [lease.tokenId, lease.askers]));

  expect(askers.get("1")?.map(({ requestId }) => requestId)).toEqual(ids.slice(0, 5));
  expect(askers.get("2")).toBeUndefined();
});
