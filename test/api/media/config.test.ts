import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadServingConfig, redacted } from "../../../src/api/config.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-media-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (variables: Record<string, string>) => loadServingConfig({ VITRINE_DATA: folder, ...variables });

describe("MEDIA_STORE", () => {
  it.each([
    ["", join(folder, "media")],
    ["file:/srv/media", "/srv/media"],
    ["file:///srv/media", "/srv/media"],
    ["file:./media", resolve("media")],
  ])("%j is the folder %s", (MEDIA_STORE, expected) => {
    expect(load({ MEDIA_STORE }).mediaStore).toEqual({ kind: "folder", folder: expected });
  });

  const amazon = { kind: "bucket", bucket: "pics", prefix: "", region: "eu-north-1", endpoint: undefined };
  const own = "http://10.0.0.1:9000";
  it.each([
    [
      { MEDIA_STORE: "s3://pics", S3_REGION: "eu-north-1" },
      { ...amazon, forcePathStyle: false },
    ],
    [
      { MEDIA_STORE: "s3://pics/", AWS_REGION: "eu-north-1" },
      { ...amazon, forcePathStyle: false },
    ],
    [
      { MEDIA_STORE: "s3://pics/a/b_1/", S3_REGION: "eu-north-1", AWS_REGION: "us-east-1" },
      { ...amazon, prefix: "a/b_1", forcePathStyle: false },
    ],
    [
      { MEDIA_STORE: "s3://pics", S3_REGION: "eu-north-1", S3_ENDPOINT: own },
      { ...amazon, endpoint: own, forcePathStyle: true },
    ],
    [
      { MEDIA_STORE: "s3://pics", S3_REGION: "eu-north-1", S3_ENDPOINT: own, S3_FORCE_PATH_STYLE: "false" },
      { ...amazon, endpoint: own, forcePathStyle: false },
    ],
  ])("%j is a bucket", (variables, expected) => {
    expect(load(variables).mediaStore).toEqual(expected);
  });

  it.each([
    "/srv/media",
    "file:",
    "s3:bucket",
    "FILE:/srv",
    "s3://",
    "s3://UP",
    "s3://ab",
    "s3://pics//a",
    "s3://pics/../a",
    "s3://pics/a?b",
    "s3://key:secret@pics/a",
  ])("refuses %s by name", (MEDIA_STORE) => {
    expect(() => load({ MEDIA_STORE, S3_REGION: "us-east-1" })).toThrow(
      "MEDIA_STORE must be file:<folder> or s3://<bucket>/<prefix>;",
    );
  });

  it.each([
    [{ MEDIA_STORE: "s3://pics" }, "S3_REGION must be set"],
    [
      { MEDIA_STORE: "s3://pics", S3_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "id" },
      "AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not",
    ],
    [{ S3_ENDPOINT: "minio:9000" }, "S3_ENDPOINT must be an http(s) URL"],
    [{ S3_ENDPOINT: "http://id:secret@minio" }, "S3_ENDPOINT must not contain a user"],
    [{ S3_FORCE_PATH_STYLE: "1" }, 'S3_FORCE_PATH_STYLE must be true or false; it is "1"'],
    [{ S3_REGION: "us east" }, "S3_REGION must be the name of a region"],
    [{ MEDIA_BASE_URL: "cdn.example" }, "MEDIA_BASE_URL must be an http(s) URL"],
    [{ MEDIA_BASE_URL: "https://cdn.example/?a" }, "MEDIA_BASE_URL must not contain"],
  ])("refuses %j", (variables, message) => {
    expect(() => load(variables as Record<string, string>)).toThrow(message);
  });

  it("is logged in words, without credentials", () => {
    const { mediaStore } = redacted(
      load({
        MEDIA_STORE: "s3://pics/a",
        S3_REGION: "us-east-1",
        S3_ENDPOINT: own,
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "hidden",
      }),
    );
    expect(mediaStore).toBe(`s3://pics/a in us-east-1 at ${own}`);
  });
});

describe("MEDIA_BASE_URL", () => {
  it.each([
    [{}, "http://localhost:42069"],
    [{ MEDIA_BASE_URL: "https://cdn.example/v/" }, "https://cdn.example/v"],
  ])("of %j is %s", (variables, expected) => {
    expect(load(variables as Record<string, string>).mediaBaseUrl).toBe(expected);
  });
});
