import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { createExports } from "../../../src/api/catalog/exports/exports.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { makePrivateFolder } from "../../support/folder.ts";
import { leaveEarly } from "../../support/http/leave-early.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const folder = makePrivateFolder();
const api = createTestApp(test, { config: { dataFolder: folder }, connectionString: test.url });
const key = await api.createKey();
const LAST = (2n ** 256n - 1n).toString();
const [ALICE, BEN] = [`0x${"a1".repeat(20)}`, `0x${"b1".repeat(20)}`];
const heroes = { chainId: CHAIN_ID, collectionAddress: COLLECTION };

const trait = (trait_type: string, value: unknown, display_type?: string) => ({
  trait_type,
  value,
  ...(display_type && { display_type }),
});
const documents: Readonly<Record<string, object>> = {
  "0": { name: "=1+1", attributes: [trait("Level", 0, "number"), trait("Shiny", false, "bool")] },
  "1": { name: 'a "quoted", name\nin two lines', attributes: [trait("Class", "x")] },
  "2": { name: "🦄 émoji", attributes: [trait("Class", "a"), trait("Class", "@b"), trait("=evil", "-5")] },
  "3": { name: "minus", attributes: [trait("Level", -7, "number"), trait("a,b", "c.d")] },
};

beforeAll(async () => {
  const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });
  for (const chainId of [CHAIN_ID, FAR_CHAIN_ID]) await test.setHead({ chainId, block: 100 });
  await test.insert("collectionState", { ...heroes, standard: "erc721", items: 40, owners: 2 });
  for (const tokenId of [0n, 1n, 2n, 3n, 7n, BigInt(LAST)])
    await test.insert("tokenState", {
      ...heroes,
      tokenId,
      standard: "erc721",
      owner: ALICE,
      burned: tokenId === 7n,
      lockCount: tokenId === 1n ? 1 : 0,
      lockedSinceBlock: tokenId === 1n ? 5n : null,
    });
  // Tokens of one mint that have not moved have no row; 1,200 of them take several batches.
  await test.insert("tokenRange", {
    ...heroes,
    fromTokenId: 1_000n,
    toTokenId: 2_199n,
    owner: BEN,
    transferId: "t",
    mintedBlock: 3n,
    mintedLog: 0,
    blockTimestamp: 3n,
    transactionHash: `0x${"ab".repeat(32)}`,
  });
  for (const [tokenId, document] of Object.entries(documents))
    await database.transaction((tx) =>
      recordOne(
        metadata,
        tx,
        ref(tokenId),
        "rest",
        found({ image: "https://img.example/1.png", ...document }),
      ),
    );
  await test.insert("collectionHolder", { ...heroes, holder: ALICE, tokens: 5 });
  await test.insert("collectionHolder", { ...heroes, holder: BEN, tokens: 1_200 });
});

const path = (query = "", name = COLLECTION) => `/market/collections/${name}/export${query}`;
async function ask(query = "", name = COLLECTION, headers: Record<string, string> = {}) {
  const response = await api.app.request(path(query, name), { headers: { "x-api-key": key, ...headers } });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}
// biome-ignore lint/suspicious/noExplicitAny: rows are checked field by field
const rowsOf = ({ text }: { readonly text: string }): any[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const snapshots = async () =>
  (
    await database.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where application_name = 'vitrine snapshot' and datname = current_database()",
    )
  )[0]?.n;

async function parquet(query: string): Promise<Record<string, unknown>[]> {
  const response = await api.app.request(path(query), { headers: { "x-api-key": key } });
  expect(response.headers.get("content-type")).toBe("application/vnd.apache.parquet");
  return parquetReadObjects({ file: await response.arrayBuffer() });
}

/** Reads CSV by RFC 4180; null is an empty cell without quotes. */
function readCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

describe("the tokens of a collection", () => {
  it("are the listed ones, each as its own route answers it, in order of their ids", async () => {
    const answer = await ask();
    const rows = rowsOf(answer);

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="31337-heroes-tokens-100.ndjson"',
    );
    expect(answer.headers.get("x-as-of-block")).toBe("100");
    const ranged = Array.from({ length: 1_200 }, (_, index) => String(1_000 + index));
    expect(rows.map((row) => row.token_id)).toEqual(["0", "1", "2", "3", ...ranged, LAST]);
    for (const row of rows.filter(({ token_id: id }) => ["0", "1", "2", "3", "1500", LAST].includes(id))) {
      const { body } = await api.call(`/market/collections/${COLLECTION}/tokens/${row.token_id}`, { key });
      const { traits, image, metadata, ...identity } = row;
      expect(body).toMatchObject({ ...identity, image, metadata });
      expect(
        body.traits.map(({ trait_type, value }: Record<string, unknown>) => [trait_type, value]),
      ).toEqual(traits.map(({ trait_type, value }: Record<string, unknown>) => [trait_type, value]));
    }
    expect(rows[0].traits.map(({ value }: { value: unknown }) => value)).toEqual([0, false]);
    expect((await ask("", "heroes")).text).toBe(answer.text);
  });

  it("are the same whole in parts, each from the last id of the one before", async () => {
    const whole = (await ask()).text;
    let text = "";
    for (let after = ""; ; ) {
      const upTo = after === "" ? "2" : after === "2" ? "1700" : LAST;
      const part = (await ask(`?to_token_id=${upTo}${after && `&after=${after}`}`)).text;
      text += part;
      if (upTo === LAST) break;
      after = rowsOf({ text: part }).at(-1).token_id;
    }
    expect(text).toBe(whole);
    const some = rowsOf(await ask("?from_token_id=3&to_token_id=1001"));
    expect(some.map((row) => row.token_id)).toEqual(["3", "1000", "1001"]);
    expect((await ask(`?after=${LAST}`)).text).toBe("");
  });

  it("in CSV have a column per trait type, whole cells, and no formulas", async () => {
    const { headers, text } = await ask("?format=csv&to_token_id=3");
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [head = [], ...rows] = readCsv(text);
    const of = (row: number, name: string) => rows[row]?.[head.indexOf(name)];

    expect(head.slice(-5)).toEqual(["trait:Level", "trait:Shiny", "trait:Class", "trait:=evil", "trait:a,b"]);
    expect(rows.map((_, at) => of(at, "name"))).toEqual([
      "'=1+1",
      'a "quoted", name\nin two lines',
      "🦄 émoji",
      "minus",
    ]);
    expect([of(0, "trait:Level"), of(0, "trait:Shiny"), of(0, "trait:Class")]).toEqual(["0", "false", null]);
    expect([of(2, "trait:Class"), of(2, "trait:=evil"), of(3, "trait:Level")]).toEqual([
      '["a","@b"]',
      "-5",
      "-7",
    ]);
    expect([of(1, "locked"), of(1, "lock_count"), of(1, "locked_since_block")]).toEqual(["true", "1", "5"]);
  });

  it("in Parquet read back as the rows are, unescaped, ids as text", async () => {
    const rows = await parquet("?format=parquet");
    expect(rows).toHaveLength(1_205);
    expect(rows[0]).toMatchObject({
      token_id: "0",
      name: "=1+1",
      "trait:Level": "0",
      "trait:Shiny": "false",
    });
    expect(rows[1]).toMatchObject({ locked: true, lock_count: 1, "trait:Level": null });
    expect(rows.at(-1)).toMatchObject({ token_id: LAST, owner: ALICE, name: null });
    expect(rows.map((row) => row.token_id)).toEqual(rowsOf(await ask()).map((row) => row.token_id));
  });

  it("are compressed for clients that ask for it", async () => {
    const response = await api.app.request(path(), {
      headers: { "x-api-key": key, "accept-encoding": "gzip" },
    });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(Buffer.from(await response.arrayBuffer())).toString()).toBe((await ask()).text);
  });

  it("are of one moment, whatever is written meanwhile", async () => {
    const before = (await ask()).text;
    const response = await api.app.request(path(), { headers: { "x-api-key": key } });
    await database.query(`update ${tables.tokenState} set owner = $1 where owner = $2`, [BEN, ALICE]);
    await database.query(`delete from ${tables.tokenRange}`).catch(() => undefined);
    expect(await response.text()).toBe(before);
    const owners = new Set(rowsOf(await ask()).map((row) => row.owner));
    expect(owners).toEqual(new Set([BEN]));
    await test.insert("tokenRange", {
      ...heroes,
      fromTokenId: 1_000n,
      toTokenId: 2_199n,
      owner: BEN,
      transferId: "t",
      mintedBlock: 3n,
      mintedLog: 0,
      blockTimestamp: 3n,
      transactionHash: `0x${"ab".repeat(32)}`,
    });
  });
});

describe("the owners of a collection", () => {
  it("come by address, resume after one, and equal the paged list", async () => {
    const rows = rowsOf(await ask("?what=owners"));
    expect(rows).toEqual([
      { owner: ALICE, quantity: "5" },
      { owner: BEN, quantity: "1200" },
    ]);
    expect(rowsOf(await ask(`?what=owners&after=${ALICE}`))).toEqual(rows.slice(1));
    expect((await ask("?what=owners&format=csv")).text).toBe(
      `owner,quantity\r\n${ALICE},5\r\n${BEN},1200\r\n`,
    );
    expect(await parquet("?what=owners&format=parquet")).toEqual(rows);
  });

  it("of ERC-1155 at a block are sums of balances", async () => {
    const items = { chainId: FAR_CHAIN_ID, collectionAddress: FAR_COLLECTION };
    await test.insert("collectionState", { ...items, standard: "erc1155", items: 1, owners: 1 });
    const moved = {
      ...items,
      tokenId: 1n,
      blockTimestamp: 1,
      transactionHash: `0x${"cd".repeat(32)}`,
      logIndex: 0,
    };
    const ZERO = `0x${"0".repeat(40)}`;
    const sent = [
      { id: "1".padStart(75, "0"), from: ZERO, to: ALICE, quantity: 9n, blockNumber: 10 },
      { id: "2".padStart(75, "0"), from: ALICE, to: BEN, quantity: 4n, blockNumber: 20 },
    ];
    for (const row of sent) await test.insert("tokenTransfer", { ...moved, ...row });

    const at = async (block: number) =>
      rowsOf(await ask(`?what=owners&at_block=${block}`, FAR_COLLECTION)).map(({ owner, quantity }) => [
        owner,
        quantity,
      ]);
    expect(await at(10)).toEqual([[ALICE, "9"]]);
    expect(await at(20)).toEqual([
      [ALICE, "5"],
      [BEN, "4"],
    ]);
    expect((await ask("?what=owners&at_block=101", FAR_COLLECTION)).body.details[0].path).toBe("at_block");
  });
});

it.each([
  ["?format=xml", "format"],
  ["?what=locks", "what"],
  ["?after=x", "after"],
  ["?what=owners&after=1", "after"],
  ["?what=owners&from_token_id=1", "from_token_id"],
  ["?at_block=1", "at_block"],
  ["?to_token_id=01", "to_token_id"],
  ["?limit=5", "limit"],
])("%s is refused, naming %s", async (query, name) => {
  const { status, body } = await ask(query);
  expect([status, body.code, body.details[0].path]).toEqual([400, "INVALID_REQUEST", name]);
});

it("needs a key, a served collection and a client that takes the format", async () => {
  expect((await api.call(path())).status).toBe(401);
  expect((await ask("", "nobody")).body.code).toBe("COLLECTION_NOT_FOUND");
  const picky = await ask("", COLLECTION, { accept: "text/csv" });
  expect([picky.status, picky.body.details[0].path]).toEqual([406, "accept"]);
  expect((await ask("?format=csv", COLLECTION, { accept: "text/csv" })).status).toBe(200);
});

describe("clients", () => {
  it("have two exports at once per app, and one that leaves frees its own", async () => {
    const open = () => api.app.request(path(), { headers: { "x-api-key": key } });
    const [first, second] = [await open(), await open()];
    const third = await ask();
    expect([third.status, third.headers.get("retry-after")]).toEqual([429, "30"]);

    await first.body?.cancel();
    await second.body?.cancel();
    await eventually(snapshots, (left) => left === 0);
    await eventually(ask, ({ status }) => status === 200);
  });

  it("that leave in the middle over HTTP free everything", async () => {
    const server = createServer(getRequestListener(api.app.fetch)).listen(0);
    const { port } = server.address() as { port: number };
    for (let round = 0; round < 3; round++) {
      const leave = new AbortController();
      const response = await fetch(`http://127.0.0.1:${port}${path()}`, {
        headers: { "x-api-key": key, "accept-encoding": "gzip" },
        signal: leave.signal,
      });
      expect(response.status).toBe(200);
      leave.abort();
    }
    await eventually(snapshots, (left) => left === 0);
    await eventually(ask, ({ status }) => status === 200);
    server.close();
  });

  it("that leave before they have an answer free everything", async () => {
    const server = createServer(getRequestListener(api.app.fetch)).listen(0);
    const { port } = server.address() as { port: number };

    await leaveEarly(port, path(), { "x-api-key": key }, 36);

    await eventually(ask, ({ status }) => status === 200);
    await eventually(snapshots, (left) => left === 0);
    server.close();
  });

  it("get the same bytes from a service without threads", async () => {
    const plain = createTestApp(test, { config: { dataFolder: folder } });
    for (const query of ["", "?format=csv", "?format=parquet", "?what=owners", "?what=owners&at_block=101"]) {
      const [one, other] = await Promise.all(
        [api, plain].map(async ({ app }) => {
          const response = await app.request(path(query), { headers: { "x-api-key": key } });
          return [
            response.status,
            response.headers.get("x-as-of-block"),
            Buffer.from(await response.arrayBuffer()),
          ];
        }),
      );
      if (one?.[0] === 200) expect(other).toEqual(one);
      else expect([one?.[0], other?.[0]]).toEqual([400, 400]);
    }
    plain.usage.stop();
  });

  it("get documents of a megabyte each, many more than fit into the thread's memory", async () => {
    const huge = { chainId: CHAIN_ID, collectionAddress: `0x${"ee".repeat(20)}` };
    const wide = createTestApp(test, {
      config: { dataFolder: folder },
      connectionString: test.url,
      configured: [{ chainId: CHAIN_ID, address: huge.collectionAddress, startBlock: 0 }],
    });
    await database.query(
      `with text as (
         insert into vitrine.version (chain_id, collection, token_id, number, content_hash, metadata, trigger, outcome, duration_ms)
         select chain_id, $2, 1, 1, content_hash,
                jsonb_set(metadata::jsonb, '{description}', to_jsonb(repeat('long ', 200000)))::text, trigger, outcome, 1
           from vitrine.version where chain_id = $1 limit 1 returning id)
       insert into vitrine.token (chain_id, collection, token_id, served_version, last_outcome)
       select $1, $2, n, text.id, 'good' from text, generate_series(1, 250) n`,
      [CHAIN_ID, huge.collectionAddress],
    );
    await database.query(
      `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, owner, burned, lock_count)
       select $1, $2, n, 'erc721', $3, false, 0 from generate_series(1, 250) n`,
      [CHAIN_ID, huge.collectionAddress, ALICE],
    );
    for (const format of ["ndjson", "parquet"]) {
      const response = await wide.app.request(path(`?format=${format}`, huge.collectionAddress), {
        headers: { "x-api-key": await wide.createKey() },
      });
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += chunk.length;
      expect(bytes).toBeGreaterThan(format === "ndjson" ? 250_000_000 : 1_000);
    }
    wide.usage.stop();
  });

  it("that take nothing are cut off, and hold no transaction until then", async () => {
    const stalled = createExports({
      ...api,
      ...api.catalogModule,
      findQueued: async () => new Set(),
      exportSettings: undefined,
      exportFolder: folder,
      exportStallMs: 100,
      logger: silentLogger,
    });
    const calls: string[] = [];
    const collection = api.collections.find(COLLECTION);
    const { stream } = await stalled.open(
      collection,
      { format: "ndjson", what: "tokens" },
      { onEnd: () => calls.push("end"), onStall: () => calls.push("stall") },
    );
    await eventually(snapshots, (left) => left === 0);
    await eventually(
      () => calls.length,
      (count) => count === 2,
    );
    expect(calls).toEqual(["stall", "end"]);
    await expect(stream.getReader().read()).rejects.toThrow("took nothing for 0.1 s");
  });
});
