/** Where pictures are kept: one storage interface, today over a directory. */

import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Disk } from "flydrive";
import { FSDriver } from "flydrive/drivers/fs";

// Beside what is served and on the same file system, so that a rename is all that is left to do.
const PARTS = "parts";
// No write takes that long; what is older was left by a crash.
const PART_KEPT_MS = 3_600_000;

/** The library writes in place: a crash would leave half a picture under a name that promises the whole. */
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
        // A rename may reach the disk before the content does.
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

/** What is put appears whole or not at all. Replicas share the directory. */
export const createDisk = (folder: string): Disk => new Disk(new AtomicFsDriver(folder));

/** The key of a picture; spread over folders, since tools are slow with a million files in one. */
export const keyOf = (name: string): string => `images/${name.slice(0, 2)}/${name}`;

/** Deletes what writes that were cut short have left; answers how many files went. */
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
