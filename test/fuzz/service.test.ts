/**
 * A service under requests that nobody would send on purpose: every operation of openapi.json, GraphQL, pages, the
 * console's forms and bytes that are not HTTP. FUZZ_SECONDS sets the duration (60), FUZZ_REQUESTS the minimum number,
 * FUZZ_SEED repeats a run, and FUZZ_ONLY one request of it, by the number that a fault names.
 */

import { randomInt } from "node:crypto";
import http from "node:http";
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDeclaredCheck } from "../support/http/declared.ts";
import { memoryOf } from "../support/processes/process-state.ts";
import { createWorld, type World } from "../support/processes/world.ts";
import { createRandom, type Random } from "../support/random.ts";
import { createKey, OPERATOR_TOKEN } from "../support/service-key.ts";
import { environmentNumber, SEED_MAX } from "../support/setup/environment-number.ts";
import { call, type FuzzRequest } from "./support/call.ts";
import { clip, faultOf } from "./support/judge.ts";
import { createGraphqlFuzzer } from "./support/operations.ts";
import { sendRaw } from "./support/raw.ts";
import { createRestFuzzer } from "./support/rest.ts";
import { createSiteFuzzer } from "./support/site.ts";

const seed = environmentNumber("FUZZ_SEED") ?? randomInt(SEED_MAX);
const seconds = environmentNumber("FUZZ_SECONDS") ?? 60;
const requests = environmentNumber("FUZZ_REQUESTS") ?? 0;
const only = environmentNumber("FUZZ_ONLY");
const AT_ONCE = 24;
// Requests made from the schemas of openapi.json alone.
const CONTRACT_REQUESTS = environmentNumber("FUZZ_CONTRACT_REQUESTS") ?? 5_000;
const FAULTS_MAX = 20;
const KEY_EVERY = 250;
// The service has taken up to a gigabyte in 50,000 requests; a leak in each would exceed this.
const MEMORY_MAX_MB = 1_500;
const LEVEL_ERROR = 50;

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let world: World;
// Without a limit: Node 20 does not mark a request that waited for a socket as one that reuses it.
const agent = new http.Agent({ keepAlive: true });
beforeAll(async () => {
  say({ test: "fuzz", seed, seconds, requests });
  world = await createWorld({
    env: { TRUSTED_PROXIES: "127.0.0.1,::1", OPERATOR_CONTACT: "help@operator.example" },
    // Ponder without a supervisor, which would restart a dead process.
    service: {
      ponderArgs: ["start", "--schema", "vitrine_fuzz", "--log-format", "json", "--log-level", "info"],
    },
  });
});
afterAll(async () => {
  agent.destroy();
  await world?.close();
});

it("answers whatever is sent with an answer of the contract, and goes on as before", async () => {
  const { port } = world;
  const send = await createSender();
  const pid = world.service.process.pid ?? 0;
  const startedAt = Date.now();
  const faults: string[] = [];
  const statuses: Record<string, number> = {};
  const [memoryBefore, sent] = [memoryOf(pid), { count: 0 }];
  let peak = memoryBefore;

  async function work(): Promise<void> {
    while (faults.length < FAULTS_MAX) {
      const isOver = Date.now() - startedAt > seconds * 1000 && sent.count >= requests;
      if (isOver || (only !== undefined && sent.count > 0)) return;
      const index = only ?? sent.count;
      sent.count++;
      if (index % 200 === 0) peak = Math.max(peak, memoryOf(pid));
      const { fault, status } = await send(index);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (fault) faults.push(`#${index}: ${fault}`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  const live = await call(port, agent, {
    method: "GET",
    path: "/market/collections",
    headers: { "x-api-key": await createKey(world.service) },
    body: undefined,
  });
  const errors = errorLines(world.service.log());
  const memory = memoryOf(pid);
  say({
    test: "fuzz",
    seed,
    sent: sent.count,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    statuses,
    memory_mb: { before: memoryBefore, peak, after: memory },
    faults: faults.length,
    errors_logged: errors.length,
  });
  expect.soft(faults).toEqual([]);
  expect.soft(errors).toEqual([]);
  expect(world.service.process.exitCode).toBeNull();
  expect(live).toMatchObject({ status: 200 });
  expect(peak).toBeLessThan(MEMORY_MAX_MB);
});

it("answers requests made from openapi.json with what openapi.json declares", async () => {
  const { port } = world;
  const keys = { current: await createKey(world.service) };
  const document = JSON.parse(await text(`${world.service.baseUrl}/openapi.json`));
  const rest = createRestFuzzer(document, { keys, operatorToken: OPERATOR_TOKEN, known: knownValues() });
  const check = createDeclaredCheck(document);
  const faults: string[] = [];
  const counts = { sent: 0, checked: 0 };
  const statuses: Record<string, number> = {};

  async function work(): Promise<void> {
    while (counts.checked < CONTRACT_REQUESTS && faults.length < FAULTS_MAX) {
      const index = counts.sent++;
      const random = createRandom(seed + 1, index);
      const made = rest(random);
      if (!made.operation) continue;
      const request = { ...made, headers: { ...made.headers, "x-forwarded-for": addressOf(random) } };
      const answer = await call(port, agent, request);
      if (answer === undefined) continue;
      counts.checked++;
      if (index % KEY_EVERY === 0) keys.current = await createKey(world.service);
      const { method, path } = made.operation;
      const broken = faultOf(request, answer);
      if (broken) faults.push(`#${index}: ${shown(request)}\n  ${broken}`);
      if (broken || typeof answer === "string") continue;
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const type = answer.headers["content-type"] ?? "";
      const fault = answer.headers["content-encoding"]
        ? undefined
        : check(method, path, { status: answer.status, type, text: answer.text });
      if (fault) faults.push(`#${index}: ${shown(request)}\n  ${fault}`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  say({ test: "contract", seed, ...counts, statuses, faults: faults.length });
  expect(faults).toEqual([]);
});

const knownValues = (): string[] => [
  world.heroes,
  world.items,
  world.heroes.toUpperCase().replace("X", "x"),
  "1",
  "2",
  "3",
  "7",
  "31337",
  "Class",
  "Level",
  "Mage",
  ...world.population.holders.map(({ address }) => address),
];

/** Sends the request of a number: the same for the same seed. */
async function createSender() {
  const { port, service } = world;
  const { baseUrl } = service;
  const keys = { current: await createKey(world.service) };
  const known = knownValues();
  const document = JSON.parse(await text(`${baseUrl}/openapi.json`));
  const introspection = JSON.parse(
    await text(`${baseUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: getIntrospectionQuery() }),
    }),
  ) as { data: IntrospectionQuery };
  const rest = createRestFuzzer(document, { keys, operatorToken: OPERATOR_TOKEN, known });
  const graphql = createGraphqlFuzzer(buildClientSchema(introspection.data), { keys, known });
  const site = await createSiteFuzzer({ port, agent, baseUrl, operatorToken: OPERATOR_TOKEN, known });

  return async (index: number): Promise<{ fault: string | undefined; status: string }> => {
    const random = createRandom(seed, index);
    const kind = random.next();
    if (kind < 0.02) return { fault: await sendRaw(random, port), status: "raw" };
    const made = kind < 0.45 ? rest(random) : kind < 0.75 ? graphql(random) : site(random);
    const request = { ...made, headers: { ...made.headers, "x-forwarded-for": addressOf(random) } };
    const answer = await call(port, agent, request);
    if (answer === undefined) return { fault: undefined, status: "unsendable" };
    const fault = faultOf(request, answer);
    const status = typeof answer === "string" ? "none" : String(answer.status);
    // The console's forms revoke keys and permissions, as they should.
    if (index % KEY_EVERY === 0) keys.current = await createKey(world.service);
    if (only !== undefined) say({ request: { ...request, body: String(request.body ?? "") }, answer });
    return { fault: fault && `${shown(request)}\n  ${fault}`, status };
  };
}

/** Addresses of many clients, so that limits by address refuse few. */
const addressOf = (random: Random): string => `10.${random.whole(0, 255)}.${random.whole(0, 255)}.1`;

const shown = ({ method, path, body }: FuzzRequest): string =>
  `${method} ${clip(path)} ${body === undefined ? "" : clip(body.toString())}`;

async function text(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.text();
}

/** Lines at error level, and those that no logger wrote. */
function errorLines(log: string): string[] {
  const lines = log.split("\n").filter((line) => line !== "");
  return (
    lines
      // Node's own warnings about Ponder.
      .filter((line) => !/^\((?:node:\d+|Use `node )/.test(line))
      .filter((line) => !line.startsWith("{") || (JSON.parse(line) as { level: number }).level >= LEVEL_ERROR)
      .map((line) => clip(line, 1_500))
      .slice(0, FAULTS_MAX)
  );
}
