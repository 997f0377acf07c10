/** What the store of pictures can do, whether it is a folder or a bucket. */

import { Disk } from "flydrive";
import type { DriverContract } from "flydrive/types";

export interface StoredPicture {
  readonly name: string;
  readonly bytes: number;
}

/** A picture appears complete or not at all. */
export interface MediaDriver extends DriverContract {
  /** Every picture, read in pages. */
  listPictures(): AsyncIterable<StoredPicture>;
  /** Deletes these keys, present or not. Rejects if any could not be deleted. */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Deletes what writes that were interrupted over an hour ago have left; returns how many. */
  sweepParts(now: number): Promise<number>;
  /**
   * Throws a BootError, naming the variable, for settings that can't work. Resolves to a sentence if the store does not
   * answer now but may later.
   */
  check(): Promise<string | undefined>;
}

/** flydrive's disk, with what our drivers add. */
export class MediaDisk extends Disk {
  readonly #driver: MediaDriver;

  constructor(driver: MediaDriver) {
    super(driver);
    this.#driver = driver;
  }

  listPictures = () => this.#driver.listPictures();
  deleteMany = (keys: readonly string[]) => this.#driver.deleteMany(keys);
  sweepParts = (now: number = Date.now()) => this.#driver.sweepParts(now);
  check = () => this.#driver.check();
}

/** What a bucket answered, or that it did not answer. Holds nothing of the request, whose headers are signed. */
export class BucketError extends Error {
  /** As the SDK's own errors have it; flydrive reads it. */
  readonly $metadata: { readonly httpStatusCode: number | undefined };

  constructor(
    /** S3's error code, or Node's. */
    readonly code: string,
    readonly status: number | undefined,
    text: string,
  ) {
    super(`the bucket of MEDIA_STORE: ${code}${status ? ` (status ${status})` : ""}: ${text}`);
    this.name = "BucketError";
    this.$metadata = { httpStatusCode: status };
  }
}

// flydrive wraps what its drivers throw.
const bucketErrorOf = (error: unknown): BucketError | undefined =>
  [error, (error as Error | undefined)?.cause].find((each) => each instanceof BucketError);

/** Whether a file is not there. */
export const isMissing = (error: unknown): boolean =>
  bucketErrorOf(error)?.status === 404 ||
  ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT";

/**
 * Whether the store failed, so that the same call may succeed later: a bucket that does not answer, a disk that is full, or a
 * folder that can't be written.
 */
export const isStoreAway = (error: unknown): boolean =>
  bucketErrorOf(error) !== undefined || isWriteError(error) || (isStoreError(error) && !isMissing(error));

// What flydrive wraps the errors of a folder in.
const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException | undefined)?.code;
const isWriteError = (error: unknown): boolean => codeOf(error) === "E_CANNOT_WRITE_FILE";
const isStoreError = (error: unknown): boolean => String(codeOf(error)).startsWith("E_CANNOT_");

/** The key of a picture, spread over folders because tools are slow with a million files in one. */
export const storageKey = (name: string): string => `images/${name.slice(0, 2)}/${name}`;

/** The names of pictures: the hash of the content, and the format. */
export const PICTURE_NAME = /^([0-9a-f]{64})\.(png|gif|webp)$/;
