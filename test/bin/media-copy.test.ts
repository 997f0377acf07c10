/** `npx vitrine media copy`, as a process, between a folder and a bucket of a real server. */

import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createDisk, openStore } from "../../src/api/media/storage/disk.ts";
import { type MediaDisk, storageKey } from "../../src/api/media/storage/media-disk.ts";
import { runVitrine } from "../support/processes/command.ts";
import { s3Credentials, startS3Server } from "../support/servers/s3-server.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-copy-"));
const s3 = await startS3Server("pics");
Object.assign(process.env, s3Credentials);
afterAll(async () => {
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
});

const variables = { ...s3Credentials, S3_ENDPOINT: s3.endpoint, S3_REGION: "us-east-1" };
const bucket = openStore({
  kind: "bucket",
  bucket: "pics",
  prefix: "a",
  region: "us-east-1",
  endpoint: s3.endpoint,
  forcePathStyle: true,
});

const copy = (from: string, to: string, env: Record<string, string> = variables) =>
  runVitrine(["--json", "media", "copy", "--from", from, "--to", to], {
    cwd: folder,
    env: { HOME: folder, ...env },
  });

async function add(disk: MediaDisk): Promise<string> {
  const content = randomBytes(500);
  const name = `${createHash("sha256").update(content).digest("hex")}.png`;
  await disk.put(storageKey(name), content);
  return name;
}

it("copies what is missing or cut short, again and again, and from a bucket back to a folder", async () => {
  const [here, there] = [join(folder, "here"), join(folder, "there")];
  const disk = createDisk(here);
  const names = [await add(disk), await add(disk), await add(disk)];
  await bucket.put(storageKey(names[0] ?? ""), "cut");

  const first = await copy(`file:${here}`, "s3://pics/a");
  expect(first.stderr).toContain("of 3 images");
  expect(JSON.parse(first.stdout)).toEqual({ total: 3, copied: 3, bytes: 1500, present: 0, failed: 0 });
  expect((await bucket.getBytes(storageKey(names[0] ?? ""))).length).toBe(500);

  await add(disk);
  const second = await copy(`file:${here}`, "s3://pics/a");
  expect(JSON.parse(second.stdout)).toMatchObject({ total: 4, copied: 1, present: 3 });

  expect((await copy("s3://pics/a", `file:${there}`)).code).toBe(0);
  for (const name of names)
    expect(await createDisk(there).getBytes(storageKey(name))).toEqual(await disk.getBytes(storageKey(name)));
});

it("refuses a source folder that doesn't exist, and creates none", async () => {
  const [none, target] = [join(folder, "none"), join(folder, "target")];

  const { code, stdout, stderr } = await copy(`file:${none}`, `file:${target}`);

  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(`vitrine: --from names a folder that doesn't exist: ${none}\n`);
  expect([none, target].filter(existsSync)).toEqual([]);
});

it("copies the rest if one fails, and ends with the count", async () => {
  const bad = join(folder, "bad");
  const disk = createDisk(bad);
  const [good, damaged] = [await add(disk), await add(disk)];
  writeFileSync(join(bad, storageKey(damaged)), "damaged");

  const { code, stdout, stderr } = await copy(`file:${bad}`, `file:${join(folder, "copy")}`);

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ total: 2, copied: 1, failed: 1 });
  expect(stderr).toContain(`${damaged} was not copied: its content does not match its name`);
  expect(stderr).toContain("1 of 2 images were not copied; run it again");
  expect(await createDisk(join(folder, "copy")).exists(storageKey(good))).toBe(true);
});

it.each([
  ["s3://pics/a", "s3://nowhere", variables, "names the bucket nowhere, which does not exist"],
  ["ftp://x", "s3://pics", variables, "--from must be file:<folder> or s3://<bucket>/<prefix>"],
  ["file:/x", "s3://pics", s3Credentials, "--to is a bucket, so S3_REGION must be set"],
  ["file:/x", "file:/x", variables, "--from and --to name the same store"],
  ["file:/x", "s3://pics", { ...variables, S3_ENDPOINT: "http://127.0.0.1:1" }, "does not answer"],
])("refuses %s to %s", async (from, to, env, message) => {
  const { code, stderr } = await copy(from, to, env);

  expect(code).toBe(1);
  expect(stderr).toContain(message);
});

it.runIf(process.platform === "linux")(
  "ends where the target can't be made, instead of trying for ever",
  async () => {
    const here = join(folder, "made");
    await add(createDisk(here));
    writeFileSync(join(folder, "a-file"), "");

    const nowhere = await copy(`file:${here}`, "file:/proc/vitrine");
    const onFile = await copy(`file:${here}`, `file:${join(folder, "a-file")}`);

    expect(nowhere).toEqual({
      code: 1,
      stdout: "",
      stderr: "vitrine: --to names a folder that can't be made (ENOENT): /proc/vitrine\n",
    });
    expect(onFile).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("a-file is not a folder; a store (MEDIA_STORE) needs one."),
    });
  },
);
