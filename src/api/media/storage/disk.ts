/** Opens the store of pictures, and the driver of one in a folder. */

import { randomUUID } from "node:crypto";
import type { Dir, Stats } from "node:fs";
import { access, constants, open, opendir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FSDriver } from "flydrive/drivers/fs";
import { BootError } from "../../../boot-error.ts";
import { makeFolder } from "../../data-folder.ts";
import { type StoreAddress, showStore } from "../../store-address.ts";
import { BucketDriver } from "./bucket.ts";
import { MediaDisk, type MediaDriver, PICTURE_NAME, type StoredPicture } from "./media-disk.ts";

// On the same file system as the served files, so that a rename publishes a file.
const PARTS = "parts";
// No write takes that long; anything older is left from a crash.
const PART_KEPT_MS = 3_600_000;

/** The library writes in place: a crash would leave a partial picture under its final name. */
class AtomicFsDriver extends FSDriver implements MediaDriver {
  readonly #folder: string;

  constructor(folder: string) {
    super({ location: folder, visibility: "private" });
    this.#folder = folder;
  }

  override async put(key: string, contents: string | Uint8Array): Promise<void> {
    const target = join(this.#folder, key);
    const part = join(this.#folder, PARTS, randomUUID());
    await makeFolder(dirname(part));
    await makeFolder(dirname(target));
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

  async *listPictures(): AsyncGenerator<StoredPicture> {
    const images = join(this.#folder, "images");
    for (const place of await namesIn(images)) {
      for await (const { name } of (await folderIn(images, place)) ?? []) {
        if (!PICTURE_NAME.test(name)) continue;
        const found = await statOf(join(images, place, name));
        if (found) yield { name, bytes: found.size };
      }
    }
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.delete(key);
  }

  async sweepParts(now: number): Promise<number> {
    let swept = 0;
    for (const name of await namesIn(join(this.#folder, PARTS))) {
      const part = join(this.#folder, PARTS, name);
      const found = await statOf(part);
      if (!found || now - found.mtimeMs < PART_KEPT_MS) continue;
      await rm(part, { force: true });
      swept++;
    }
    return swept;
  }

  /** It is created with the first picture, in what is there of its path now. */
  async check(): Promise<string | undefined> {
    const store = showStore({ kind: "folder", folder: this.#folder });
    const { path, isFolder } = await existing(this.#folder);
    if (!isFolder)
      throw new BootError(
        `${store} can't hold images: ${path} is not a folder; a store (MEDIA_STORE) needs one.`,
      );
    try {
      await access(path, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return `${store} can't be written (${code} at ${path}), so no new image can be stored`;
    }
  }
}

/** None for a folder that is not there. */
const namesIn = async (folder: string): Promise<string[]> => (await ifThere(readdir(folder))) ?? [];

/** Undefined for a file, such as those that desktops leave, or a folder that was removed after its own was read. */
const folderIn = (folder: string, name: string): Promise<Dir | undefined> =>
  ifThere(opendir(join(folder, name)), ["ENOENT", "ENOTDIR"]);

/** The path itself or, if nothing is there, the closest one above it where something is. */
async function existing(path: string): Promise<{ readonly path: string; readonly isFolder: boolean }> {
  try {
    return { path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What is above may be a file, or a folder that must not be searched.
    const isAbove = code === "ENOENT" || code === "ENOTDIR" || code === "EACCES";
    if (isAbove && dirname(path) !== path) return existing(dirname(path));
    throw error;
  }
}

/** Undefined for a file that was renamed or deleted after its folder was read. */
const statOf = (path: string): Promise<Stats | undefined> => ifThere(stat(path));

async function ifThere<Found>(
  found: Promise<Found>,
  absent: readonly (string | undefined)[] = ["ENOENT"],
): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (absent.includes((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}

/** Connects to nothing yet; `check` does. Replicas share the store. */
export const openStore = (store: StoreAddress): MediaDisk =>
  new MediaDisk(store.kind === "folder" ? new AtomicFsDriver(store.folder) : new BucketDriver(store));

/** The store in a folder. */
export const createDisk = (folder: string): MediaDisk => openStore({ kind: "folder", folder });
