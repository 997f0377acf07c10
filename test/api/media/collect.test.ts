/** Deletes everything unused, and nothing else. */

import { beforeEach, describe, expect, it } from "vitest";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import { collectMedia } from "../../../src/api/media/storage/collect.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { CHAIN_SCHEMA } from "../../support/database/database.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";
import { createMediaHarness } from "./media-harness.ts";
import { gif, png } from "./pictures.ts";

const harness = await createMediaHarness();
const { answers, server, database, disk, media, read, enqueue, settled, rows, pass, startWorker } = harness;
const tables = chainTables(CHAIN_SCHEMA);
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
const collections = [{ chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 }];
const round = collectMedia({ media, metadata, disk, collections });

beforeEach(() => emptyTables(database));

const serve = (tokenId: string, image?: string) =>
  database.transaction((tx) => recordOne(metadata, tx, ref(tokenId), "rest", found({ name: "Hero", image })));
const fileOf = async (image: string): Promise<string> =>
  (await read({ image })).image.url?.split("/").at(-1) ?? "none";

async function cache(path: string, body: Buffer): Promise<string> {
  answers.set(path, { body });
  await enqueue({ image: server.url + path });
  await settled();
  return fileOf(server.url + path);
}

describe("the daily round", () => {
  it("asks for what is served and was never asked for", async () => {
    for (let id = 1; id <= 250; id++) await serve(String(id), `${server.url}/${id % 3}.png`);

    await round.run(database);

    expect((await rows()).map(({ status, isOpen }) => ({ status, isOpen }))).toEqual(
      Array.from({ length: 3 }, () => ({ status: "pending", isOpen: true })),
    );
  });

  it("deletes a replaced picture a day later, and not before", async () => {
    startWorker();
    await serve("1", `${server.url}/a.png`);
    const old = await cache("/a.png", await png(480, 480));
    await pass("1 minute");
    const now = await cache("/a.png", gif(2, 480));
    expect(now).not.toBe(old);

    await round.run(database);
    await pass("23 hours");
    await round.run(database);
    expect(await disk.exists(storageKey(old))).toBe(true);

    await pass("2 hours");
    // With its two variants.
    expect(await round.run(database)).toBe(3);
    expect([await disk.exists(storageKey(old)), await disk.exists(storageKey(now))]).toEqual([false, true]);
    expect(await fileOf(`${server.url}/a.png`)).toBe(now);
  });

  it("keeps a picture that is used again in time", async () => {
    startWorker();
    await serve("1", `${server.url}/a.png`);
    const first = await png(480, 480);
    const name = await cache("/a.png", first);
    await pass("1 minute");
    await cache("/a.png", gif(2, 480));
    await round.run(database);
    await pass("20 hours");
    expect(await cache("/a.png", first)).toBe(name);

    await round.run(database);
    await pass("20 hours");
    await round.run(database);

    expect(await disk.exists(storageKey(name))).toBe(true);
  });

  it("forgets what no served document has named for a week, its picture a day later", async () => {
    startWorker();
    await serve("1", `${server.url}/kept.png`);
    const [kept, gone] = [
      await cache("/kept.png", await png(480, 480)),
      await cache("/gone.png", gif(3, 480)),
    ];

    await pass("6 days");
    await round.run(database);
    expect(await fileOf(`${server.url}/gone.png`)).toBe(gone);
    await pass("2 days");
    await round.run(database);
    await pass("2 days");
    await round.run(database);

    expect((await rows()).map(({ file }) => file)).toEqual([kept]);
    expect([await disk.exists(storageKey(gone)), await disk.exists(storageKey(kept))]).toEqual([false, true]);
  });

  it("keeps an image that has waited for its host for a week, and is named again after its token was read", async () => {
    const image = `${server.url}/waiting.png`;
    await serve("1");
    await enqueue({ image });
    await pass("8 days");
    const named: typeof metadata = {
      ...metadata,
      async readServed(...which) {
        const served = await metadata.readServed(...which);
        await enqueue({ image });
        return served;
      },
    };

    await collectMedia({ media, metadata: named, disk, collections }).run(database);

    expect(await rows()).toMatchObject([{ status: "pending", isOpen: true }]);
  });

  it("forgets nothing when it could not read every served document", async () => {
    startWorker();
    await serve("1", `${server.url}/a.png`);
    await cache("/a.png", await png(480, 480));
    await pass("30 days");
    const broken = { ...metadata, readServed: () => Promise.reject(new Error("the database is away")) };

    await expect(
      collectMedia({ media, metadata: broken, disk, collections }).run(database),
    ).rejects.toThrow();

    expect(await rows()).toHaveLength(1);
  });
});
