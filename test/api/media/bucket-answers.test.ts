/** What a bucket's server answers that s3rver never does: conditions of writes, and refusals. */

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { PassingBootError } from "../../../src/api/data-folder.ts";
import { openStore } from "../../../src/api/media/storage/disk.ts";
import { storageKey } from "../../../src/api/media/storage/media-disk.ts";
import type { BucketAddress } from "../../../src/api/store-address.ts";
import { BootError } from "../../../src/boot-error.ts";
import { s3Credentials } from "../../support/servers/s3-server.ts";

Object.assign(process.env, s3Credentials);
const seen: IncomingMessage[] = [];
let statuses: number[] = [];
let code = "";
const server = createServer((request, response) => {
  seen.push(request);
  request.resume();
  request.on("end", () => {
    response.writeHead(statuses.shift() ?? 200, { "content-type": "application/xml" });
    response.end(code && `<Error><Code>${code}</Code><Message>a message</Message></Error>`);
  });
});
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
afterAll(() => server.close());
const address: BucketAddress = {
  kind: "bucket",
  bucket: "pics",
  prefix: "",
  region: "us-east-1",
  endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  forcePathStyle: true,
};
const disk = openStore(address);
const KEY = storageKey(`${"ab".repeat(32)}.png`);
const conditions = () => seen.map(({ headers }) => headers["if-none-match"]);

beforeEach(() => {
  seen.length = 0;
  code = "";
});

describe("a write", () => {
  it.each([
    ["is written if nothing is there", [200], ["*"]],
    ["is done if the picture is there", [412], ["*"]],
    ["is repeated without the condition while another write is under way", [409, 200], ["*", undefined]],
    ["is repeated without the condition where none is known", [501, 200], ["*", undefined]],
  ])("%s", async (_, answers, expected) => {
    statuses = [...answers];
    await disk.put(KEY, "x");

    expect(conditions()).toEqual(expected);
    expect(seen[0]?.url).toContain(`/pics/media/images/${"ab".repeat(32)}.png`);
  });

  it("fails if it is refused, with nothing of the request in the error", async () => {
    statuses = [403];
    code = "AccessDenied";
    const error = await disk.put(KEY, "x").then(
      () => undefined,
      (each: Error) => each,
    );

    const { cause } = error as Error;
    expect((cause as Error).message).toBe("the bucket of MEDIA_STORE: AccessDenied (status 403): a message");
    expect(seen[0]?.headers.authorization).toContain("Signature=");
    expect(Object.keys(cause as Error).sort()).toEqual(["$metadata", "code", "name", "status"]);
  });
});

describe("the check at boot", () => {
  it.each([
    [301, "PermanentRedirect", "is not in S3_REGION us-east-1"],
    [400, "AuthorizationHeaderMalformed", "is not in S3_REGION us-east-1"],
    [403, "AccessDenied", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY do not open the bucket pics"],
    [404, "NoSuchBucket", "MEDIA_STORE names the bucket pics, which does not exist"],
  ])("ends at %i %s", async (status, answer, message) => {
    statuses = [status];
    code = answer;
    const check = disk.check();

    await expect(check).rejects.toBeInstanceOf(BootError);
    await expect(check).rejects.toThrow(message);
  });

  it.each([
    [403, "RequestTimeTooSkewed"],
    [400, "ExpiredToken"],
    [400, "TokenRefreshRequired"],
  ])("goes on after %i %s, which may pass, and says what to check", async (status, answer) => {
    statuses = [status];
    code = answer;

    expect(await disk.check()).toMatch(
      new RegExp(
        `refuses this process for now \\(${answer}; check the machine's clock, and AWS_SESSION_TOKEN`,
      ),
    );
  });

  it("ends for another start while the credentials of a role can't be had", async () => {
    for (const name of Object.keys(s3Credentials)) vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${address.endpoint}/role`);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    statuses = [503];
    const check = openStore(address).check();

    await expect(check).rejects.toBeInstanceOf(PassingBootError);
    await expect(check).rejects.toThrow("there are no AWS credentials");
    vi.unstubAllEnvs();
  });

  it("goes on without an answer, and where there are no pictures yet", async () => {
    statuses = [500, 500, 500];
    code = "InternalError";
    expect(await disk.check()).toContain("s3://pics in us-east-1 at http://127.0.0.1");
    statuses = [404];
    code = "NoSuchKey";
    expect(await disk.check()).toBeUndefined();
  });
});
