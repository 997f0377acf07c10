import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import type { Random } from "../support/random.ts";
import { type LocalServer, startLocalServer } from "../support/servers/local-server.ts";
import { accept, disorder, type Receiver, startReceiver } from "../support/servers/webhook-receiver.ts";
import { createKey } from "../support/service-key.ts";
import { createDice } from "./support/dice.ts";
import { say, startWatch } from "./support/figures.ts";
import { createPlant, type Plant } from "./support/plant.ts";

const TOKENS = 40;
const KILLS = 20;
// The others are of the replica; the indexer goes on.
const KILLS_PER_KILL_OF_ALL = 5;
const ROUNDS_PER_LIFE = 3;
// From a process's readiness to its end.
const LIFE_MAX_MS = 2_500;
const ENDS_WITHIN_MS = 240_000;
// Ponder starts more than twenty times.
const TEST_MAX_MS = 1_500_000;
const RETRIES = "0.3,0.5,1,1,2,2,2,5,5,5,5,5,5,5,5,5,5,5,5,5";

let plant: Plant;
let indexer: Service;
let replica: Service;
let dice: Random;
// Each has a fault of its own; `secret` must never hear of anything.
let failing: Receiver;
let stalling: Receiver;
let lying: Receiver;
let restarting: Receiver;
let secret: LocalServer;
let key: string;

const start = (role: "indexer" | "replica"): Promise<Service> => {
  const hosts = [plant.origin, failing, stalling, lying, restarting].map(({ host }) => host);
  return plant.start(role, {
    ALLOW_PRIVATE_HOSTS: hosts.join(","),
    WEBHOOK_RETRY_SECONDS: RETRIES,
  });
};

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${indexer.baseUrl}/market-partner/webhooks${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
  return { status: response.status, body: (await response.json()) as any };
}

async function register(receiver: Receiver, url = `${receiver.url}/hook`): Promise<string> {
  const { status, body } = await call("POST", "", { url, event_types: ["lock", "unlock"] });
  expect([status, body.code]).toEqual([201, undefined]);
  receiver.secrets.set("/hook", body.secret);
  return body.id;
}

beforeAll(async () => {
  dice = createDice("webhooks");
  plant = await createPlant({ tokens: TOKENS });
  [failing, stalling, lying, restarting] = await Promise.all([
    startReceiver(),
    startReceiver(),
    startReceiver(),
    startReceiver(),
  ]);
  secret = await startLocalServer((_request, response) => void response.end());
  const owner = plant.chain.account(0).address;
  await plant.chain.write(plant.heroes, "updateApprovedContracts", [[owner], [true]]);
  await plant.chain.mineEvery(1);
  indexer = await start("indexer");
  replica = await start("replica");
  await plant.settled();
  key = await createKey(indexer);
});
afterAll(async () => {
  await plant?.close();
  await Promise.all([failing, stalling, lying, restarting, secret].map((each) => each?.close()));
});

it(
  "twenty kills lose nothing and put nothing out of order per token, at receivers that fail, stall, lie and restart",
  async () => {
    const watch = startWatch("webhooks");
    failing.answering = (message, response) => {
      if (dice.next() < 0.3) response.writeHead(dice.next() < 0.5 ? 500 : 429).end();
      else accept(message, response);
    };
    stalling.answering = (message, response) => {
      if (dice.next() >= 0.02) accept(message, response);
    };
    lying.answering = (_message, response) =>
      void response.writeHead(307, { location: `http://127.0.0.1:${secret.port}/` }).end();
    const honest = [failing, stalling, restarting];
    const registered = await Promise.all(honest.map((receiver) => register(receiver)));
    const redirected = await register(lying);
    const disguised = await call("POST", "", { url: `https://localhost:${secret.port}/hook` });

    const ids = Array.from({ length: TOKENS }, (_, index) => BigInt(index + 1));
    let isLocked = false;
    for (let kill = 1; kill <= KILLS; kill++) {
      for (let round = 0; round < ROUNDS_PER_LIFE; round++) {
        await plant.callAll(
          isLocked ? "unlockId" : "lockId",
          ids.map((id) => [id]),
        );
        isLocked = !isLocked;
      }
      if (kill % 4 === 0) await restarting.shut();
      await sleep(dice.whole(0, LIFE_MAX_MS));
      // Ponder waits half a minute for the schema of a killed indexer, and publishes nothing meanwhile.
      const isAll = kill % KILLS_PER_KILL_OF_ALL === 0;
      await Promise.all([replica.stop("SIGKILL"), isAll && indexer.stop("SIGKILL")]);
      if (kill % 4 === 0) await restarting.open();
      if (isAll) indexer = await start("indexer");
      replica = await start("replica");
      say({ kill, accepted: honest.map(({ accepted }) => accepted.length).join(" ") });
    }

    const events = KILLS * ROUNDS_PER_LIFE * TOKENS;
    const accepted = (receiver: Receiver) => new Set(receiver.accepted.map(({ id }) => id)).size;
    await eventually(
      async () => honest.map(accepted),
      (counts) => counts.every((count) => count >= events),
      ENDS_WITHIN_MS,
    );
    const published = await plant.query<{ id: string }>(
      "select id from vitrine.event where type in ('lock', 'unlock') order by id",
    );
    const all = published.map(({ id }) => Number(id));
    watch.report({
      kills: KILLS,
      events: all.length,
      ...Object.fromEntries(
        Object.entries({ failing, stalling, restarting }).map(([name, each]) => [
          `${name}_messages`,
          each.messages.length,
        ]),
      ),
      lying_messages: lying.messages.length,
    });

    expect(all).toHaveLength(events);
    for (const receiver of honest) {
      const received = [...new Set(receiver.accepted.map(({ data }) => data.id))].sort((a, b) => a - b);
      expect(received).toEqual(all);
      expect(disorder(receiver.accepted)).toEqual([]);
      expect(disorder(receiver.messages)).toEqual([]);
      expect(receiver.forged).toEqual([]);
    }
    for (const id of registered) {
      const { body } = await call("GET", `/${id}`);
      expect(body).toMatchObject({ status: "active" });
    }
    expect(secret.connections()).toBe(0);
    expect(disguised).toMatchObject({
      status: 400,
      body: { details: [{ path: "url", message: "must be public; localhost is this machine" }] },
    });
    const { body } = await call("GET", `/${redirected}`);
    expect(body.failing_since ?? body.paused_at).not.toBeNull();
    expect(body.pending).toBeGreaterThan(0);
  },
  TEST_MAX_MS,
);
