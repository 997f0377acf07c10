import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, startChain } from "../../demo/chain.ts";
import { freePort, type Service, spawnService, startService } from "../../demo/service.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../src/api/postgres/embedded-postgres.ts";
import { makeFolder } from "../support/folder.ts";
import { exchange } from "../support/http/raw-http.ts";
import { eventually } from "../support/processes/world.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Where `npm start` indexes by default. */
const SCHEMA = "vitrine_chain";
const ADDRESS = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const PONDER = ["start", "--schema", "x"];

let chain: Chain;
let folder: string;
let runs = 0;
let running: Service;
/** A start on the schema of `running`, which waits 20 s for it before it gives up; the other starts run meanwhile. */
let second: ReturnType<typeof startsAndFails>;
/** Two that start at the same moment on an unused schema. */
let rivals: Service[];
/** The database of `running`. */
let databaseUrl: string;
beforeAll(async () => {
  folder = makeFolder();
  chain = await startChain();
  const env = environment();
  running = await startService({ port: await freePort(), env, logFile: join(folder, "running.log") });
  databaseUrl = await joinEmbeddedPostgres(folder);
  await createUnusable();
  second = startsAndFails(env, undefined, null);
  second.catch(() => undefined);
  const rivalEnv = { ...environment(), DATABASE_SCHEMA: "raced" };
  rivals = await Promise.all(
    ["a", "b"].map(async (name) =>
      spawnService({ port: await freePort(), env: rivalEnv, logFile: join(folder, `rival-${name}.log`) }),
    ),
  );
});
afterAll(async () => {
  await Promise.all([running, ...(rivals ?? [])].map((service) => service?.stop()));
  await stopEmbeddedPostgres(folder);
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A database that can't hold every document, a role that may create nothing, and one that owns nothing. */
async function createUnusable(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      "create database latin template template0 encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C'",
    );
    await client.query("create role reader login password 'r'");
    await client.query("create role guest login password 'g'");
    await client.query("grant create on database vitrine to guest");
  } finally {
    await client.end();
  }
}

/** The URL of `running`'s PostgreSQL with some parts changed. */
function otherUrl(parts: Partial<Pick<URL, "pathname" | "username" | "password">>): string {
  return Object.assign(new URL(databaseUrl), parts).href;
}

const collectionsFile = (chainId = 31337, slug?: string): string => {
  const file = join(folder, `collections-${[chainId, slug].filter(Boolean).join("-")}.json`);
  writeFileSync(file, JSON.stringify([{ chainId, address: ADDRESS, startBlock: 0, slug }]));
  return file;
};
const environment = (): Record<string, string> => ({
  DATABASE_URL: "",
  // Overrides the test runner's BASE_URL.
  BASE_URL: "",
  VITRINE_DATA: folder,
  COLLECTIONS_FILE: collectionsFile(),
  PONDER_RPC_URL_31337: chain.rpcUrl,
});

async function startsAndFails(
  env: Record<string, string>,
  port?: number,
  ponderArgs: readonly string[] | null = PONDER,
) {
  const logFile = join(folder, `boot-${++runs}.log`);
  const service = spawnService({
    port: port ?? (await freePort()),
    env,
    logFile,
    ...(ponderArgs && { ponderArgs }),
  });
  const code = await service.exited;
  const lines = service
    .log()
    .split("\n")
    .filter((line) => line.startsWith("vitrine:"));
  return { code, lines, log: service.log() };
}

/**
 * Evaluates ponder.config.ts alone, as `ponder start` does before it locks anything, once with each environment. One
 * process does it for all, since loading Ponder takes longer than everything else. Other tests here start Ponder itself
 * and check how it ends.
 */
async function configEnds(environments: readonly Record<string, string>[]): Promise<readonly ConfigEnd[]> {
  const ponder = { options: { command: "start", port: await freePort() } };
  const script = `
    globalThis.PONDER_COMMON = ${JSON.stringify(ponder)};
    globalThis.PONDER_NAMESPACE_BUILD = { schema: "x" };
    const own = { ...process.env };
    const exit = process.exit;
    const ends = [];
    let end;
    process.exit = (code) => {
      end.code = code;
      throw end;
    };
    process.stderr.write = (text) => end.lines.push(...text.trimEnd().split("\\n"));
    for (const [nth, environment] of ${JSON.stringify(environments)}.entries()) {
      end = { code: null, lines: [] };
      ends.push(end);
      process.env = { ...own, ...environment };
      await import("./ponder.config.ts?" + nth).catch((error) => {
        if (error !== end) end.lines.push(error.stack);
      });
    }
    process.stdout.write(JSON.stringify(ends), () => exit(0));
  `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

interface ConfigEnd {
  readonly code: number | null;
  readonly lines: readonly string[];
}

const isReady = (service: Service): Promise<boolean> =>
  fetch(`${service.baseUrl}/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
const readLock = async (schema: string): Promise<number | undefined> => {
  const client = new pg.Client({ connectionString: await joinEmbeddedPostgres(folder) });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select (value->>'is_locked')::int as locked from ${schema}._ponder_meta where key = 'app'`,
    );
    return rows[0]?.locked;
  } finally {
    await client.end();
  }
};

it("an endpoint of another chain stops the start with one sentence that says what to do", async () => {
  const env = { COLLECTIONS_FILE: collectionsFile(2020), PONDER_RPC_URL_2020: chain.rpcUrl };

  const { code, lines, log } = await startsAndFails({ ...environment(), ...env });

  expect(code).toBe(1);
  const sentence = /PONDER_RPC_URL_2020 \(endpoint 1\) serves chain 31337, not 2020; point it to chain 2020/;
  expect(lines).toEqual([expect.stringMatching(sentence)]);
  expect(log).not.toMatch(/^\s+at /m);
});

const faults: Readonly<Record<string, { env: () => Record<string, string>; sentence: RegExp }>> = {
  "a chain without an RPC endpoint": {
    env: () => ({ COLLECTIONS_FILE: collectionsFile(2020) }),
    sentence:
      /is on chain 2020, but PONDER_RPC_URL_2020 is not set; set it to an RPC endpoint of that chain\.$/,
  },
  "a collections file that is not there": {
    env: () => ({ COLLECTIONS_FILE: join(folder, "none.json") }),
    sentence: /none\.json can't be read; create it or point COLLECTIONS_FILE/,
  },
  "a slug that no path accepts": {
    env: () => ({ COLLECTIONS_FILE: collectionsFile(31337, "0xface") }),
    sentence: /\[0\]\.slug: must not look like an address .*; it is "0xface"; see README "Collections"/,
  },
  "a malformed variable": {
    env: () => ({ TRADE_MAX_AGE: "soon" }),
    sentence: /TRADE_MAX_AGE must be a whole number/,
  },
  "a data folder of another PostgreSQL": {
    env: () => {
      const data = join(folder, "other-data");
      mkdirSync(join(data, "postgres"), { recursive: true });
      writeFileSync(join(data, "postgres", "PG_VERSION"), "9\n");
      writeFileSync(join(data, "postgres-password"), "any");
      return { VITRINE_DATA: data };
    },
    sentence: /is of version 9 and this one of version \d+; set VITRINE_DATA to another folder/,
  },
  "a password of the embedded PostgreSQL that can't be read": {
    env: () => {
      const data = join(folder, "unreadable");
      mkdirSync(join(data, "postgres"), { recursive: true });
      mkdirSync(join(data, "postgres-password"));
      return { VITRINE_DATA: data };
    },
    sentence: /postgres-password can't be read \(EISDIR\); start Vitrine as its owner or set VITRINE_DATA/,
  },
  "a data folder that can't be made": {
    env: () => ({ VITRINE_DATA: "/proc/vitrine" }),
    sentence: /\/proc\/vitrine can't be created; set VITRINE_DATA to a folder that can be written\.$/,
  },
  "a data folder that takes no file": {
    env: () => ({ VITRINE_DATA: "/proc/self", DATABASE_URL: otherUrl({}) }),
    sentence: /\/proc\/self can't be written \(\w+\); set VITRINE_DATA to a folder that can be/,
  },
  "a data folder that takes no database": {
    env: () => ({
      VITRINE_DATA: "/proc/self",
      VITRINE_SECRET: "x".repeat(32),
      VITRINE_OPERATOR_TOKEN: "x".repeat(32),
    }),
    sentence: /\/proc\/self can't be written \(\w+\); set VITRINE_DATA to a folder that can be/,
  },
  "a DATABASE_URL whose password has a character of its own": {
    env: () => ({ DATABASE_URL: "postgresql://vitrine:hun#ter2@127.0.0.1:5432/vitrine" }),
    sentence: /DATABASE_URL must be postgresql:\/\/[^#]*$/,
  },
  "a DATABASE_URL that is none": {
    env: () => ({ DATABASE_URL: "vitrine" }),
    sentence: /DATABASE_URL must be postgresql:\/\//,
  },
  "a database that is not there": {
    env: () => ({ DATABASE_URL: otherUrl({ pathname: "/nowhere" }) }),
    sentence: /PostgreSQL refuses the connection \(database "nowhere" does not exist\); correct DATABASE_URL/,
  },
  "another password": {
    env: () => ({ DATABASE_URL: otherUrl({ password: "wrong" }) }),
    sentence: /PostgreSQL refuses the connection \(password authentication failed .*\); correct DATABASE_URL/,
  },
  "a role that may create no schema": {
    env: () => ({ DATABASE_URL: otherUrl({ username: "reader", password: "r" }) }),
    sentence: /Role "reader" may not create schemas in database "vitrine"; allow it with `grant create on /,
  },
  "a database that was restored under another role": {
    env: () => ({ DATABASE_URL: otherUrl({ username: "guest", password: "g" }) }),
    sentence:
      /Role "guest" lacks rights on schema "ponder_sync" of role "vitrine" and schema "vitrine" of role "vitrine" \(permission denied for schema ponder_sync\); name the owner in DATABASE_URL, or restore/,
  },
  "a database that can't hold every document": {
    env: () => ({ DATABASE_URL: otherUrl({ pathname: "/latin" }) }),
    sentence: /Database "latin" has the encoding LATIN1, and Vitrine needs UTF8; create one with `createdb /,
  },
};

it("each fault of the configuration stops the start with one sentence that says what to do", async () => {
  const ends = await configEnds(Object.values(faults).map(({ env }) => ({ ...environment(), ...env() })));

  expect(Object.fromEntries(Object.keys(faults).map((name, nth) => [name, ends[nth]]))).toEqual(
    Object.fromEntries(
      Object.entries(faults).map(([name, { sentence }]) => [
        name,
        { code: 1, lines: [expect.stringMatching(new RegExp(`^vitrine: .*${sentence.source}`))] },
      ]),
    ),
  );
});

it("a replica whose argument and variable name two schemas does not start: it would serve the one that the operator has left", async () => {
  const { code, lines } = await startsAndFails({ ...environment(), DATABASE_SCHEMA: "y" }, undefined, [
    "serve",
    "--schema",
    "x",
  ]);

  expect(lines).toEqual([
    'vitrine: --schema is "x" and DATABASE_SCHEMA is "y"; remove --schema, or give both the same name.',
  ]);
  expect(code).toBe(1);
});

it("a busy port stops the start with one sentence that says what to do", async () => {
  const other = createServer().listen(0);
  await once(other, "listening");
  const { port } = other.address() as { port: number };

  const { code, lines } = await startsAndFails(environment(), port);
  other.close();

  expect(code).toBe(1);
  expect(lines).toEqual([
    `vitrine: Port ${port} is in use; stop what listens there or set PORT to a free one.`,
  ]);
});

it("a schema that another process indexes stops `npm start` with one sentence that says what to do", async () => {
  const { code, log } = await second;

  expect(code).toBe(1);
  expect(log).toMatch(/vitrine_chain.*in use by another process \(process \d+ on /);
  // Ponder's own refusal would unlock the schema of the process that has it.
  expect(await readLock(SCHEMA)).toBe(1);
});

it("of two services that start at the same moment on one schema, one serves and the other says why it does not", async () => {
  const [loser] = await Promise.race(
    rivals.map((rival) => rival.exited.then((code) => [rival, code] as const)),
  );
  const winner = rivals.find((rival) => rival !== loser) as Service;
  await eventually(() => isReady(winner), Boolean);

  expect(await loser.exited).toBe(1);
  expect(loser.log()).toContain('Schema "raced" is in use by another process');
  expect(winner.process.exitCode).toBeNull();
  expect(await readLock("raced")).toBe(1);
});

it("listens by a server of ours, instead of Ponder's: its limits apply before any route", async () => {
  const url = running.baseUrl;
  const preflight = await fetch(`${url}/console`, {
    method: "OPTIONS",
    headers: { origin: "https://a.example" },
  });
  await fetch(`${url}/livez`);
  // Rendered at most once a second.
  const measured = 'vitrine_http_request_duration_seconds_count{method="GET",path="/livez"';
  const text = await eventually(
    async () => (await fetch(`${url}/metrics`)).text(),
    (metrics) => metrics.includes(measured),
  );
  const port = Number(new URL(url).port);
  const long = await exchange(port, `GET /${"a".repeat(25_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const metrics = await Promise.all(
    Array.from({ length: 301 }, async () => (await fetch(`${url}/metrics`)).status),
  );

  expect(preflight.status).toBe(403);
  expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  expect(text).toContain("vitrine_connections_ended_total");
  expect([long.status, JSON.parse(long.text).code]).toEqual([431, "HEAD_TOO_LARGE"]);
  expect(metrics).toContain(429);
});

it.each([
  ["too large", "/graphql", 413, "close"],
  ["without a key", "/market-partner/metadata/validate", 401, "keep-alive"],
])(
  "a request %s that is refused while its body is still arriving gets its answer, and a kept connection serves on",
  async (_title, path, status, connection) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = new URL(running.baseUrl);
    const refused = request({
      port,
      path,
      method: "POST",
      agent,
      headers: { "content-type": "application/json", "content-length": 2_000_000 },
    });
    refused.write('{"query":"');
    const [answer] = (await once(refused, "response")) as [IncomingMessage];
    const { socket } = answer;
    // As a client that writes all of its body before it reads, in parts that meet a closed connection if there is one.
    for (let sent = 10; sent < 2_000_000; sent += 199_999) {
      refused.write("x".repeat(199_999));
      await sleep(20);
    }
    refused.end();

    expect([answer.statusCode, answer.headers.connection]).toEqual([status, connection]);
    expect(JSON.parse(await text(answer))).toHaveProperty("request_id");
    const next = request({ port, path: "/livez", agent }).end();
    const [served] = (await once(next, "response")) as [IncomingMessage];
    expect([served.statusCode, served.socket === socket]).toEqual([200, connection === "keep-alive"]);
    agent.destroy();
  },
);

// The last one: it stops the service.
it("needs nothing but an RPC endpoint and a collections file", async () => {
  const answer = await fetch(`${running.baseUrl}/market/collections`);

  expect(answer.status).toBe(401);
  expect(await running.stop()).toBe(0);
});
