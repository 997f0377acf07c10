/** Storage of pictures: one interface, currently over a directory. */

import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Disk } from "flydrive";
import { FSDriver } from "flydrive/drivers/fs";

// On the same file system as the served files, so that a rename publishes a file.
const PARTS = "parts";
// No write takes that long; anything older is left from a crash.
const PART_KEPT_MS = 3_600_000;

/** The library writes in place: a crash would leave a partial picture under its final name. */
class AtomicFsDriver extends FSDriver {
  readonly #folder: string;

  constructor(folder: string) {
    super({ location: folder, visibility: "private" });
    this.#folder = folder;
  }

  override async put(key: string, contents: string | Uint8Array): Promise<void> {
    const target = join(this.#folder, key);
    const part = join(this.#folder, PARTS, randomUUID());
    await mkdir(dirname(part), { recursive: true });
    await mkdir(dirname(target), { recursive: true });
    try {
      const file = await open(part, "wx");
      try {
        await file.writeFile(contents);
        // The rename may reach the disk before the content does.
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(part, target);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }
}

/** Files appear complete or not at all. Replicas share the directory. */
export const createDisk = (folder: string): Disk => new Disk(new AtomicFsDriver(folder));

/** The key of a picture, spread over folders because tools are slow with a million files in one. */
export const keyOf = (name: string): string => `images/${name.slice(0, 2)}/${name}`;

/** Deletes files of interrupted writes; returns how many. */
export async function sweepParts(disk: Disk, now: number = Date.now()): Promise<number> {
  let swept = 0;
  const { objects } = await disk.listAll(PARTS);
  for (const each of objects) {
    if (!each.isFile) continue;
    const { lastModified } = await each.getMetaData();
    if (now - lastModified.getTime() < PART_KEPT_MS) continue;
    await disk.delete(each.key);
    swept++;
  }
  return swept;
}
