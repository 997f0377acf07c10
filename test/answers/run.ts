/** One run: a service over a chain that is the same every time, and the values that answers bring. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Chain } from "../../demo/chain.ts";
import { populate } from "../../demo/populate.ts";
import { makeFolder } from "../support/folder.ts";
import type { Ended } from "../support/processes/command.ts";
import { createWorld, eventually, type World } from "../support/processes/world.ts";
import { OPERATOR_TOKEN } from "../support/service-key.ts";
import { createNormaliser, type Recorded, replaced } from "./normalise.ts";
import {
  type Answer,
  type Command,
  fill,
  type HttpRequest,
  type KeyName,
  type RunTools,
  type Values,
  type Visitor,
} from "./request.ts";
import { runCommand, send } from "./send.ts";
import { createSettle } from "./settle.ts";

// What the first account deploys, in the order in which it does.
const HEROES = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const ITEMS = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512";
const REGISTRY = "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0";
const OPERATOR_ACCOUNT = 9;
const OPERATOR_WALLET = "0xa0ee7a142d267c1f36714e4a8f75612f20a79720";
const ZERO_HASH = `0x${"0".repeat(64)}`;
// Further than the index may be past the last block that is recorded by its number.
const BLOCKS_BETWEEN = 20;
/** How far a command was when it looked. */
const PROGRESS = [/^vitrine: (?:\[[#.]+\]|\d+ of \d+|waiting for its turn).*\n/gm, ""] as const;
const ACCOUNTS = { owner: 0, ada: 1, ben: 2, operator: OPERATOR_ACCOUNT } as const;

/** The environment of commands that run without a service. */
export const offlineEnvironment = { BASE_URL: "http://localhost:1", VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN };

export interface Run {
  answer(request: HttpRequest): Promise<Recorded>;
  command(command: Command): Promise<Recorded>;
  close(): Promise<void>;
}

export async function startRun(): Promise<Run> {
  const folder = makeFolder();
  const collections = [
    { chainId: 31337, address: HEROES, startBlock: 0, name: "Vitrine Heroes", slug: "vitrine-heroes" },
    { chainId: 31337, address: ITEMS, startBlock: 0 },
  ];
  writeFileSync(join(folder, "collections.json"), JSON.stringify(collections));
  let lastBlock = 0;
  const world = await createWorld({
    env: {
      COLLECTIONS_FILE: join(folder, "collections.json"),
      DELEGATE_REGISTRY_31337: REGISTRY,
      OPERATOR_ADDRESSES: OPERATOR_WALLET,
      OPERATOR_CONTACT: "help@operator.example",
      RESAMPLE_HOURS: "0",
      TRUSTED_PROXIES: "127.0.0.1,::1",
      VITRINE_SECRET: "secret-of-the-answers-with-enough-characters",
    },
    populate: async (chain, host) => {
      // Tried five times in about a minute, which nobody would wait for.
      host.set("heroes", 47, { status: 410, body: { error: "gone" } });
      const population = await populate(oneAtATime(chain), host);
      lastBlock = Number(await chain.blockNumber());
      await chain.mine(BLOCKS_BETWEEN);
      return population;
    },
  });
  const values = valuesOf(world);
  const hashes = new Set([ZERO_HASH, world.population.listingRights]);
  const normalise = createNormaliser({ block: lastBlock, hashes, places: placesOf(world, folder) });

  const cookies = new Map<Visitor, string>();
  let asked = 0;
  async function ask(request: HttpRequest): Promise<Answer> {
    const client = ++asked;
    const { method, path, body, form, key, isOperator, as, from } = request;
    const cookie = as && cookies.get(as);
    const headers: Values = {
      "x-forwarded-for": from ?? `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`,
      ...(key && { "x-api-key": `{{key_${key}}}` }),
      ...(isOperator && { authorization: `Bearer ${OPERATOR_TOKEN}` }),
      ...(as && { origin: world.service.baseUrl }),
      ...(cookie && { cookie }),
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      ...(body !== undefined && typeof body !== "string" && { "content-type": "application/json" }),
      ...request.headers,
    };
    const filled = fill(body, values);
    const sent = {
      port: world.port,
      method,
      path: fill(path, values),
      headers: fill(headers, values),
      body: form ? new URLSearchParams(fill(form, values)).toString() : bodyOf(filled),
      events: request.events,
    };
    const answer = request.until
      ? await eventually(
          () => send(sent),
          (got) => request.until?.(got.text, got) === true,
        )
      : await send(sent);
    const set = /vitrine_session=[^;]*/.exec(answer.headers["set-cookie"] ?? "");
    if (as && set) cookies.set(as, set[0]);
    return answer;
  }

  const settle = createSettle(ask);
  const tools: RunTools = {
    values,
    world,
    ask,
    settle,
    sign: (who, message) => world.chain.account(ACCOUNTS[who]).signMessage({ message }),
  };
  const prepare = async (request: HttpRequest | Command): Promise<void> => {
    Object.assign(values, await request.prepare?.(tools));
  };
  await makeKeys(ask, values);

  return {
    async answer(request) {
      await prepare(request);
      const answer = await ask(request);
      Object.assign(values, savedOf(answer, request.save));
      return normalise.answer(request, answer);
    },

    async command(command) {
      await prepare(command);
      const env = fill({ ...commandEnvironment(world), ...command.env }, values);
      const ended = await runCommand(fill(command.args, values), env, fill(command.stdin, values));
      const saved = Object.entries(command.save ?? {}).map(([name, pattern]) => [
        name,
        pattern.exec(ended.stdout)?.[1] ?? "",
      ]);
      Object.assign(values, Object.fromEntries(saved));
      return recordedOf(ended, command, normalise.lines);
    },

    async close() {
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What is recorded of a command. */
export const recordedOf = (
  { code, stdout, stderr }: Ended,
  { replace }: Command,
  lines: (text: string) => unknown[],
): Recorded => ({
  status: `exit ${code}`,
  body: {
    stdout: lines(replaced(stdout, replace)),
    stderr: lines(replaced(stderr, [PROGRESS, ...(replace ?? [])])),
  },
});

const commandEnvironment = ({ env, port, service }: World): Values => ({
  ...env,
  PORT: String(port),
  BASE_URL: service.baseUrl,
  VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN,
});

const bodyOf = (body: unknown): string | undefined =>
  body === undefined || typeof body === "string" ? body : JSON.stringify(body);

/** One transaction a block, in one order: blocks, logs and hashes of what is done are the same in every run. */
function oneAtATime(chain: Chain): Chain {
  let last: Promise<unknown> = Promise.resolve();
  const inOrder =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> => {
      const next = last.then(() => work(...args));
      last = next;
      return next;
    };
  return { ...chain, deploy: inOrder(chain.deploy), write: inOrder(chain.write) };
}

function valuesOf({ chain, service, host, population, heroes, items }: World): Values {
  if (heroes !== HEROES || items !== ITEMS) throw new Error(`the contracts are at ${heroes} and ${items}`);
  const { owner, holders, lockers, delegates, delegateRegistry } = population;
  const [ada, ben, cy, dot] = holders.map(({ address }) => address.toLowerCase());
  const [game, market, hot, agent] = [...lockers, ...delegates].map(({ address }) => address.toLowerCase());
  if (delegateRegistry.address.toLowerCase() !== REGISTRY) throw new Error("the registry is elsewhere");
  const people = { ada, ben, cy, dot, game, market, hot, agent } as Values;
  return {
    ...people,
    base: service.baseUrl,
    chain: String(chain.chainId),
    host: host.url,
    heroes,
    items,
    owner: owner.address.toLowerCase(),
    operator_wallet: OPERATOR_WALLET,
    registry: REGISTRY,
    checksummed: population.erc721.address,
    rights: population.listingRights,
    stranger: "0x00000000000000000000000000000000000000aa",
    id: "00000000-0000-4000-8000-000000000000",
    operator_token: OPERATOR_TOKEN,
  };
}

/** Text that differs from run to run; longer ones first, which others are part of. */
function placesOf({ service, host, chain, port, folder }: World, own: string): [string, string][] {
  const hostOf = (url: string): string => new URL(url).host;
  return [
    [join(own, "collections.json"), "<collections file>"],
    [folder, "<folder>"],
    [own, "<folder>"],
    [hostOf(service.baseUrl), "<service>"],
    [encodeURIComponent(hostOf(service.baseUrl)), "<service>"],
    [hostOf(host.url), "<metadata host>"],
    [encodeURIComponent(hostOf(host.url)), "<metadata host>"],
    [hostOf(chain.rpcUrl), "<node>"],
    [`127.0.0.1:${port}`, "<service>"],
  ];
}

function savedOf({ headers, text }: Answer, save: HttpRequest["save"] = {}): Values {
  const all = `${JSON.stringify(headers)}\n${text}`;
  const entries = Object.entries(save).map(([name, where]) => {
    const found =
      typeof where === "string"
        ? where
            .split(".")
            .reduce<unknown>((json, key) => (json as Record<string, unknown> | null)?.[key], JSON.parse(text))
        : where.exec(all)?.[1];
    if (found === undefined || found === null)
      throw new Error(`the answer brings no ${name}: ${all.slice(0, 500)}`);
    return [name, String(found)];
  });
  return Object.fromEntries(entries);
}

async function makeKeys(ask: RunTools["ask"], values: Values): Promise<void> {
  const both = ["market-partner", "market"];
  const keys: Record<Exclude<KeyName, "broken">, { apis: string[]; collections?: string[] }> = {
    full: { apis: both },
    market: { apis: ["market"] },
    partner: { apis: ["market-partner"] },
    heroes: { apis: ["market-partner"], collections: [`31337:${HEROES}`] },
    spare: { apis: both },
  };
  for (const [name, may] of Object.entries(keys)) {
    const body = { app: `Answers ${name}`, ...may };
    const answer = await ask({ method: "POST", path: "/admin/keys", isOperator: true, body });
    const { key, id } = JSON.parse(answer.text) as Values;
    if (!key || !id) throw new Error(`no key for ${name}: ${answer.text}`);
    values[`key_${name}`] = key;
    values[`key_id_${name}`] = id;
  }
  values.key_broken = `vk_${"0".repeat(48)}_000000`;
}
