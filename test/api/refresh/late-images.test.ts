/** Hosts lag behind their own mints and events with images, too: one that is not there yet is asked for again. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Trigger } from "../../../src/api/refresh/queue/queue.ts";
import { eventually } from "../../support/eventually.ts";
import { createWorkerSetup } from "../../support/processes/worker.ts";
import { ask, emptyTables, found, passSeconds, readQueue } from "../../support/refresh/refresh.ts";
import { createMediaHarness } from "../media/media-harness.ts";
import { png } from "../media/pictures.ts";

const harness = await createMediaHarness();
const { test, database, server, answers, media, read } = harness;
const setup = createWorkerSetup(test);
const fields = { image: `${server.url}/1.png` };

beforeEach(() => emptyTables(database));

/** Documents that name the same image, and the workers that read both. */
async function start(...tokenIds: readonly string[]) {
  await setup.knowTokens(...tokenIds);
  const { worker } = setup.start(({ tokenId }) => found({ name: `Hero ${tokenId}`, ...fields }), { media });
  const probes = harness.startWorker();
  /** Until nothing is due or under way; returns which tokens wait, and for how many seconds. */
  const rest = async () => {
    const queue = await eventually(
      async () => {
        worker.wake();
        probes.wake();
        return readQueue(database);
      },
      (rows) =>
        rows.every(({ lease, requested, done, dueIn }) => !lease && (requested === done || dueIn > 0)),
    );
    await harness.settled();
    return queue.length > 0 ? waitingOf(await readQueue(database)) : [];
  };
  return {
    async ask(trigger: Trigger) {
      await ask(database, tokenIds, { trigger });
      return rest();
    },
    async after(seconds: number) {
      await harness.pass(`${seconds} seconds`);
      await passSeconds(database, seconds);
      return rest();
    },
  };
}

const waitingOf = (rows: Awaited<ReturnType<typeof readQueue>>) =>
  rows.flatMap(({ tokenId, requested, done, dueIn }) => (requested > done ? [[tokenId, dueIn]] : []));
const status = async () => (await read(fields)).image.status;

describe("an image that its host does not have yet", () => {
  it("is there after a recheck of its token, whose document is the same", async () => {
    const tokens = await start("1");
    expect(await tokens.ask("mint")).toEqual([["1", 30]]);
    expect(await status()).toBe("rejected");

    answers.set("/1.png", { body: await png(480, 480) });
    await tokens.after(31);

    expect(await status()).toBe("cached");
  });

  it("is asked for twice more, and then again after a day as any other", async () => {
    const tokens = await start("1");
    const before = harness.asked("/1.png");

    expect(await tokens.ask("event")).toEqual([["1", 30]]);
    expect(await tokens.after(31)).toEqual([["1", 300]]);
    expect(await tokens.after(301)).toEqual([]);
    expect(harness.asked("/1.png") - before).toBe(3);
  });

  it("rechecks one token of those that share it, and none that no event named", async () => {
    const tokens = await start("1", "2");
    const [one, ...others] = await tokens.ask("mint");
    expect([one?.[1], others]).toEqual([30, []]);
    expect(await tokens.after(31)).toEqual([[one?.[0], 300]]);
    expect(await tokens.after(301)).toEqual([]);

    await emptyTables(database);
    await database.query("truncate vitrine.media");
    expect(await (await start("3")).ask("rest")).toEqual([]);
  });

  it("is none that is there and breaks a rule", async () => {
    answers.set("/1.png", { body: await png(300, 300) });

    expect(await (await start("1")).ask("mint")).toEqual([]);
    expect(await status()).toBe("rejected");
  });
});
