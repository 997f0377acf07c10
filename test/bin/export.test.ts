import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { Command } from "commander";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createAdminClient } from "../../bin/admin-client.ts";
import { addExportCommand } from "../../bin/vitrine/export.ts";
import { createMetadata } from "../../src/api/metadata/service.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makePrivateFolder } from "../support/folder.ts";
import { createTestApp } from "../support/processes/app.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  failed,
  found,
  recordOne,
  ref,
} from "../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../support/service-key.ts";

const BIN = fileURLToPath(new URL("../../bin/vitrine.js", import.meta.url));
const test = await createTestDatabase();
const { database, tables } = test;
const folder = makePrivateFolder();
const api = createTestApp(test, {
  config: { dataFolder: folder },
  configured: [
    { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0, slug: "heroes" },
    { chainId: CHAIN_ID, address: `0x${"e2".repeat(20)}`, startBlock: 0, slug: "others" },
  ],
});
const TOKENS = 700;
const OWNER = `0x${"a1".repeat(20)}`;
const OTHER = `0x${"e2".repeat(20)}`;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
/** Cuts the connection after so many bytes. */
let cutAfter = Number.POSITIVE_INFINITY;
/** Ends the answer there, as a cut looks behind a proxy that speaks HTTP/1.0. */
let isCutAnEnd = false;
/** Sends the first part of each answer, and no other. */
let isHeld = false;
const listener = getRequestListener(api.app.fetch);
const server = createServer((request, response) => {
  let sent = 0;
  const write = response.write.bind(response) as (bytes: Uint8Array) => boolean;
  response.write = ((bytes: Uint8Array) => {
    const left = cutAfter - sent;
    if (isHeld && sent > 0) return false;
    sent += bytes.length;
    if (sent < cutAfter) return write(bytes);
    write(bytes.subarray(0, left));
    if (isCutAnEnd) response.end();
    else setTimeout(() => response.destroy(), 50);
    return false;
  }) as typeof response.write;
  // The cut is at a byte of the text.
  delete request.headers["accept-encoding"];
  request.rawHeaders = request.rawHeaders.flatMap((text, index, all) =>
    /^accept-encoding$/i.test(all[index - (index % 2)] ?? "") ? [] : [text],
  );
  void listener(request, response);
}).listen(0);
const BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const name = (tokenId: number): string => `Hero "${tokenId}",\r\nthe hero`;
async function record(tokenId: number, attributes: object[] = []): Promise<void> {
  const document = found({ name: name(tokenId), attributes });
  await database.transaction((tx) => recordOne(metadata, tx, ref(String(tokenId)), "rest", document));
}
beforeAll(async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };
  await test.insert("collectionState", {
    ...heroes,
    collectionAddress: OTHER,
    standard: "erc721",
    items: 1,
    owners: 1,
  });
  await test.insert("tokenState", {
    ...heroes,
    collectionAddress: OTHER,
    tokenId: 9n,
    standard: "erc721",
    owner: OWNER,
    burned: false,
    lockCount: 0,
  });
  await test.insert("collectionState", { ...heroes, standard: "erc721", items: TOKENS, owners: 1 });
  await test.insert("collectionHolder", { ...heroes, holder: OWNER, tokens: TOKENS });
  for (let tokenId = 0; tokenId < TOKENS; tokenId++)
    await test.insert("tokenState", {
      ...heroes,
      tokenId: BigInt(tokenId),
      standard: "erc721",
      owner: OWNER,
      burned: false,
      lockCount: 0,
    });
  for (let tokenId = 0; tokenId < TOKENS; tokenId += 10)
    await record(tokenId, [{ trait_type: "Class", value: "a" }]);
});
afterAll(() => server.close());

/** Runs a line of a shell in which VITRINE stands for the command. */
function shell(line: string) {
  const child = spawn(
    "bash",
    ["-o", "pipefail", "-c", line.replaceAll("VITRINE", `"${process.execPath}" "${BIN}"`)],
    {
      env: { PATH: process.env.PATH, BASE_URL, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const ended = (async () => {
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((done) => child.on("close", done)),
    ]);
    return { out, err, code };
  })();
  return { child, ended };
}
const activeKeys = () =>
  database.query(
    "select 1 from vitrine.api_key k where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())",
  );

/** Runs `npx vitrine export` in this process. */
async function run(...args: readonly string[]) {
  // biome-ignore lint/suspicious/noExplicitAny: results are checked field by field
  const out: { result: any; lines: readonly string[] } = { result: undefined, lines: [] };
  const program = new Command("vitrine").exitOverride().configureOutput({ writeErr: () => undefined });
  addExportCommand(program, {
    connect: () => createAdminClient({ BASE_URL, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN }),
    print: (result, lines) => Object.assign(out, { result, lines }),
    progress: () => undefined,
  });
  await program.parseAsync(["export", ...args], { from: "user" });
  return out;
}
const idsOf = (file: string): string[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).token_id);
const ALL = Array.from({ length: TOKENS }, (_, tokenId) => String(tokenId));

it("every format is written whole, a range too, and no key stays", async () => {
  const file = join(folder, "all.ndjson");
  const { result, lines } = await run("heroes", "--chain", String(CHAIN_ID), "--out", file);
  expect(result).toMatchObject({ rows: TOKENS, as_of_block: 100 });
  expect(lines).toEqual([expect.stringMatching(`all.ndjson: ${TOKENS} rows, \\d+ bytes, as of block 100`)]);
  expect(idsOf(file)).toEqual(ALL);

  const table = join(folder, "all.parquet");
  await run("heroes", "--format", "parquet", "--out", table);
  const bytes = readFileSync(table);
  const rows = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
  });
  expect(rows.map(({ token_id }) => token_id)).toEqual(ALL);

  const part = join(folder, "part.ndjson");
  await run("heroes", "--from-token-id", "5", "--to-token-id", "9", "--after", "6", "--out", part);
  expect(idsOf(part)).toEqual(["7", "8", "9"]);
  const owners = join(folder, "owners.csv");
  await run("heroes", "--what", "owners", "--format", "csv", "--out", owners);
  expect(readFileSync(owners, "utf8")).toBe(`owner,quantity\r\n${OWNER},${TOKENS}\r\n`);

  expect(await activeKeys()).toEqual([]);
});

it.each(["ndjson", "csv"])(
  "an export in %s that was cut anywhere is resumed to the same file",
  async (format) => {
    const whole = join(folder, `whole.${format}`);
    await run("heroes", "--format", format, "--out", whole);
    const text = readFileSync(whole, "utf8");
    const row = text.indexOf("the hero", text.length / 2);

    // In the header or the first row, inside a name with a line end, and right behind a row.
    for (const [nth, cut] of [10, row - 1, row - 2, text.indexOf("\n", row) + 1].entries()) {
      const file = join(folder, `cut-${nth}.${format}`);
      cutAfter = cut;
      await expect(run("heroes", "--format", format, "--out", file)).rejects.toThrow(/ended early.*--resume/);
      cutAfter = Number.POSITIVE_INFINITY;
      writeFileSync(file, text.slice(0, cut));
      await run("heroes", "--format", format, "--out", file, "--resume");
      expect(readFileSync(file, "utf8")).toBe(text);
    }
    const { result } = await run("heroes", "--format", format, "--out", whole, "--resume");
    expect(result).toMatchObject({ rows: 0, rows_before: TOKENS });
    expect(readFileSync(whole, "utf8")).toBe(text);
  },
);

it("what can't be done is refused with a reason, and files stay", async () => {
  const file = join(folder, "kept.csv");
  await run("heroes", "--format", "csv", "--to-token-id", "3", "--out", file);
  const text = readFileSync(file, "utf8");
  const again = ["heroes", "--format", "csv", "--out", file];

  await expect(run(...again)).rejects.toThrow("kept.csv exists");
  await expect(run(...again, "--resume", "--what", "owners")).rejects.toThrow("not one of owners");
  await expect(run("heroes", "--resume")).rejects.toThrow("--out");
  await expect(run("heroes", "--format", "parquet", "--out", file, "--resume")).rejects.toThrow("footer");
  await expect(run("heroes", "--after", "x")).rejects.toThrow('after: must be a token id; it is "x"');
  await expect(run("villains", "--out", join(folder, "none"))).rejects.toThrow(/not found/i);
  expect(existsSync(join(folder, "none"))).toBe(false);
  for (const none of ["away", "kept.csv"]) {
    const away = run("heroes", "--out", join(folder, none, "file"));
    await expect(away).rejects.toThrow(`can't be written: ${join(folder, none)} is no folder.`);
  }
  await expect(run("heroes", "--out", join(folder, "away/"))).rejects.toThrow("it names a folder");

  await record(1, [{ trait_type: "Newer", value: "b" }]);
  await expect(run(...again, "--resume")).rejects.toThrow("the columns are not those of the file");
  expect(readFileSync(file, "utf8")).toBe(text);
});

it.each([
  ["ndjson", "a row", true],
  ["csv", "a row", true],
  ["parquet", "the file", false],
])(
  "an export in %s whose answer ends within %s, as if it were whole, has ended early",
  async (format, where, stays) => {
    const file = join(folder, `ended.${format}`);
    cutAfter = 5_003;
    isCutAnEnd = true;
    onTestFinished(() => {
      cutAfter = Number.POSITIVE_INFINITY;
      isCutAnEnd = false;
    });

    await expect(run("heroes", "--format", format, "--out", file)).rejects.toThrow(
      `it ended within ${where}`,
    );

    expect(existsSync(file)).toBe(stays);
  },
);

const HEADER = "chain_id,collection_address,token_id,standard,owner";
const csvRow = `${CHAIN_ID},${COLLECTION},5,erc721,${OWNER}\r\n`;
it.each([
  ["ndjson", "tokens", '{"customers":["a","b"]}'],
  ["ndjson", "tokens", '{"owner":"0x'],
  ["ndjson", "owners", '{"chain_id":1'],
  ["ndjson", "tokens", "notes"],
  ["ndjson", "tokens", `{"chain_id":${CHAIN_ID},"token_id":"5"}\nmy precious notes`],
  ["csv", "tokens", "name,price\r\n1,2"],
  ["csv", "tokens", `${HEADER}\n1,x,5\nmy,precious,notes\n`],
  ["csv", "tokens", `${HEADER}\r\n${csvRow}my,precious,notes\n`],
  ["csv", "tokens", `${HEADER}\r\n${csvRow}my,precious`],
  ["csv", "owners", `owner,quantity\r\n${OWNER},1\r\nmy,precious`],
])("in %s, of %s, a file that isn't an export is refused, and stays: %j", async (format, what, text) => {
  const file = join(folder, `foreign.${format}`);
  writeFileSync(file, text);
  const resume = ["heroes", "--format", format, "--what", what, "--out", file, "--resume"];

  await expect(run(...resume)).rejects.toThrow("can't be continued");
  expect(readFileSync(file, "utf8")).toBe(text);
});

it.each(["ndjson", "csv"])("a file in %s of another collection is refused, and stays", async (format) => {
  const file = join(folder, `others.${format}`);
  await run("others", "--format", format, "--out", file);
  const text = readFileSync(file, "utf8");
  const resume = ["--format", format, "--out", file, "--resume"];

  await expect(run("heroes", ...resume)).rejects.toThrow(
    `its last row is of ${CHAIN_ID}:${OTHER}, and heroes is ${CHAIN_ID}:${COLLECTION}.`,
  );
  expect(readFileSync(file, "utf8")).toBe(text);
  await run(OTHER, "--chain", String(CHAIN_ID), ...resume);
  expect(readFileSync(file, "utf8")).toBe(text);
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "ended by %s, it leaves whole rows and no key",
  async (signal) => {
    const file = join(folder, `${signal}.ndjson`);
    isHeld = true;
    const { child, ended } = shell(`exec VITRINE export heroes --out ${file}`);
    await expect.poll(() => existsSync(file) && statSync(file).size > 0, { timeout: 30_000 }).toBe(true);
    child.kill(signal);

    expect(await ended).toMatchObject({ code: 1, err: expect.stringContaining("it was stopped") });
    isHeld = false;
    expect(await activeKeys()).toEqual([]);
  },
);

it("killed, it leaves a key that ends by itself within ten minutes", async () => {
  const file = join(folder, "SIGKILL.ndjson");
  isHeld = true;
  const { child, ended } = shell(`exec VITRINE export heroes --out ${file}`);
  await expect.poll(() => existsSync(file) && statSync(file).size > 0, { timeout: 30_000 }).toBe(true);
  child.kill("SIGKILL");
  await ended;
  isHeld = false;

  const left = await database.query<{ id: string; isShort: boolean | null }>(
    `select id, expires_at between now() and now() + interval '10 minutes' as "isShort"
       from vitrine.api_key where revoked_at is null`,
  );
  expect(left).toEqual([{ id: expect.any(String), isShort: true }]);
  await api.access.revokeKey(left[0]?.id ?? "", "tests");
});

it("a reader of stdout that has enough is its ordinary end", async () => {
  const { ended } = shell("VITRINE export heroes | head -n 1");
  const { out, err, code } = await ended;

  expect(code).toBe(0);
  expect(err).not.toMatch(/EPIPE|ended early/);
  expect(JSON.parse(out)).toMatchObject({ token_id: "0" });
  expect(await activeKeys()).toEqual([]);
});

it("an output that takes no more ends it with the reason, and leaves no key", async () => {
  const { ended } = shell("VITRINE export heroes > /dev/full");
  const { err, code } = await ended;

  expect(code).toBe(1);
  expect(err).toContain("no space left on device");
  expect(err).not.toContain("    at ");
  expect(await activeKeys()).toEqual([]);
});

it("a service that hangs keeps it no longer than a second signal", async () => {
  const hanging = createServer(() => undefined);
  hanging.listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const { port } = hanging.address() as AddressInfo;
  const { child, ended } = shell(`exec env BASE_URL=http://127.0.0.1:${port} VITRINE export heroes`);
  await once(hanging, "request");

  child.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  child.kill("SIGINT");

  expect(await ended).toMatchObject({ code: 1 });
  hanging.closeAllConnections();
  hanging.close();
});
