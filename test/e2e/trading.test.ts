import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { eventually } from "../support/eventually.ts";
import { type EventReader, type ReadEvent, readEvents } from "../support/http/event-reader.ts";
import { createKey } from "../support/service-key.ts";

const SCHEMA = "trading";
const POLL_MS = 10;
// After a reorg, Ponder may request the logs of a reverted block for 64 seconds before it continues.
const AFTER_REORG_MS = 90_000;
// A full restart, on a machine that may be busy.
const CRASH_TIMEOUT_MS = 240_000;
/** Each is locked and unlocked once. */
const STORM_TOKENS = 2_500;
const TOKENS_PER_CALL = 250;

let chain: Chain;
let heroes: Contract;
let storm: Contract;
let site: Site;
let service: Service;
let key: string;
beforeAll(async () => {
  chain = await startChain();
  [heroes, storm] = [
    await chain.deploy("VitrineHeroes", ["http://127.0.0.1:1/"]),
    await chain.deploy("EventStorm"),
  ];
  await chain.write(heroes, "mintRange", [chain.account(1).address, 1n, 8n]);
  await chain.write(heroes, "updateApprovedContracts", [[game().address], [true]]);
  // The guard trusts a chain index only while blocks keep coming.
  await chain.mineEvery(1);
  site = await createSite([{ chain, collections: [heroes, storm].map(lower) }]);
  service = await site.start(SCHEMA);
  key = await createKey(service);
});
afterAll(() => site.close());

const game = () => chain.account(9);
const lock = (id: bigint) => chain.write(heroes, "lockId", [id], game());
const unlock = (id: bigint) => chain.write(heroes, "unlockId", [id], game());

const listen = (query: string): Promise<EventReader> =>
  readEvents(`${service.baseUrl}/market/events?apiKey=${key}&type=lock,unlock&${query}`);

async function blow(first: number, count: number): Promise<void> {
  const calls = Array.from({ length: count / TOKENS_PER_CALL }, (_, index) =>
    chain.write(storm, "storm", [BigInt(first + index * TOKENS_PER_CALL), BigInt(TOKENS_PER_CALL)]),
  );
  await Promise.all(calls);
}

interface Check {
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly as_of_block: number | null;
}

async function check(id: bigint): Promise<Check> {
  const response = await fetch(`${service.baseUrl}/market/trade_checks`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      action: "trade",
      items: [{ collection_address: lower(heroes), token_id: String(id) }],
    }),
  });
  const body = (await response.json()) as { items: Check[] };
  if (!body.items?.[0]) throw new Error(JSON.stringify(body));
  return body.items[0];
}

it("a lock that the chain reverts is followed by `reverted`, naming it", async () => {
  const reader = await listen(`collection_address=${lower(heroes)}`);
  onTestFinished(() => reader.close());
  const snapshot = await chain.snapshot();
  await lock(1n);
  const [locked] = await reader.until(1);
  expect(locked).toMatchObject({ event: "lock", data: { token_id: "1", lock_count: 1 } });

  const head = await chain.blockNumber();
  await chain.revert(snapshot);
  await chain.mine(Number(head - (await chain.blockNumber())) + 1);

  const [, reverted] = await reader.until(2, AFTER_REORG_MS);
  expect(reverted).toMatchObject({
    event: "reverted",
    data: { reverts: locked?.id, reverted_type: "lock", token_id: "1" },
  });
  await eventually(
    () => check(1n),
    ({ allowed }) => allowed,
    AFTER_REORG_MS,
  );
});

it("a trade is refused from the block of the lock on, and allowed again after the unlock", async () => {
  await eventually(
    () => check(2n),
    ({ allowed }) => allowed,
  );
  const answers: Check[] = [];
  const ask = async (): Promise<Check> => {
    const answer = await check(2n);
    answers.push(answer);
    return answer;
  };
  const [{ blockNumber }] = await Promise.all([
    lock(2n),
    eventually(ask, ({ reason }) => reason === "locked"),
  ]);

  const since = answers.filter(({ as_of_block }) => as_of_block !== null && as_of_block >= blockNumber);
  expect(since.length).toBeGreaterThan(0);
  expect(since.filter(({ allowed }) => allowed)).toEqual([]);
  await unlock(2n);
  await eventually(
    () => check(2n),
    ({ allowed }) => allowed,
  );
});

describe("a crash in the middle of 5,000 events", () => {
  let before: EventReader;
  const after: EventReader[] = [];
  const answers: Check[] = [];

  beforeAll(async () => {
    before = await listen("last_event_id=0");
    await blow(0, STORM_TOKENS / 2);
    await before.until(500);
    // A restart reverts the 30 unsettled blocks: the lock must still be among them when the service is ready.
    await chain.mineEvery(3);
    await lock(3n);
    await eventually(
      () => check(3n),
      ({ reason }) => reason === "locked",
    );

    // The other half arrives while the service is down.
    await Promise.all([service.stop("SIGKILL"), blow(STORM_TOKENS / 2, STORM_TOKENS / 2)]);
    service = await site.spawn(SCHEMA);
    while (answers.at(-1)?.reason !== "locked" && !answers.at(-1)?.allowed) {
      const answer = await check(3n).catch(() => undefined);
      if (answer) answers.push(answer);
      await sleep(POLL_MS);
    }
    await chain.mineEvery(1);
    after.push(await listen(`last_event_id=${before.lastId}`));
  }, CRASH_TIMEOUT_MS);

  it("never makes a locked token tradable, asked every 10 ms through the restart", async () => {
    expect(answers.filter(({ allowed }) => allowed)).toEqual([]);
    expect(answers.map(({ reason }) => reason)).toContain("index_stale");
    await eventually(
      () => check(4n),
      ({ allowed }) => allowed,
    );
  });

  it("leaves the stream without a gap and nothing in it twice", async () => {
    const isStorm = ({ data }: ReadEvent): boolean => data.collection_address === lower(storm);
    const all = (): ReadEvent[] => [before, ...after].flatMap(({ events }) => events);
    // A stream that ends is taken up again from its last id, as EventSource does.
    const resume = async (): Promise<ReadEvent[]> => {
      if (!after.at(-1)?.isOpen) after.push(await listen(`last_event_id=${all().at(-1)?.id}`));
      return all();
    };
    await eventually(
      resume,
      (events) => events.filter(isStorm).length >= STORM_TOKENS * 2,
      CRASH_TIMEOUT_MS / 2,
    );

    expect(all().map(({ id }) => id)).toEqual(all().map((_, index) => index + 1));
    const sent = all()
      .filter(isStorm)
      .map(({ event, data }) => `${event} ${data.token_id}`);
    const expected = Array.from({ length: STORM_TOKENS }, (_, id) => [`lock ${id}`, `unlock ${id}`]);
    expect(sent.toSorted()).toEqual(expected.flat().toSorted());
  });
});

it("a stop asks subscribers to reconnect, and waits for none of them", async () => {
  const reader = await listen("");

  expect(await service.stop()).toBe(0);

  await eventually(
    () => reader.isOpen,
    (isOpen) => !isOpen,
  );
  expect(reader).toMatchObject({ retry: 2_000, comments: ["the service is stopping"] });
});
