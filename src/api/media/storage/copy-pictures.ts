/** Copies the pictures of one store to another. */

import { createHash } from "node:crypto";
import { createConcurrencyLimit } from "../../async/concurrency.ts";
import { type MediaDisk, type StoredPicture, storageKey } from "./media-disk.ts";

const COPIES_AT_ONCE = 8;

export interface CopyResult {
  /** Pictures of the source. */
  readonly total: number;
  readonly copied: number;
  /** Bytes copied. */
  readonly bytes: number;
  /** Already at the target, with the same size. */
  readonly present: number;
  readonly failed: number;
}

export interface CopyOptions {
  readonly from: MediaDisk;
  readonly to: MediaDisk;
  readonly onProgress: (result: CopyResult) => void;
  /** Called for a picture that could not be copied; the rest is copied all the same. */
  readonly onFailure: (name: string, reason: string) => void;
}

/**
 * Copies the pictures that the target lacks or has with another size; deletes nothing else. A picture whose content does
 * not match its name fails. Run again, it copies what is missing then. Rejects if a store can't be listed.
 */
export async function copyPictures({ from, to, onProgress, onFailure }: CopyOptions): Promise<CopyResult> {
  const sizes = new Map<string, number>();
  for await (const { name, bytes } of to.listPictures()) sizes.set(name, bytes);
  const pictures: StoredPicture[] = [];
  for await (const picture of from.listPictures()) pictures.push(picture);

  let result: CopyResult = { total: pictures.length, copied: 0, bytes: 0, present: 0, failed: 0 };
  const add = (change: Partial<CopyResult>): void => {
    result = { ...result, ...change };
    onProgress(result);
  };

  async function copy({ name }: StoredPicture): Promise<void> {
    const size = sizes.get(name);
    try {
      const content = await from.getBytes(storageKey(name));
      const hash = createHash("sha256").update(content).digest("hex");
      if (!name.startsWith(hash)) throw new Error("its content does not match its name");
      // A bucket writes nothing over what it has.
      if (size !== undefined) await to.delete(storageKey(name));
      await to.put(storageKey(name), content);
      add({ copied: result.copied + 1, bytes: result.bytes + content.length });
    } catch (error) {
      const { message, cause } = error as Error;
      onFailure(name, cause instanceof Error ? cause.message : message);
      add({ failed: result.failed + 1 });
    }
  }

  onProgress(result);
  const limit = createConcurrencyLimit(COPIES_AT_ONCE);
  await Promise.all(
    pictures.map((picture) =>
      sizes.get(picture.name) === picture.bytes
        ? add({ present: result.present + 1 })
        : limit(() => copy(picture)),
    ),
  );
  return result;
}
