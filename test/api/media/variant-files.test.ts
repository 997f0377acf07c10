/** Variants on the disk and in the database: when they are made, made again, replaced and deleted. */

import { describe, expect, it } from "vitest";
import { collectFiles } from "../../../src/api/media/storage/collect.ts";
import { removeUnusedFiles } from "../../../src/api/media/storage/collect-store.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import { addFile, missFile, type NewFile } from "../../../src/api/media/storage/media-file-store.ts";
import { createMediaHarness } from "./media-harness.ts";
import { png } from "./pictures.ts";

const { database, disk, answers, server, enqueue, settled, read, rows, pass, startWorker } =
  await createMediaHarness();
const image = `${server.url}/1.png`;
const nameIn = (url: string | null): string => url?.split("/").at(-1) ?? "";

async function probe(): Promise<void> {
  await enqueue({ image });
  await settled();
}

async function names(): Promise<string[]> {
  const { image: shown } = await read({ image });
  return [shown.url, ...shown.variants.map(({ url }) => url)].map(nameIn);
}

const exist = (files: readonly string[]) => Promise.all(files.map((name) => disk.exists(storageKey(name))));

async function cacheOne(): Promise<string[]> {
  answers.set("/1.png", { body: await png(500, 500), headers: { etag: '"1"' } });
  startWorker();
  await probe();
  return names();
}

describe("a picture from before there were variants", () => {
  it("has none, and gets them at its next probe, though the host says that nothing has changed", async () => {
    const made = await cacheOne();
    await database.query("update vitrine.media_file set placeholder = null, variant_rules = 0");
    await database.query("delete from vitrine.media_variant");
    expect((await read({ image })).image).toMatchObject({
      status: "cached",
      placeholder: null,
      variants: [],
    });

    await pass("1 minute");
    await probe();

    expect(await names()).toEqual(made);
    expect((await read({ image })).image.placeholder).not.toBeNull();
    const reads = server.requests.length;
    await pass("1 minute");
    await probe();
    expect(server.requests.length).toBe(reads + 1);
  });
});

describe("a variant that is gone from the disk", () => {
  it("is made again with its picture when somebody asks for it", async () => {
    const made = await cacheOne();
    const [, , small = ""] = made;
    await disk.delete(storageKey(small));
    await pass("2 minutes");

    await missFile(database, small);
    expect(await rows()).toMatchObject([{ isOpen: true }]);
    await settled();

    expect(await names()).toEqual(made);
    expect(await exist(made)).toEqual([true, true, true]);
  });

  it("that was replaced is not looked for", async () => {
    const [, large = ""] = await cacheOne();
    await database.query("update vitrine.media_variant set unused_since = now() where name = $1", [large]);
    await pass("2 minutes");

    await missFile(database, large);

    expect(await rows()).toMatchObject([{ isOpen: false }]);
  });
});

describe("variants are deleted", () => {
  const file = (name: string, variants: readonly string[] | null): NewFile => ({
    ...{ name, sourceHash: `source of ${name}`, format: "PNG", width: 500, height: 500, placeholder: null },
    variants:
      variants?.map((each) => ({ name: each, type: "image/webp", width: 240, height: 240, bytes: 1 })) ??
      null,
  });
  const store = async (added: NewFile): Promise<void> => {
    await addFile(database, added);
    for (const name of [added.name, ...(added.variants ?? []).map((each) => each.name)])
      await disk.put(storageKey(name), name);
  };

  it("with their picture, but not where another picture shares one", async () => {
    await store(file("a.png", ["a.webp", "both.webp"]));
    await store(file("b.png", ["both.webp"]));
    await database.query(
      "update vitrine.media_file set unused_since = now() - interval '2 days' where name = 'a.png'",
    );
    const removed: string[] = [];

    await removeUnusedFiles(database, 50, async (names) => void removed.push(...names));

    expect(removed.sort()).toEqual(["a.png", "a.webp"]);
    expect(await database.query("select file, name from vitrine.media_variant")).toEqual([
      { file: "b.png", name: "both.webp" },
    ]);
  });

  it("a day after others have taken their place", async () => {
    await store(file("a.png", ["old.webp", "kept.webp"]));
    await store(file("a.png", ["new.webp", "kept.webp"]));
    await database.query(
      "insert into vitrine.media (kind, url_hash, url, host, file) values ('image', '', '', '', 'a.png')",
    );

    await collectFiles(database, disk);
    expect(await exist(["old.webp", "new.webp", "kept.webp"])).toEqual([true, true, true]);

    await pass("25 hours");
    await collectFiles(database, disk);
    expect(await exist(["a.png", "old.webp", "new.webp", "kept.webp"])).toEqual([true, false, true, true]);
  });
});
