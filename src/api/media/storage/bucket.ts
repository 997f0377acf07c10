/** Pictures in an S3 bucket. */

import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { S3Driver } from "flydrive/drivers/s3";
import { BootError } from "../../../boot-error.ts";
import { PassingBootError } from "../../data-folder.ts";
import { type BucketAddress, showStore } from "../../store-address.ts";
import { BucketError, type MediaDriver, PICTURE_NAME, type StoredPicture } from "./media-disk.ts";

// S3's limit of one request.
const DELETED_AT_ONCE = 1_000;
const CONNECT_TIMEOUT_MS = 3_000;
// A picture has 8 MiB at most.
const IDLE_TIMEOUT_MS = 20_000;
// What S3 answers, with 400 or 403, while a clock is wrong or the credentials that a role has for a while are about to be
// replaced.
const PASSING = new Set([
  "RequestTimeTooSkewed",
  "RequestExpired",
  "ExpiredToken",
  "ExpiredTokenException",
  "TokenRefreshRequired",
]);
const CACHE_FOREVER = "public, max-age=31536000, immutable";

/** Pictures are immutable under the hash of their content, so a write that finds one there is done. */
export class BucketDriver extends S3Driver implements MediaDriver {
  readonly #client: S3Client;
  readonly #store: BucketAddress;

  constructor(store: BucketAddress) {
    const client = createClient(store);
    super({ client, bucket: store.bucket, visibility: "private", supportsACL: false });
    this.#client = client;
    this.#store = store;
  }

  // The path under which the service serves the same picture, so that a CDN may have either as its origin.
  #objectKey = (key = ""): string => `${this.#prefix}${key.slice(key.lastIndexOf("/") + 1)}`;

  get #prefix(): string {
    const { prefix } = this.#store;
    return `${prefix && `${prefix}/`}media/images/`;
  }

  override createHeadObjectCommand: S3Driver["createHeadObjectCommand"] = (_, options) =>
    new HeadObjectCommand({ ...options, Key: this.#objectKey(options.Key) });

  override createGetObjectCommand: S3Driver["createGetObjectCommand"] = (_, options) =>
    new GetObjectCommand({ ...options, Key: this.#objectKey(options.Key) });

  override createPutObjectCommand: S3Driver["createPutObjectCommand"] = (_, options) =>
    new PutObjectCommand({ CacheControl: CACHE_FOREVER, ...options, Key: this.#objectKey(options.Key) });

  /** Writes nothing over a picture that is there. */
  override async put(...[key, contents, options]: Parameters<S3Driver["put"]>): Promise<void> {
    try {
      // The library passes on options that it does not know.
      await super.put(key, contents, { ...options, IfNoneMatch: "*" } as typeof options);
    } catch (error) {
      const status = (error as BucketError).status;
      if (status === 412) return;
      // Another write of the same bytes is under way and may yet fail, or the server knows no conditions.
      if (status !== 409 && status !== 501) throw error;
      await super.put(key, contents, options);
    }
  }

  override delete(key: string): Promise<void> {
    return this.deleteMany([key]);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
      const { Errors = [] } = await this.#client.send(
        new DeleteObjectsCommand({
          Bucket: this.#store.bucket,
          Delete: {
            Objects: keys.slice(at, at + DELETED_AT_ONCE).map((key) => ({ Key: this.#objectKey(key) })),
            Quiet: true,
          },
        }),
      );
      const [first] = Errors;
      if (first)
        throw new BucketError(
          first.Code ?? "DeleteError",
          undefined,
          `${Errors.length} objects were not deleted`,
        );
    }
  }

  async *listPictures(): AsyncGenerator<StoredPicture> {
    let after: string | undefined;
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#store.bucket,
          Prefix: this.#prefix,
          ContinuationToken: after,
        }),
      );
      for (const { Key = "", Size = 0 } of page.Contents ?? []) {
        const name = Key.slice(this.#prefix.length);
        if (PICTURE_NAME.test(name)) yield { name, bytes: Size };
      }
      after = page.NextContinuationToken;
    } while (after !== undefined);
  }

  /** An object appears when its upload has ended, and nothing is uploaded in parts. */
  async sweepParts(): Promise<number> {
    return 0;
  }

  async check(): Promise<string | undefined> {
    const { bucket, endpoint, region } = this.#store;
    try {
      await this.#client.config.credentials();
    } catch (cause) {
      // What gives a role its credentials may be away for a moment, and says no more than where there is none.
      throw new PassingBootError(
        `MEDIA_STORE is a bucket, and there are no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role.`,
        { cause },
      );
    }
    try {
      // An object that is never there: without the right to list, a missing picture is 403 too, and would never be
      // made again.
      const { Body } = await this.#client.send(
        new GetObjectCommand({ Bucket: bucket, Key: `${this.#prefix}none` }),
      );
      await Body?.transformToByteArray();
      return undefined;
    } catch (error) {
      const { code, status = 0, message } = error as BucketError;
      if (code === "NoSuchKey") return undefined;
      const at = endpoint ? ` at S3_ENDPOINT ${endpoint}` : "";
      if (PASSING.has(code))
        return `${showStore(this.#store)} refuses this process for now (${code}; check the machine's clock, and AWS_SESSION_TOKEN if it is set): ${message}`;
      if (status === 404)
        throw new BootError(`MEDIA_STORE names the bucket ${bucket}, which does not exist${at}.`);
      if (status === 301 || code === "AuthorizationHeaderMalformed")
        throw new BootError(`The bucket ${bucket} of MEDIA_STORE is not in S3_REGION ${region}: ${message}`);
      if (status === 401 || status === 403)
        throw new BootError(
          `AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY do not open the bucket ${bucket} of MEDIA_STORE${at}; they need s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject: ${message}`,
        );
      if (status === 400)
        throw new BootError(`The bucket ${bucket} of MEDIA_STORE can't be used${at}: ${message}`);
      return `${showStore(this.#store)} does not answer (check S3_ENDPOINT and S3_REGION if it never does): ${message}`;
    }
  }
}

function createClient({ region, endpoint, forcePathStyle }: BucketAddress): S3Client {
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint }),
    forcePathStyle,
    // Servers other than Amazon's know few of its checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw toBucketError(error);
      }
    },
    // Outside of the retries.
    { step: "initialize", priority: "high", name: "toBucketError" },
  );
  return client;
}

function toBucketError(error: unknown): BucketError {
  const { name, message, code, Code, $metadata } = error as Error & {
    readonly code?: string;
    readonly Code?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  return new BucketError(Code ?? code ?? name, $metadata?.httpStatusCode, message || "no answer");
}
