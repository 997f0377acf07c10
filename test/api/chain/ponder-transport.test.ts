import { setTimeout as sleep } from "node:timers/promises";
import { getLogsRetryHelper } from "@ponder/utils";
import { Registry } from "prom-client";
import type { RpcError } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Chain, type Contract, startChain } from "../../../demo/chain.ts";
import {
  createDeliveredBlocks,
  type DeliveredBlocks,
  type RpcBlock,
} from "../../../src/api/chain/rpc/delivered-blocks.ts";
import { endProbes } from "../../../src/api/chain/rpc/endpoint-health.ts";
import { createEndpoints, type Endpoints } from "../../../src/api/chain/rpc/endpoints.ts";
import { hashAtEndpoints } from "../../../src/api/chain/rpc/head-witness.ts";
import { createChainMetrics } from "../../../src/api/chain/rpc/metrics.ts";
import { createPonderRequest } from "../../../src/api/chain/rpc/ponder-transport.ts";
import { type Endpoint, type Fault, startEndpoint } from "../../faults/support/endpoint.ts";
import { eventually } from "../../support/eventually.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { type RpcProxy, startRpcProxy } from "../../support/servers/rpc-proxy.ts";

/** One process's view of the chain, over its own endpoints. */
interface View {
  readonly rpcs: readonly Endpoint[];
  readonly endpoints: Endpoints;
  readonly blocks: DeliveredBlocks;
  readonly request: ReturnType<typeof createPonderRequest>;
  /** Fetches the latest block as Ponder polls it. */
  latest(): Promise<RpcBlock>;
}

let chain: Chain;
let heroes: Contract;
let nextId = 1n;
/** The chain's head in hex, as of the last `setHead`. */
let head = "0x0";
const opened: Endpoint[] = [];
let view: View;
let first: Endpoint;
beforeAll(async () => {
  chain = await startChain();
  heroes = await chain.deploy("VitrineHeroes", ["http://localhost/"]);
  await chain.mine(10);
});
afterAll(() => chain.close());
beforeEach(async () => {
  await use(2);
  await setHead();
});
afterEach(async () => {
  endProbes();
  await Promise.all(opened.splice(0).map((rpc) => rpc.close()));
});

async function open(count: number): Promise<View> {
  const rpcs = await Promise.all(Array.from({ length: count }, () => startEndpoint(chain.rpcUrl)));
  opened.push(...rpcs);
  const endpoints = createEndpoints({ id: chain.chainId, rpcUrls: rpcs.map(({ url }) => url) });
  const blocks = createDeliveredBlocks();
  const request = createPonderRequest(endpoints, blocks);
  const latest = () => request({ method: "eth_getBlockByNumber", params: ["latest", true] });
  return { rpcs, endpoints, blocks, request, latest: latest as () => Promise<RpcBlock> };
}
async function use(count: number): Promise<void> {
  view = await open(count);
  first = view.rpcs[0] as Endpoint;
}
async function setHead(): Promise<void> {
  head = `0x${(await chain.blockNumber()).toString(16)}`;
}
async function mine(blocks = 1): Promise<void> {
  await chain.mine(blocks);
  await setHead();
}
const isHead = ({ number }: RpcBlock): boolean => number === head;
const statuses = ({ endpoints }: Pick<View, "endpoints"> = view) =>
  endpoints.report().map(({ status }) => status);
const logsOf = ({ hash }: RpcBlock, { request }: View = view) =>
  request({ method: "eth_getLogs", params: [{ blockHash: hash }] }) as Promise<unknown[]>;
const rangeOf = ({ number }: RpcBlock, { request }: Pick<View, "request"> = view) =>
  request({
    method: "eth_getLogs",
    params: [{ address: heroes.address, fromBlock: number, toBlock: number }],
  }) as Promise<unknown[]>;
const parentOf = ({ parentHash }: Pick<RpcBlock, "parentHash">) =>
  view.request({ method: "eth_getBlockByHash", params: [parentHash, false] }) as Promise<RpcBlock>;
/** What /metrics says, by labels. */
async function metric(name: string, { blocks, endpoints }: View = view): Promise<Record<string, number>> {
  const registry = new Registry();
  createChainMetrics(registry, [{ chain: chain.chainId, blocks, endpoints }]);
  const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {};
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
}
/** Mines a block with logs, and delivers it to Ponder. */
async function blockWithLogs(): Promise<RpcBlock> {
  await chain.write(heroes, "mint", [chain.account(1).address, nextId++]);
  await setHead();
  return view.latest();
}
/** Lets Ponder fetch the blocks that it has missed. */
async function catchUp(from: number): Promise<void> {
  for (let number = from; number <= Number(head); number++) {
    await view.request({ method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, true] });
  }
}
/** Replaces the chain after a snapshot by so many other blocks. */
async function reorganise(snapshot: `0x${string}`, blocks: number): Promise<void> {
  await chain.revert(snapshot);
  await chain.rpc("evm_increaseTime", [7]);
  await mine(blocks);
}

describe("the log", () => {
  it("has one line when an endpoint goes down and one when it is back, with its host and no more of its URL", async () => {
    const rpc = await startEndpoint(chain.rpcUrl);
    opened.push(rpc);
    const url = `${rpc.url}/v3/secret?k=secret`;
    const endpoints = createEndpoints({ id: chain.chainId, rpcUrls: [url] });
    const request = createPonderRequest(endpoints, createDeliveredBlocks());
    const poll = () => request({ method: "eth_getBlockByNumber", params: ["latest", true] });
    const { logger, entries } = createMemoryLogger();
    await poll();
    endpoints.watch(logger);
    const about = { chain: chain.chainId, endpoint: 1, host: new URL(url).host };
    const down = { level: "warn", msg: "An RPC endpoint is down", ...about, reason: "http_500" };
    const back = {
      level: "info",
      msg: "An RPC endpoint is back",
      ...about,
      down_seconds: expect.any(Number),
    };

    rpc.fail("500");
    await Promise.all([poll(), poll(), poll()]);
    await eventually(async () => entries.length, Boolean);
    await poll();
    expect(entries).toEqual([down]);
    rpc.fail();
    await eventually(
      async () => entries.length,
      (lines) => lines > 1,
    );
    expect(entries).toEqual([down, back]);

    // Down again within the minute.
    rpc.fail("500");
    await poll();
    rpc.fail();
    await eventually(
      async () => endpoints.report()[0]?.status,
      (status) => status === "used",
    );
    expect(entries).toEqual([down, back]);
    expect(JSON.stringify(entries)).not.toContain("secret");
  });
});

describe("an endpoint that fails", () => {
  const every: readonly [Fault, RegExp][] = [
    ["hang", /^timeout$/],
    ["429", /^rate_limited$/],
    ["500", /^http_500$/],
    ["html", /^not_json$/],
    ["garbage", /^not_json$/],
    ["nothing", /^unreachable$/],
    ["empty", /^empty$/],
    ["null", /^no_block$/],
    ["error", /^rpc_error$/],
    // Whichever comes first on a busy machine.
    ["huge", /^(?:too_large|timeout)$/],
  ];
  const failAll = (views: readonly View[], faults = every): void => {
    for (const [index, [fault]] of faults.entries()) views[index]?.rpcs[0]?.fail(fault);
  };

  it("is left for the next one, reported with what is wrong, and used again once it is well", async () => {
    const views = await Promise.all(every.map(() => open(2)));
    await Promise.all(views.map((each) => each.latest()));
    failAll(views);
    await mine();

    await Promise.all(views.map((each) => eventually(each.latest, isHead)));
    // On a busy machine, anything may first take too long; the next probe finds what it is.
    const reports = await Promise.all(
      views.map(({ endpoints }, nth) =>
        eventually(
          async () => endpoints.report(),
          ([down]) => every[nth]?.[1].test(down?.reason ?? "") === true,
        ),
      ),
    );
    for (const { rpcs } of views) rpcs[0]?.fail();

    expect(reports.map(([down]) => [down?.status, down?.reason])).toEqual(
      every.map(([, reason]) => ["down", expect.stringMatching(reason)]),
    );
    expect(reports.map(([, used]) => used)).toMatchObject(
      every.map(() => ({ status: "used", reason: null, latestBlock: Number(head) })),
    );
    for (const each of views) {
      await eventually(
        () => statuses(each),
        ([status]) => status === "used",
      );
    }
  });

  it("and is the only one keeps calls waiting until it is well, and reverts nothing", async () => {
    const views = await Promise.all(every.map(() => open(1)));
    const block = await blockWithLogs();
    await Promise.all(views.map((each) => each.latest()));
    failAll(views);
    const waiting = views.map((each) => logsOf(block, each));
    const meanwhile = await Promise.all(views.map((each) => each.latest()));
    for (const each of views) {
      await eventually(
        () => statuses(each),
        ([status]) => status === "down",
      );
    }
    await mine();

    for (const { rpcs } of views) rpcs[0]?.fail();

    expect(meanwhile.map(({ hash }) => hash)).toEqual(every.map(() => block.hash));
    expect((await Promise.all(waiting)).map((logs) => logs.length)).toEqual(every.map(() => 1));
    for (const each of views) await eventually(each.latest, isHead);
  });

  it("and is the only one is counted, though Ponder is answered with what it knows", async () => {
    await use(1);
    const place = `${chain.chainId} 1`;
    const before = await metric("vitrine_rpc_failures_total");
    await view.latest();
    await first.goAway();

    const answers = [await view.latest(), await view.latest()];
    const failures = await eventually(
      () => metric("vitrine_rpc_failures_total"),
      ({ [place]: count = 0 }) => count >= 3,
    );

    expect(before).toEqual({ [place]: 0 });
    expect(answers.map(({ number }) => number)).toEqual([head, head]);
    expect(await metric("vitrine_rpc_calls_total")).toEqual({ [place]: expect.any(Number) });
    const { [place]: calls = 0 } = await metric("vitrine_rpc_calls_total");
    expect(calls).toBeGreaterThan(failures[place] ?? 0);
    await first.comeBack();
  });

  it("is counted apart from its neighbour, whatever is wrong with it", async () => {
    const isHuge = ([fault]: (typeof every)[number]): boolean => fault === "huge";
    // By themselves: huge answers hold this process for as long as the calls of the others may take.
    for (const faults of [every.filter((each) => !isHuge(each)), every.filter(isHuge)]) {
      const views = await Promise.all(faults.map(() => open(2)));
      await Promise.all(views.map((each) => each.latest()));
      failAll(views, faults);
      await mine();
      await Promise.all(views.map((each) => eventually(each.latest, isHead)));

      for (const each of views) {
        await eventually(
          () => metric("vitrine_rpc_failures_total", each),
          (failures) => (failures[`${chain.chainId} 1`] ?? 0) > 0 && failures[`${chain.chainId} 2`] === 0,
        );
      }
    }
  });

  it("by refusing connections is noticed as well", async () => {
    await view.latest();
    await first.goAway();

    expect(await view.latest()).toMatchObject({ number: head });
    expect(statuses()).toEqual(["down", "used"]);
    // A connection that was already open breaks first.
    await eventually(
      () => view.endpoints.report(),
      ([down]) => down?.reason === "refused",
    );
    await first.comeBack();
    await eventually(statuses, ([status]) => status === "used");
  });

  it("by hanging keeps no one from the next one who waits a second only, as trade checks do", async () => {
    const { hash, number } = await view.latest();
    const hashAt = hashAtEndpoints(new Map([[chain.chainId, view.endpoints]]));
    first.fail("hang");

    const ask = (): Promise<unknown> => hashAt(chain.chainId, Number(number));
    const found: unknown[] = [];
    // Once more, since a busy machine may take half a second itself.
    for (let nth = 0; nth < 4; nth++) found.push((await ask()) ?? (await ask()));

    expect(found).toEqual([hash, hash, hash, hash]);
  });

  it("by hanging is not put out again by the questions that it left unanswered", async () => {
    await use(1);
    await view.latest();
    first.fail("hang");
    await eventually(statuses, ([status]) => status === "down");
    // A question a second hangs for up to 4 seconds.
    await sleep(3_000);
    first.fail();
    await eventually(statuses, ([status]) => status === "used");

    const seen = new Set<string | undefined>();
    for (const end = Date.now() + 4_500; Date.now() < end; await sleep(20)) seen.add(statuses()[0]);
    expect([...seen]).toEqual(["used"]);
  });

  it("is noticed, and used again once it is well, even if a clock was set back", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"] });
    await view.latest();
    vi.setSystemTime(Date.now() - 3_600_000);
    first.fail("500");
    await view.latest();
    expect(statuses()).toEqual(["down", "used"]);

    vi.setSystemTime(Date.now() - 3_600_000);
    first.fail();
    await eventually(statuses, ([status]) => status === "used");
  });

  it("by taking over three seconds for everything goes on being asked where it is the only one", async () => {
    await use(1);
    first.slow(3_200);

    expect(await view.latest()).toMatchObject({ number: head });
    await mine();
    await eventually(view.latest, isHead);
  });

  it("is named by its place and host, and never by what else its URL holds", async () => {
    const url = `${first.url.replace("//", "//user:secret@")}/v2/key?apiKey=other`;
    const endpoints = createEndpoints({ id: chain.chainId, rpcUrls: [url] });
    await createPonderRequest(endpoints, createDeliveredBlocks())({ method: "eth_chainId" });

    expect(endpoints.report()).toMatchObject([{ endpoint: 1, host: new URL(first.url).host }]);
    expect(JSON.stringify(endpoints.report())).not.toMatch(/secret|key|other/);
  });
});

describe("an endpoint that is behind", () => {
  it("is left for one that is not, and reported", async () => {
    await view.latest();
    await mine(5);
    first.lag((newest) => ({ head: newest - 5 }));

    await eventually(view.latest, isHead);
    expect(view.endpoints.report()).toMatchObject([
      { status: "behind", reason: "5 blocks behind" },
      { status: "used", latestBlock: Number(head) },
    ]);
  });

  it("counts as down for as long as none has answered", async () => {
    await view.latest();
    expect(view.endpoints.areDown(0)).toBe(false);
    await Promise.all(view.rpcs.map((rpc) => rpc.goAway()));
    await view.latest();
    await eventually(
      () => view.endpoints.areDown(1_500),
      (areDown) => areDown,
    );
    await first.comeBack();
    await eventually(
      () => view.endpoints.areDown(0),
      (areDown) => !areDown,
    );
  });

  it("is not the one that a start begins with: Ponder ends if it is behind what the index has finalized", async () => {
    first.lag((newest) => ({ head: newest - 10 }));

    expect(isHead(await view.latest())).toBe(true);
  });

  it("is begun with if the one that is ahead goes away", async () => {
    const [, second] = view.rpcs;
    first.lag((newest) => ({ head: newest - 10 }));
    await view.endpoints.compareHeads(3_000);
    await second?.goAway();

    expect(Number((await view.latest()).number)).toBe(Number(head) - 10);
  });

  it("and is the only one reverts nothing: Ponder gets what it has seen until there is more", async () => {
    await use(1);
    const from = Number(head);
    await mine(40);
    const before = await view.latest();
    await catchUp(from);
    first.lag((newest) => ({ head: newest - 40 }));

    expect(await view.latest()).toMatchObject({ hash: before.hash });
    first.lag();
    await mine();
    await eventually(view.latest, isHead);
  });

  it("does not hide that its neighbour has a block's logs", async () => {
    const block = await blockWithLogs();
    first.lag((newest) => ({ head: newest - 1 }));

    expect(await logsOf(block)).toHaveLength(1);
  });

  it("is not asked for ranges beyond what it has seen, of which it would leave out the rest", async () => {
    first.lag((newest) => ({ head: newest - 1 }));
    const { blockNumber } = await chain.write(heroes, "mint", [chain.account(1).address, nextId++]);
    const block = { number: `0x${blockNumber.toString(16)}` } as RpcBlock;

    const all = await Promise.all(Array.from({ length: 20 }, () => rangeOf(block)));

    expect(all.map((logs) => logs.length)).toEqual(all.map(() => 1));
    expect(statuses()).not.toContain("down");
  });

  it("is not taken to have seen what a slow neighbour answers while it is asked itself", async () => {
    await view.latest();
    const [, second] = view.rpcs;
    second?.lag((newest) => ({ head: newest - 1 }));
    // The second is asked after three seconds, and is about to answer when the first does.
    for (const rpc of view.rpcs) rpc.slow(3_400);
    const { blockNumber } = await chain.write(heroes, "mint", [chain.account(1).address, nextId++]);
    await setHead();

    const block = await view.latest();
    const [, lagging] = view.endpoints.report();
    for (const rpc of view.rpcs) rpc.slow(0);

    expect(Number(block.number)).toBe(Number(blockNumber));
    expect(lagging?.latestBlock).toBeLessThan(Number(blockNumber));
    expect(await rangeOf(block)).toHaveLength(1);
  });

  it("keeps a range of logs waiting where it is the only one", async () => {
    await use(1);
    const block = await blockWithLogs();
    const { number } = block;
    first.lag((newest) => ({ head: newest - 1 }));
    // Its answers in the meantime decide.
    await eventually(
      () => view.endpoints.report(),
      ([only]) => only?.latestBlock === Number(number) - 1,
    );
    let answered = false;
    const waiting = rangeOf(block).finally(() => {
      answered = true;
    });
    const asked = first.requests();
    await eventually(
      () => first.requests(),
      (requests) => requests > asked,
    );
    expect(answered).toBe(false);

    first.lag();

    expect(await waiting).toHaveLength(1);
  });
});

describe("an endpoint of another chain", () => {
  let other: Chain;
  let proxy: RpcProxy;
  let use: (chain: Chain) => void;
  beforeAll(async () => {
    other = await startChain({ chainId: 4_242 });
    await other.mine(500);
  });
  afterAll(() => other.close());
  beforeEach(async () => {
    proxy = await startRpcProxy(chain.rpcUrl);
    use = ({ rpcUrl }) => {
      proxy.reset(({ calls, isBatch }, response) => {
        const body = JSON.stringify(isBatch ? calls : calls[0]);
        const headers = { "content-type": "application/json" };
        fetch(rpcUrl, { method: "POST", headers, body })
          .then(async (answer) => response.writeHead(200, headers).end(await answer.text()))
          .catch(() => response.destroy());
        return true;
      });
    };
    use(chain);
  });
  afterEach(() => proxy.close());
  const viewOf = (rpcUrls: readonly string[]) => {
    const endpoints = createEndpoints({ id: chain.chainId, rpcUrls });
    const request = createPonderRequest(endpoints, createDeliveredBlocks());
    return { endpoints, request };
  };

  it("is never asked for anything, whatever its place, and is reported", async () => {
    const block = await blockWithLogs();
    use(other);
    const mixed = viewOf([proxy.url, first.url]);
    const params = ["latest", true];
    mixed.endpoints.watch();
    await eventually(
      () => statuses(mixed),
      ([status]) => status === "down",
    );

    expect(await mixed.request({ method: "eth_getBlockByNumber", params })).toMatchObject({ number: head });
    const all = await Promise.all(Array.from({ length: 20 }, () => rangeOf(block, mixed)));
    expect(all.map((logs) => logs.length)).toEqual(all.map(() => 1));
    expect(mixed.endpoints.report()).toMatchObject([
      { status: "down", reason: "chain_4242" },
      { status: "used" },
    ]);
    expect(mixed.endpoints.places()).toEqual([2]);
    expect(new Set(proxy.rpcRequests.flatMap(({ calls }) => calls.map(({ method }) => method)))).toEqual(
      new Set(["eth_chainId", "eth_blockNumber"]),
    );
  });

  it("that served the right one before is found out, and used again once it does", async () => {
    const mixed = viewOf([proxy.url, first.url]);
    await mixed.request({ method: "eth_getBlockByNumber", params: ["latest", true] });
    expect(statuses(mixed)).toMatchObject(["used", expect.anything()]);

    use(other);
    await eventually(
      () => statuses(mixed),
      ([status]) => status === "down",
      20_000,
    );
    use(chain);
    await eventually(
      () => statuses(mixed),
      ([status]) => status === "used",
    );
  });

  it("leaves nobody to ask where it is the only one", async () => {
    use(other);
    const { endpoints } = viewOf([proxy.url]);
    endpoints.watch();
    await eventually(
      () => statuses({ endpoints }),
      ([status]) => status === "down",
    );

    expect(endpoints.places()).toEqual([]);
  });
});

describe("a reorganisation", () => {
  let snapshot: `0x${string}`;
  let lost: RpcBlock;
  let lostParent: RpcBlock;
  beforeEach(async () => {
    snapshot = await chain.snapshot();
    lostParent = await blockWithLogs();
    lost = await blockWithLogs();
  });

  it("is reported even where the new chain is shorter", async () => {
    await reorganise(snapshot, 1);

    const { number, hash } = await view.latest();

    expect(number).toBe(lostParent.number);
    expect(hash).not.toBe(lostParent.hash);
  });

  it("is counted once, however deep it is", async () => {
    const name = "vitrine_chain_reorgs_total";
    const before = await metric(name);
    await reorganise(snapshot, 3);

    let step = await view.latest();
    // As Ponder does: back to the block before both, and then forward again.
    while (Number(step.number) >= Number(lostParent.number)) step = await parentOf(step);
    await catchUp(Number(lostParent.number));
    await view.latest();

    expect(before).toEqual({ [chain.chainId]: 0 });
    expect(await metric(name)).toEqual({ [chain.chainId]: 1 });
  });

  it("makes the logs of a dropped block an error that Ponder takes for final", async () => {
    await reorganise(snapshot, 3);

    const error = (await logsOf(lost).catch((reason) => reason)) as Error & { code: number };

    expect(error.message).toContain(`Block ${Number(lost.number)} (${lost.hash}) has been reverted`);
    // Ponder's own rule, in rpc/index.js: a numeric code, and the message.
    expect(error.code).toEqual(expect.any(Number));
  });

  it("that drops a block while Ponder steps back leads it down to where it starts over, without a failure", async () => {
    await reorganise(snapshot, 3);

    let step = await parentOf({ parentHash: `0x${"ab".repeat(32)}` });
    for (let steps = 0; steps < 60; steps++) step = await parentOf(step);

    expect(step.parentHash).toMatch(/^0x0{64}$/);
  });

  it("gives Ponder the way back that it has been shown before, whatever the node still knows", async () => {
    await reorganise(snapshot, 3);

    expect(await parentOf(lost)).toMatchObject({ hash: lostParent.hash, number: lostParent.number });
  });
});

describe("an endpoint that calls a block hash that it doesn't have an invalid parameter", () => {
  // EIP-1474 leaves the code open; some nodes check whether they know a hash while validating its form.
  const refuse = (rpc: Endpoint): void =>
    rpc.refuse(({ method, params: [named] = [] }) => {
      const isLogs = method === "eth_getLogs" && (named as { blockHash?: string }).blockHash !== undefined;
      return isLogs || method === "eth_getBlockByHash"
        ? { code: -32_602, message: "invalid params: unknown block" }
        : undefined;
    });

  it("still makes the logs of a dropped block an error that Ponder takes for final", async () => {
    const snapshot = await chain.snapshot();
    const lost = await blockWithLogs();
    for (const rpc of view.rpcs) refuse(rpc);
    await reorganise(snapshot, 3);

    const error = (await logsOf(lost).catch((reason) => reason)) as Error;

    expect(error.message).toContain(`Block ${Number(lost.number)} (${lost.hash}) has been reverted`);
  });

  it("does not hide that its neighbour has a block and its logs", async () => {
    const block = await blockWithLogs();
    refuse(first);

    expect(await logsOf(block)).toHaveLength(1);
    const before = await open(2);
    refuse(before.rpcs[0] as Endpoint);
    const params = [block.parentHash, false];
    expect(await before.request({ method: "eth_getBlockByHash", params })).toMatchObject({
      hash: block.parentHash,
    });
    expect(statuses()).toEqual(["used", "ready"]);
  });

  it("is asked again about a block that the chain has", async () => {
    const block = await blockWithLogs();
    for (const rpc of view.rpcs) refuse(rpc);
    const logs = logsOf(block);
    await eventually(
      async () => first.requests(),
      (requests) => requests > 6,
    );
    for (const rpc of view.rpcs) rpc.refuse();

    expect(await logs).toHaveLength(1);
  });
});

describe("a node's limit on a range of logs", () => {
  const range = { fromBlock: "0x1", toBlock: "0x64" } as const;
  // Endpoints get no requests for logs beyond their heads.
  beforeAll(() => chain.mine(100));
  const limits: readonly [string, number, string][] = [
    ["Alchemy's", -32_602, "You can make eth_getLogs requests with up to a 50 block range"],
    ["Alchemy's free tier", -32_600, "Under the Free tier plan, up to a 10 block range"],
    ["Infura's", -32_005, "query returned more than 10000 results. Try with this block range [0x1, 0x32]."],
  ];

  it.each(limits)("reaches Ponder in the node's words: %s", async (_whose, code, message) => {
    for (const rpc of view.rpcs) {
      rpc.refuse(({ method }) => (method === "eth_getLogs" ? { code, message } : undefined));
    }

    const error = (await view
      .request({ method: "eth_getLogs", params: [range] })
      .catch((reason) => reason)) as RpcError;

    expect(error).toMatchObject({ code, details: message });
    expect(getLogsRetryHelper({ error, params: [range] })).toMatchObject({ shouldRetry: true });
    expect(statuses()).toEqual(["used", "ready"]);
  });

  it("is distinguished from a limit on requests, which puts an endpoint out for a moment", async () => {
    first.refuse(({ method }) =>
      method === "eth_getLogs" ? { code: -32_005, message: "request rate limited" } : undefined,
    );

    expect(
      await view.request({ method: "eth_getLogs", params: [{ fromBlock: "0x1", toBlock: "0x2" }] }),
    ).toEqual(expect.any(Array));
    expect(view.endpoints.report()).toMatchObject([{ status: "down", reason: "rate_limited" }, {}]);
  });
});

describe("logs that a node has deleted", () => {
  const range = { fromBlock: "0x1", toBlock: "0x64" } as const;
  const ask = () => view.request({ method: "eth_getLogs", params: [range] });
  const words = [
    ["geth's", 4_444, "pruned history unavailable"],
    ["Nethermind's", -32_001, "Pruned history unavailable, see EIP-4444"],
    ["a block's", -32_000, "block #1 not found: required historical state unavailable"],
  ] as const;
  beforeAll(() => chain.mine(100));

  it.each(words)("are asked of the next endpoint: %s", async (_whose, code, message) => {
    first.refuse(({ method }) => (method === "eth_getLogs" ? { code, message } : undefined));

    expect(await ask()).toEqual(expect.any(Array));
  });

  it.each(words)(
    "end in one sentence without a stack where no endpoint has them: %s",
    async (_whose, code, message) => {
      for (const rpc of view.rpcs)
        rpc.refuse(({ method }) => (method === "eth_getLogs" ? { code, message } : undefined));

      const error = (await ask().catch((reason) => reason)) as RpcError;

      expect(error.message).toBe(
        `an RPC endpoint has deleted the logs of blocks 1 to 100 ("${message}"), and no other gives them now; if none has them, add an archive node, or begin later (startBlock)`,
      );
      expect(error.stack).toBe(`Error: ${error.message}`);
      expect(getLogsRetryHelper({ error, params: [range] })).toMatchObject({ shouldRetry: false });
      expect(statuses()).toEqual(["used", "ready"]);
    },
  );

  it.each([
    "eth_getLogs is limited to a 10 range; larger historical ranges are not available on your plan",
    "historical block 0x64 is not available yet",
    "history service is temporarily unavailable, try again",
  ])("are not meant by %j, which reaches Ponder as it is", async (message) => {
    for (const rpc of view.rpcs)
      rpc.refuse(({ method }) => (method === "eth_getLogs" ? { code: -32_000, message } : undefined));

    expect(await ask().catch((reason) => reason)).toMatchObject({ code: -32_000, details: message });
  });
});

it("an error that is about the call is passed on at once", async () => {
  const error = await view.request({ method: "eth_nothing" }).catch((reason) => reason);

  expect(error).toMatchObject({ code: -32_601 });
  expect(statuses()).toEqual(["used", "ready"]);
});

it("calls that any endpoint can answer are spread over all of them", async () => {
  await Promise.all(Array.from({ length: 40 }, () => view.request({ method: "eth_chainId" })));

  expect(Math.min(...view.rpcs.map((rpc) => rpc.requests()))).toBeGreaterThan(10);
});
