import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import { type MetadataHost, startMetadataHost } from "../../demo/metadata-host.ts";
import { freePort, type Service, startService } from "../../demo/service.ts";
import { createSite, type Site } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createPartner, eventually } from "../support/processes/world.ts";
import { createKey } from "../support/service-key.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const HEROES = [1, 2, 3];
const POLL_MS = 50;

let chain: Chain;
let host: MetadataHost;
let heroes: Contract;
let items: Contract;
let site: Site;
let env: Record<string, string>;
let old: Service;
let beside: Beside | undefined;
let proxy: Proxy;

beforeAll(async () => {
  [chain, host, proxy] = await Promise.all([startChain(), startMetadataHost(), startProxy()]);
  heroes = await chain.deploy("VitrineHeroes", [host.heroesBaseUri]);
  items = await chain.deploy("VitrineItems", [host.itemsTemplateUri]);
  const holder = chain.account(1).address;
  await chain.write(heroes, "mintRange", [holder, 1n, BigInt(HEROES.length)]);
  await chain.write(items, "mint", [holder, 1n, 5n]);
  const document = (name: string) => ({ name, image: "https://x.example/a.png" });
  for (const id of HEROES) host.set("heroes", id, document(`Hero ${id}`));
  host.set("items", 1, document("Item 1"));
  await chain.mineEvery(1);

  site = await createSite([{ chain, collections: [lower(heroes)] }], {
    ALLOW_PRIVATE_HOSTS: new URL(host.url).host,
    REFRESH_CONCURRENCY: "4",
  });
  const port = await freePort();
  env = { ...site.env, DATABASE_SCHEMA: "live", BASE_URL: proxy.url };
  old = await startService({ port, env, logFile: `${site.folder}/old.log` });
  proxy.target = port;
});
afterAll(async () => {
  beside?.child.kill("SIGINT");
  await Promise.all([old?.stop(), beside?.ended]);
  await site?.close();
  await Promise.all([host.close(), proxy.close()]);
});

interface Proxy {
  readonly url: string;
  target: number;
  close(): Promise<void>;
}

/** Forwards every request to the current target; `POST /moved/<port>` changes the target. */
async function startProxy(): Promise<Proxy> {
  const server: Server = createServer((incoming, outgoing) => {
    const moved = /^\/moved\/(\d+)$/.exec(incoming.url ?? "")?.[1];
    if (moved) {
      self.target = Number(moved);
      outgoing.end();
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request(
      { host: "127.0.0.1", port: self.target, method, path: url, headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", (error) => outgoing.writeHead(502).end(JSON.stringify({ message: error.message })));
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const self: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: 0,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return self;
}

/** Runs a command to its end. */
function run(args: readonly string[], more: Record<string, string> = {}) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
    const options = {
      cwd: PROJECT,
      env: { ...process.env, ...env, ...more },
    };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}
const INDEX = ["bin/vitrine.js", "index"];
const check = (more: Record<string, string> = {}) => run([...INDEX, "check"], more);

interface Beside {
  readonly child: ChildProcess;
  /** The exit code or the signal's name, once all output has been read. */
  readonly ended: Promise<unknown>;
  /** Its output so far. */
  out(): string;
  log(): string;
}

/** Starts `index beside`. */
function startBeside(args: readonly string[], more: Record<string, string> = {}): Beside {
  const child = spawn(process.execPath, [...INDEX, "beside", ...args], {
    cwd: PROJECT,
    env: { ...process.env, ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, log] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  return { child, ended, out: () => out, log: () => log };
}

const schemas = async (): Promise<string[]> => {
  const rows = await site.query<{ name: string }>(
    "select nspname as name from pg_namespace where nspname ~ '^(live|vitrine)' order by 1",
  );
  return rows.map(({ name }) => name);
};
const servingIndexesIn = async (schema: string): Promise<number | undefined> => {
  const [row] = await site.query<{ indexes: number }>(
    `select count(*)::int as indexes from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = '${schema}'::regnamespace and starts_with(relname, 'vitrine_') and indisvalid`,
  );
  return row?.indexes;
};
const buildIdIn = async (schema: string): Promise<string | undefined> => {
  const [row] = await site.query<{ id: string }>(
    `select value->>'build_id' as id from ${schema}._ponder_meta where key = 'app'`,
  );
  return row?.id;
};

describe("adding a collection while the service is in use", () => {
  it("is distinguished from a change that resumes by the id that Ponder itself gives the build", async () => {
    const { code, stdout } = await run([...INDEX.slice(0, 1), "--json", "index", "check"]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "resumes", build_id: await buildIdIn("live") });
  });

  it("costs no request: the new index is built beside the old one and takes over when it has caught up", async () => {
    const key = await createKey(old);
    const partner = createPartner(proxy.url, key);
    await eventually(
      () => Promise.all(HEROES.map((id) => partner.token(lower(heroes), id))),
      // A token that isn't indexed yet has none.
      (tokens) => tokens.every(({ name }) => typeof name === "string"),
    );
    const fetchesBefore = HEROES.map((id) => host.requests.get(host.path("heroes", id)));
    const polling = startPolling(partner);

    const collections = [heroes, items].map((each) => ({
      chainId: chain.chainId,
      address: lower(each),
      startBlock: 0,
    }));
    writeFileSync(`${site.folder}/collections.json`, JSON.stringify(collections));
    const [{ code, stdout }, busy] = await Promise.all([
      check(),
      run([...INDEX, "beside", "--port", new URL(old.baseUrl).port]),
    ]);
    expect(stdout).toContain(`\n  collection ${lower(items)} on chain ${chain.chainId} is new\n`);
    expect(code).toBe(2);
    expect(busy).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("is in use; pass") });

    // Stopped half-way, it leaves a schema that the same command continues.
    const given = startBeside(["--port", String(await freePort())]);
    await eventually(schemas, (names) => names.includes("live_2"));
    given.child.kill("SIGINT");
    expect(await given.ended).toBe(1);
    expect(given.log()).toContain("the old service has lost nothing");
    expect(given.out()).toBe("");

    const port = await freePort();
    const then = `node -e 'fetch("${proxy.url}/moved/" + process.env.PORT, { method: "POST" })'`;
    beside = startBeside(["--port", String(port), "--then", then]);
    const { child, out, log } = beside;
    await eventually(
      async () => ({ target: proxy.target, exit: child.exitCode, log: log() }),
      ({ target, exit }) => {
        if (exit !== null) throw new Error(`the new service ended\n${log()}`);
        return target === port;
      },
    );
    expect(await servingIndexesIn("live_2")).toBeGreaterThan(0);
    expect(await servingIndexesIn("live_2")).toBe(await servingIndexesIn("live"));
    // By then, requests to the old service from before the switch have been answered.
    await polling.goesOn(2);
    expect(await old.stop()).toBe(0);
    await polling.goesOn(20);

    expect(await polling.stop()).toEqual([]);
    expect(out()).toBe(`DATABASE_SCHEMA=live_2 PORT=${port}\n`);
    const item = await eventually(
      () => partner.token(lower(items), 1),
      ({ name }) => typeof name === "string",
    );
    expect(item.name).toBe("Item 1");
    expect(HEROES.map((id) => host.requests.get(host.path("heroes", id)))).toEqual(fetchesBefore);
  });

  it("leaves an index that the next start resumes by its schema's name", async () => {
    const { code, stdout } = await check({ DATABASE_SCHEMA: "live_2" });

    expect(stdout).toMatch(/^resumes: schema "live_2" /);
    expect(code).toBe(0);
  });

  it("leaves an old index that Ponder prunes while the new one serves, and ours stays", async () => {
    expect(await schemas()).toEqual(["live", "live_2", "vitrine"]);

    const { code } = await run(["node_modules/ponder/dist/esm/bin/ponder.js", "db", "prune"]);

    expect(await schemas()).toEqual(["live_2", "vitrine"]);
    expect(code).toBe(0);
  });

  it("is built by one of two commands that start together; the other ends before it announces anything", async () => {
    const list = `${site.folder}/heroes.json`;
    writeFileSync(
      list,
      JSON.stringify([{ chainId: chain.chainId, address: lower(heroes), startBlock: 0, name: "Heroes" }]),
    );
    const more = { DATABASE_SCHEMA: "live_2", COLLECTIONS_FILE: list };
    const args = ["--port", String(await freePort()), "--then", "echo moved >&2"];
    const both = [startBeside(args, more), startBeside(args, more)];
    try {
      const first = await Promise.race(both.map(async (each) => ({ each, code: await each.ended })));
      const other = both.find((each) => each !== first.each) as Beside;
      await eventually(
        async () => other.log(),
        (log) => log.includes("this process is the new service"),
      );

      expect(first.code).toBe(1);
      expect(first.each.out()).toBe("");
      expect(first.each.log()).toMatch(
        /^vitrine: another process indexes this code and these collections into schema "live_3"$/m,
      );
      expect(first.each.log()).not.toContain("moved");
      expect(other.out()).toContain("DATABASE_SCHEMA=live_3 ");
      expect(other.log()).toContain("moved");
    } finally {
      for (const { child } of both) child.kill("SIGINT");
      await Promise.all(both.map(({ ended }) => ended));
    }
  });

  it("ends with the supervisor's exit code when the new service is stopped", async () => {
    beside?.child.kill("SIGTERM");

    expect(await beside?.ended).toBe(0);
  });
});

/** A client that polls a token over REST and GraphQL in turn without a pause, and collects every failure. */
function startPolling(partner: ReturnType<typeof createPartner>) {
  const failures: unknown[] = [];
  let count = 0;
  let isStopped = false;
  const [tokenAddress, tokenId] = [lower(heroes), "1"];
  const query =
    "query ($a: String!, $id: String!) { token(tokenAddress: $a, tokenId: $id) { name owner lock { locked } } }";
  const token = { name: "Hero 1", owner: chain.account(1).address.toLowerCase(), lock: { locked: false } };

  const polling = (async () => {
    for (; !isStopped; count++) {
      try {
        const rest = await partner.call(`/market/collections/${tokenAddress}/tokens/${tokenId}`);
        if (rest.status !== 200 || rest.body.name !== token.name || rest.body.owner !== token.owner)
          failures.push(rest);
        const graphql = await partner.graphql(query, { a: tokenAddress, id: tokenId });
        if (JSON.stringify(graphql) !== JSON.stringify({ data: { token } })) failures.push(graphql);
      } catch (error) {
        failures.push(error);
      }
      await sleep(POLL_MS);
    }
  })();
  return {
    /** Waits for this many more rounds. */
    async goesOn(rounds: number) {
      const until = count + rounds;
      await eventually(
        async () => count,
        (now) => now > until,
      );
    },
    async stop() {
      isStopped = true;
      await polling;
      return failures;
    },
  };
}
