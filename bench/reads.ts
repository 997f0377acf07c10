/**
 * Requests per second of what marketplaces read most, from the whole service while it indexes a live chain, against bare
 * Hono with one indexed select of a token's answer, whatever is read here.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type autocannon from "autocannon";
import pg from "pg";
import { loadHttp } from "./http-load.ts";
import { byPace, compareRounds, say } from "./rounds.ts";
import { type ServedCollection, withServedCollection } from "./served-collection.ts";

const TOKENS = byPace(5_000, 1_000);
const CONNECTIONS = 16;
const ROUNDS = byPace(7, 1);
// Every token, so that those asked for are no fewer than a collection has.
const PATHS = TOKENS;
const CHECKED = 100;
// An app of the advanced tier may send 1,500 requests a second.
const APPS = 10;
const BARE = fileURLToPath(new URL("./bare-server.ts", import.meta.url));

type Request = autocannon.Request;

interface Kind {
  readonly request: (nth: number) => Request;
  /** A part of each answer, so that an empty one can't win. */
  readonly holds: string;
  readonly bar: object;
}

// The bars of checks, a GraphQL token and a collection's page are three times what revision 4aab253c, before reads were
// worked on, gave with this load where bare Hono gives 10,000: 290, 395 and 123.
function kindsOf({ collection, chainId }: ServedCollection): Record<string, Kind> {
  const id = (nth: number): string => String(((nth * 7919) % TOKENS) + 1);
  const of = `/market/collections/${collection}`;
  const post = (path: string, body: object): Request => ({
    method: "POST",
    path,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  const criteria = (nth: number): string =>
    encodeURIComponent(
      JSON.stringify([
        { name: `Trait ${nth % 7}`, values: [`Value ${nth % 20}`, `Value ${(nth + 1) % 20}`] },
      ]),
    );
  return {
    token: {
      request: (nth) => ({ path: `${of}/tokens/${id(nth)}` }),
      holds: '"traits":[{',
      bar: { ratio: 0.5, per_second: 3_000, p99_ms: 15 },
    },
    page_by_trait: {
      request: (nth) => ({ path: `${of}/tokens?limit=20&criteria=${criteria(nth)}` }),
      holds: '"traits":[{',
      bar: { per_second: 1_000 },
    },
    facets: {
      request: (nth) => ({ path: `${of}/traits?criteria=${criteria(nth)}` }),
      holds: '"traits":[{',
      // Three times the highest that was measured from outside, before reads were worked on.
      bar: { per_second: 6_800 },
    },
    checks_100: {
      request: (nth) =>
        post("/market/trade_checks", {
          action: "trade",
          items: Array.from({ length: CHECKED }, (_, index) => ({
            collection_address: collection,
            token_id: id(nth + index),
          })),
        }),
      holds: '"allowed":true',
      bar: { per_second: 870 },
    },
    graphql_token: {
      request: (nth) =>
        post("/graphql", {
          query: `query ($id: String!) { token(chainId: ${chainId}, tokenAddress: "${collection}", tokenId: $id) { name tradable traits { traitType value percentage } } }`,
          variables: { id: id(nth) },
        }),
      holds: '"traits":[{',
      bar: { per_second: 1_190 },
    },
    html_collection: {
      request: () => ({ path: `/collections/${chainId}/${collection}` }),
      holds: "Token ",
      bar: { per_second: 370 },
    },
    html_token: {
      request: (nth) => ({ path: `/collections/${chainId}/${collection}/${id(nth)}` }),
      holds: "Trait 1",
      bar: { per_second: 300 },
    },
  };
}

export const benchReads = (): Promise<object> =>
  withServedCollection({ tokens: TOKENS, env: { TRUSTED_PROXIES: "127.0.0.1,::1" } }, async (served) => {
    const keys = await served.createKeys(APPS);
    const kinds = kindsOf(served);
    const asked = process.env.BENCH_READS?.split(",");
    const bare = await startBare(served, String(kinds.token?.request(0).path));
    try {
      const results: Record<string, object> = {};
      for (const [name, kind] of Object.entries(kinds)) {
        if (asked && !asked.includes(name)) continue;
        results[name] = await compare(name, { kind, keys, served, bare });
      }
      return { tokens: TOKENS, connections: CONNECTIONS, reads: results };
    } finally {
      bare.stop();
    }
  });

interface Bare {
  readonly url: string;
  stop(): void;
}

/** Every token's finished answer in one table, and bare Hono in front of it, in a process of its own. */
async function startBare({ url, baseUrl, createKeys }: ServedCollection, path: string): Promise<Bare> {
  const [key = ""] = await createKeys(1);
  const answer = await (await fetch(`${baseUrl}${path}`, { headers: { "x-api-key": key } })).text();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `create table bare_token (token_id numeric(78) primary key, answer json not null);
     insert into bare_token select id, $$${answer}$$ from generate_series(1, ${TOKENS}) id; analyze bare_token`,
  );
  await client.end();
  const server = spawn(process.execPath, ["--import", "tsx", BARE, url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(server.stdout, "data");
  return { url: `http://127.0.0.1:${String(line).trim()}`, stop: () => void server.kill() };
}

async function compare(
  name: string,
  { kind, keys, served, bare }: { kind: Kind; keys: readonly string[]; served: ServedCollection; bare: Bare },
): Promise<object> {
  const requests = Array.from({ length: PATHS }, (_, nth): Request => {
    const request = kind.request(nth);
    // Pages are limited by the client's address, so each visitor has one of its own.
    const visitor = `10.1.${nth >> 8}.${nth & 255}`;
    const caller = request.path?.startsWith("/collections/")
      ? { "x-forwarded-for": visitor }
      : { "x-api-key": keys[nth % keys.length] ?? "" };
    return { method: "GET", ...request, headers: { ...request.headers, ...caller } };
  });
  await assertHolds(served.baseUrl, requests[0], kind.holds);
  const plain = Array.from({ length: PATHS }, (_, nth): Request => ({ method: "GET", path: `/${nth + 1}` }));
  const compared = await compareRounds(ROUNDS, {
    vitrine: () => loadHttp({ url: served.baseUrl, connections: CONNECTIONS, requests }),
    bare: () => loadHttp({ url: bare.url, connections: CONNECTIONS, requests: plain }),
  });
  say(`${name}: ${JSON.stringify(compared)}`);
  return { ...compared, bar: kind.bar };
}

async function assertHolds(baseUrl: string, request: Request | undefined, part: string): Promise<void> {
  const { path = "", method = "GET", headers, body } = request ?? {};
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body !== undefined && { body: String(body) }),
  });
  const text = await answer.text();
  if (answer.status !== 200 || !text.includes(part))
    throw new Error(`${path} answered ${answer.status} without ${part}: ${text.slice(0, 300)}`);
}
