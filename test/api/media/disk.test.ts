import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createDisk } from "../../../src/api/media/storage/disk.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import { BootError } from "../../../src/boot-error.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-disk-"));
const disk = createDisk(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAME = `${"ab".repeat(32)}.png`;

describe("the disk", () => {
  it("shows a picture whole or not at all while it is written", async () => {
    const bytes = Buffer.alloc(20_000_000, "x");
    const seen = new Set<number>();
    let isDone = false;
    const watching = (async () => {
      while (!isDone)
        if (await disk.exists(storageKey(NAME))) seen.add((await disk.getBytes(storageKey(NAME))).length);
    })();

    for (let round = 0; round < 5; round++) await disk.put(storageKey(NAME), bytes);
    isDone = true;
    await watching;

    expect([...seen]).toEqual([bytes.length]);
    expect(readdirSync(join(folder, "parts"))).toEqual([]);
  });

  it("leaves nothing behind of a write that fails", async () => {
    mkdirSync(join(folder, "images/cd/taken"), { recursive: true });

    await expect(disk.put("images/cd/taken", "x")).rejects.toThrow();

    expect(readdirSync(join(folder, "parts"))).toEqual([]);
  });

  it("keeps to its folder", async () => {
    await expect(disk.put("../outside", "x")).rejects.toThrow();

    expect(existsSync(join(folder, "../outside"))).toBe(false);
  });

  it("is swept of writes that a crash cut short, and not of those under way", async () => {
    mkdirSync(join(folder, "parts"), { recursive: true });
    for (const name of ["old", "new"]) writeFileSync(join(folder, "parts", name), "half");
    utimesSync(join(folder, "parts/old"), new Date(), new Date(Date.now() - 2 * 3_600_000));

    expect(await disk.sweepParts()).toBe(1);
    expect(readdirSync(join(folder, "parts"))).toEqual(["new"]);
  });

  it("is swept while pictures are written, whose parts are gone the next moment", async () => {
    const names = Array.from({ length: 600 }, (_, n) => `${n.toString(16).padStart(64, "0")}.png`);
    let isDone = false;
    const writing = Promise.all(
      [0, 1, 2].map(async (writer) => {
        for (const [n, name] of names.entries()) if (n % 3 === writer) await disk.put(storageKey(name), "x");
      }),
    ).finally(() => (isDone = true));

    try {
      while (!isDone) expect(await disk.sweepParts()).toBe(0);
    } finally {
      await writing;
    }
  });

  it("lists its pictures beside files that are none of its own", async () => {
    const own = createDisk(join(folder, "strays"));
    await own.put(storageKey(NAME), "x");
    for (const stray of [".DS_Store", "ab/.DS_Store"])
      writeFileSync(join(folder, "strays/images", stray), "x");
    symlinkSync("/nowhere", join(folder, "strays/images/cd"));

    const listed: string[] = [];
    for await (const { name } of own.listPictures()) listed.push(name);

    expect(listed).toEqual([NAME]);
  });

  it("lists its pictures without those of a folder that is removed meanwhile", async () => {
    const own = createDisk(join(folder, "removed"));
    const names = ["ab", "cd"].map((place) => `${place.repeat(32)}.png`);
    for (const name of names) await own.put(storageKey(name), "x");

    const listed: string[] = [];
    for await (const { name } of own.listPictures()) {
      listed.push(name);
      const other = names.find((each) => each !== name) ?? "";
      rmSync(dirname(join(folder, "removed", storageKey(other))), { recursive: true });
    }

    expect(listed).toHaveLength(1);
  });

  it("lists its pictures without those that are deleted meanwhile", async () => {
    const own = createDisk(join(folder, "listed"));
    const names = Array.from({ length: 20 }, (_, n) => `${"ab".repeat(31)}${String(n).padStart(2, "0")}.png`);
    for (const name of names) await own.put(storageKey(name), "x");

    const listed: string[] = [];
    for await (const { name } of own.listPictures()) {
      listed.push(name);
      await own.deleteMany(names.filter((each) => each !== name).map(storageKey));
    }

    expect(listed).toHaveLength(1);
  });

  it.runIf(process.platform === "linux")(
    "fails a write where no folder can be made, and does not try for ever",
    async () => {
      const nowhere = createDisk("/proc/vitrine/media");

      await expect(nowhere.put(storageKey(NAME), "x")).rejects.toMatchObject({ cause: { code: "ENOENT" } });
    },
  );

  it("is refused where a file is, or is above it", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");

    for (const taken of [file, join(file, "media/deep")])
      await expect(createDisk(taken).check()).rejects.toThrow(
        new BootError(
          `file:${taken} can't hold images: ${file} is not a folder; a store (MEDIA_STORE) needs one.`,
        ),
      );
    await expect(createDisk(join(folder, "new/deep")).check()).resolves.toBeUndefined();
    expect(existsSync(join(folder, "new"))).toBe(false);
  });

  it("that was never written to has nothing to sweep", async () => {
    expect(await createDisk(join(folder, "never")).sweepParts()).toBe(0);
  });
});
