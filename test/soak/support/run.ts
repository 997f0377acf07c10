/** One soak from start to end: the service as an operator starts it, its traffic, its faults, and the observations. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../../../demo/service.ts";
import { createPlant, type Plant } from "../../faults/support/plant.ts";
import { childrenOf, commandOf } from "../../support/processes/process-state.ts";
import { eventually } from "../../support/processes/world.ts";
import { createKey, OPERATOR_TOKEN } from "../../support/service-key.ts";
import { startChainLife } from "./chain-life.ts";
import { createClient } from "./client.ts";
import { serveDocuments, startPictures } from "./documents.ts";
import { createHeapProbe, type HeapUse, INSPECTABLE } from "./heap.ts";
import { type LogFindings, readLog } from "./log.ts";
import { restKinds, type Subject } from "./rest.ts";
import { rudeKinds } from "./rude.ts";
import { type Sample, startSamples } from "./samples.ts";
import { type StoredEvent, startSubscribers } from "./subscribers.ts";
import { startTraffic, type Tally } from "./traffic.ts";
import { visitorKinds } from "./visitors.ts";

const TOKENS = 300;
const THIRDS = 3;
const OUTAGE_MS = 10_000;
// Fractions of the whole time.
const OUTAGE_AT = 0.45;
const REORG_AT = 0.55;
// Time to retry endpoints, and to answer pending requests.
const EXCUSED_AFTER_MS = 15_000;
// Clients that never read are disconnected after 45 s, and pools close idle connections after 10 s.
const REST_WITHIN_MS = 120_000;
const READ_WITHIN_MS = 240_000;

export interface SoakRun {
  readonly seconds: number;
  readonly samples: readonly Sample[];
  /** Before any traffic, and after all of it, once nothing is running. */
  readonly before: Sample;
  readonly after: Sample;
  /** After a garbage collection, at the end of each third. */
  readonly heap: readonly HeapUse[];
  readonly tallies: readonly Tally[];
  /** Faults in answers, in contract calls, and of stream readers. */
  readonly faults: {
    readonly answers: readonly string[];
    readonly chain: readonly string[];
    readonly events: readonly string[];
  };
  readonly log: LogFindings;
  /** Accepted refreshes, those missing in the database, and those with unfinished entries. */
  readonly refreshes: {
    readonly accepted: number;
    readonly lost: readonly string[];
    readonly open: readonly string[];
  };
  readonly chain: Readonly<Record<string, number>>;
  readonly reorgBlocks: number;
  readonly events: { readonly stored: number; readonly read: number; readonly connections: number };
  /** Whether one process served from start to end. */
  readonly isSameProcess: boolean;
}

/** Takes `minutes` and a few more; rejects if the service does not start, or a part of the soak itself fails. */
export async function soak(minutes: number, seed: number): Promise<SoakRun> {
  const pictures = await startPictures(seed);
  const plant = await createPlant({
    tokens: TOKENS,
    moreOrigins: [pictures],
    env: {
      // The default outside a test runner.
      NODE_ENV: "production",
      TRUSTED_PROXIES: "127.0.0.1,::1",
      // The default registry: there are no delegations, and every query is answered.
      DELEGATE_REGISTRY_31337: "",
      ...INSPECTABLE,
    },
  });
  try {
    const documents = serveDocuments(plant.origin, pictures.url, seed);
    await plant.chain.mineEvery(1);
    const service = await plant.start("supervised");
    await plant.settled();
    const life = await startChainLife(plant, { tokens: TOKENS, documents, seed });
    return await runTraffic({ plant, service, life, minutes, seed });
  } finally {
    await plant.close();
  }
}

interface Parts {
  readonly plant: Plant;
  readonly service: Service;
  readonly life: Awaited<ReturnType<typeof startChainLife>>;
  readonly minutes: number;
  readonly seed: number;
}

async function runTraffic({ plant, service, life, minutes, seed }: Parts): Promise<SoakRun> {
  // The supervisor has other children too, such as the compiler of its bundle.
  const pid = childrenOf(service.process.pid ?? 0).find((child) => commandOf(child).includes("ponder.js"));
  if (pid === undefined) throw new Error("Ponder's process was not found");
  const probe = await createHeapProbe(pid, service.log);
  const client = createClient(Number(new URL(service.baseUrl).port));
  const subject: Subject = {
    client,
    key: await createKey(service),
    operatorToken: OPERATOR_TOKEN,
    chainId: plant.chain.chainId,
    address: plant.address,
    ids: life.ids,
    wallets: [1, 2, 3, 4].map((account) => plant.chain.account(account).address),
    accepted: [],
    images: [],
  };
  const samples = startSamples(plant, { baseUrl: service.baseUrl, pid });
  const before = await samples.take();
  const subscribers = startSubscribers(service.baseUrl, {
    key: subject.key,
    after: await lastEvent(plant),
    seed,
  });
  const kinds = [...restKinds(subject), ...visitorKinds(subject), ...rudeKinds(subject)];
  const startedAt = Date.now();
  const traffic = startTraffic(kinds, seed);
  const seconds = minutes * 60;
  const until = (part: number): Promise<void> =>
    sleep(Math.max(0, startedAt + part * seconds * 1_000 - Date.now()));

  let reorgBlocks = 0;
  const disturb = async (): Promise<void> => {
    await until(OUTAGE_AT);
    let isAway = true;
    client.excused = () => isAway;
    await plant.rpc.goAway();
    await sleep(OUTAGE_MS);
    await plant.rpc.comeBack();
    await sleep(EXCUSED_AFTER_MS);
    isAway = false;
    await until(REORG_AT);
    reorgBlocks = (await life.reorganise()).blocks;
  };
  const heap: HeapUse[] = [];
  const probeHeap = async (): Promise<void> => {
    for (let third = 1; third <= THIRDS; third++) {
      await until(third / THIRDS);
      heap.push(await traffic.pause(probe));
    }
  };
  await Promise.all([disturb(), probeHeap()]);
  const during = samples.all.slice();
  await Promise.all([traffic.stop(), life.stop()]);
  client.close();

  const open = (): Promise<readonly string[]> => openReceipts(plant);
  await eventually(open, (ids) => ids.length === 0, READ_WITHIN_MS).catch(() => undefined);
  await plant.settled();
  const stored = await settledEvents(plant);
  await subscribers.stop(stored.at(-1)?.id ?? 0);
  const isAtRest = (sample: Sample): boolean =>
    sample.descriptors <= before.descriptors && sample.connections <= before.connections;
  // Anything not released shows in the result.
  await eventually(samples.take, isAtRest, REST_WITHIN_MS).catch(() => undefined);
  const after = await samples.take();
  await samples.stop();

  return {
    seconds,
    samples: during,
    before,
    after,
    heap,
    tallies: traffic.tallies,
    faults: { answers: traffic.faults, chain: life.faults, events: subscribers.faults(stored) },
    log: readLog(service.log()),
    refreshes: {
      accepted: subject.accepted.length,
      lost: await unknownReceipts(plant, subject.accepted),
      open: await open(),
    },
    chain: life.counts,
    reorgBlocks,
    events: {
      stored: stored.length,
      read: subscribers.events(),
      connections: subscribers.connections(),
    },
    isSameProcess: childrenOf(service.process.pid ?? 0).includes(pid),
  };
}

async function lastEvent(plant: Plant): Promise<number> {
  const [row] = await plant.query<{ last: number }>("select last::int as last from vitrine.event_counter");
  return row?.last ?? 0;
}

/** All events, once no new one has arrived for a while. */
async function settledEvents(plant: Plant): Promise<StoredEvent[]> {
  let last = -1;
  await eventually(
    async () => {
      const before = last;
      last = await lastEvent(plant);
      await sleep(3_000);
      return last === before;
    },
    Boolean,
    READ_WITHIN_MS,
  );
  return plant.query("select id::int as id, subject from vitrine.event order by id");
}

async function openReceipts(plant: Plant): Promise<readonly string[]> {
  const rows = await plant.query<{ id: string }>(
    "select distinct receipt_id as id from vitrine.receipt_token where status is null",
  );
  return rows.map(({ id }) => id);
}

async function unknownReceipts(plant: Plant, accepted: readonly string[]): Promise<readonly string[]> {
  const rows = await plant.query<{ id: string }>("select id from vitrine.receipt");
  const known = new Set(rows.map(({ id }) => id));
  return accepted.filter((id) => !known.has(id));
}
