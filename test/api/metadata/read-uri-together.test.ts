/** Batched URI reads on a real chain: few requests, and no token that spoils another's answer. */

import type { ServerResponse } from "node:http";
import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chain, startChain } from "../../../demo/chain.ts";
import { createChainCalls } from "../../../src/api/chain/contract/batched-calls.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { createUriReader, type ReadUri, type UriRead } from "../../../src/api/metadata/uri/read-uri.ts";
import { installMulticall3, MULTICALL3 } from "../../support/chain/multicall.ts";
import {
  type Obstacle,
  type RpcCall,
  type RpcProxy,
  startRpcProxy,
} from "../../support/servers/rpc-proxy.ts";

// Enough for one contract to return 5 MB (54 million), too little for Multicall3 to copy it.
const GAS_LIMIT = 200_000_000;
const FIVE_MB = 5_000_000;

// mstore(0, 32) mstore(32, 32) mstore(64, the token id) return(0, 96): a string that contains the id.
const SOUND = "60206000526020602052600435604052606060 00f3".replace(" ", "");
const hex = (size: number): string => size.toString(16).padStart(6, "0");
const sized = (bytes: number): string => `602060005262${hex(bytes)}60205262${hex(bytes + 64)}6000f3`;
const codes = {
  sound: SOUND,
  reverting: "60006000fd",
  /** invalid(): consumes all its gas. */
  burning: "fe",
  /** for (;;) {} */
  endless: "5b600056",
  /** A number instead of a string. */
  garbage: "600760005260206000f3",
  huge: sized(FIVE_MB),
  /** In hex, above the 10 MiB that are accepted. */
  enormous: sized(FIVE_MB + 500_000),
  /** require(gasleft() > 100_000), and then a valid answer. */
  hungry: `620186a05a11600e5760006000fd5b${SOUND}`,
};
type Behaviour = keyof typeof codes | "absent";
const addressOf = (behaviour: Behaviour): string =>
  `0x${(0x1000 + Object.keys(codes).indexOf(behaviour)).toString(16).padStart(40, "0")}`;

let chain: Chain;
let bare: Chain;
let proxy: RpcProxy;
let bareProxy: RpcProxy;
let block: number;

async function install(on: Chain): Promise<void> {
  for (const [name, code] of Object.entries(codes))
    await on.rpc("anvil_setCode", [addressOf(name as Behaviour), `0x${code}`]);
  await on.mine(2);
}

beforeAll(async () => {
  const extraArgs = [`--gas-limit=${GAS_LIMIT}`];
  [chain, bare] = await Promise.all([startChain({ extraArgs }), startChain({ extraArgs })]);
  await installMulticall3(chain);
  await Promise.all([install(chain), install(bare)]);
  [proxy, bareProxy] = await Promise.all([startRpcProxy(chain.rpcUrl), startRpcProxy(bare.rpcUrl)]);
  block = Number(await chain.blockNumber());
});
beforeEach(() => {
  proxy.reset();
  bareProxy.reset();
});
afterAll(async () => {
  await Promise.all([proxy?.close(), bareProxy?.close(), chain?.close(), bare?.close()]);
});

const createReader = ({ url }: RpcProxy): ReadUri => {
  const readUri = createUriReader(createChainCalls(createChainClients([{ id: 31_337, rpcUrls: [url] }])));
  return (token, standard, at) => readUri(token, standard, at);
};
const read = (readUri: ReadUri, behaviours: readonly Behaviour[], at = block): Promise<UriRead[]> =>
  Promise.all(
    behaviours.map((behaviour, id) =>
      readUri({ chainId: 31_337, collection: addressOf(behaviour), tokenId: String(id) }, "erc721", at),
    ),
  );
const some = (count: number, behaviour: Behaviour = "sound"): Behaviour[] =>
  Array.from({ length: count }, () => behaviour);
/** The id that a sound contract returned; otherwise the kind of failure. */
const idOf = (answer: UriRead | undefined): number | string | undefined =>
  answer?.kind === "read" && answer.uri.length === 32 ? answer.uri.charCodeAt(31) : answer?.kind;
const isMulticall = ({ method, params }: RpcCall): boolean =>
  method === "eth_call" && (params[0] as { to?: Hex }).to?.toLowerCase() === MULTICALL3;

describe("where Multicall3 is deployed", () => {
  it("100 reads of a block cost one eth_call, and looking for it costs one request ever", async () => {
    const readUri = createReader(proxy);

    const first = await read(readUri, some(100));
    expect(first.map(idOf)).toEqual([...first.keys()]);
    expect([proxy.count("eth_getCode"), proxy.count("eth_call")]).toEqual([1, 1]);

    await Promise.all([read(readUri, some(100)), read(readUri, some(50), block - 1)]);
    expect([proxy.count("eth_getCode"), proxy.count("eth_call")]).toEqual([1, 3]);
  });

  it("is asked at the block that was given, each block by itself", async () => {
    const readUri = createReader(proxy);

    await Promise.all([read(readUri, some(2)), read(readUri, some(2), block - 1)]);

    const blocks = proxy.rpcRequests
      .flatMap(({ calls }) => calls.filter(isMulticall))
      .map(({ params }) => params[1]);
    expect(blocks.toSorted()).toEqual([block - 1, block].map((each) => `0x${each.toString(16)}`).toSorted());
  });

  it.each<{ what: string; among: Behaviour[] }>([
    { what: "revert", among: some(3, "reverting") },
    { what: "answer garbage or are no contract", among: ["garbage", "absent"] },
    { what: "answer 5 MB", among: ["huge"] },
    { what: "burn all gas", among: ["burning"] },
    { what: "burn all gas, so often that nothing is left", among: some(4, "burning") },
    { what: "never end", among: ["endless", "endless"] },
    { what: "leave another too little gas, which then reverts", among: ["burning", "burning", "hungry"] },
  ])("tokens that $what end as they do by themselves, and the others are read", async ({ among }) => {
    const readUri = createReader(proxy);
    const behaviours = [...some(2), ...among, ...some(2)];

    const answers = await read(readUri, behaviours);

    const alone: UriRead[] = [];
    for (const [id, behaviour] of behaviours.entries()) {
      const token = { chainId: 31_337, collection: addressOf(behaviour), tokenId: String(id) };
      alone.push(await createReader(proxy)(token, "erc721", block));
    }
    expect(answers.map(idOf)).toEqual(alone.map(idOf));
    const isSound = (behaviour: Behaviour): boolean => behaviour === "sound" || behaviour === "hungry";
    for (const [id, behaviour] of behaviours.entries())
      if (isSound(behaviour)) expect(idOf(answers[id])).toBe(id);
  });

  it("a revert costs one call more, and no token that was read is asked again", async () => {
    const readUri = createReader(proxy);

    const answers = await read(readUri, [...some(50), "reverting", ...some(49)]);

    expect(answers.filter(({ kind }) => kind === "read")).toHaveLength(99);
    expect(proxy.count("eth_call")).toBe(2);
  });

  it("a token is read while another's revert is still being examined", async () => {
    const readUri = createReader(proxy);
    await read(readUri, some(2));
    let release = (): void => {};
    proxy.reset(({ calls }, response) => {
      if (calls.some(isMulticall)) return false;
      release = () => void response.writeHead(500).end();
      return true;
    });

    const reverting = read(readUri, ["reverting"]);
    const [sound] = await Promise.all([read(readUri, some(2))]);

    expect(sound.map(idOf)).toEqual([0, 1]);
    release();
    proxy.reset();
    expect((await reverting).map(idOf)).toEqual(["reverted"]);
  });

  const say = (response: ServerResponse, body: unknown): boolean => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...(body as object) }));
    return true;
  };
  it.each<{ what: string; answer: (response: ServerResponse) => boolean }>([
    {
      what: "its gas cap",
      answer: (response) => say(response, { error: { code: -32000, message: "out of gas" } }),
    },
    {
      what: "its time limit",
      answer: (response) =>
        say(response, { error: { code: -32000, message: "execution aborted (timeout = 5s)" } }),
    },
    { what: "HTTP 413", answer: (response) => Boolean(response.writeHead(413).end()) },
    { what: "a closed connection", answer: (response) => Boolean(response.destroy()) },
    {
      what: "more than is taken in",
      answer: (response) => say(response, { result: `0x${"00".repeat(6_000_000)}` }),
    },
    { what: "nothing", answer: (response) => say(response, { result: "0x" }) },
    { what: "no list", answer: (response) => say(response, { result: `0x${"ff".repeat(96)}` }) },
  ])("each token is read by itself when the node answers them together with $what", async ({ answer }) => {
    proxy.reset(({ calls }, response) => calls.some(isMulticall) && answer(response));

    const answers = await read(createReader(proxy), some(20));

    expect(answers.map(idOf)).toEqual([...answers.keys()]);
  });

  it("nobody is asked one by one of a node that is away", async () => {
    const readUri = createReader(proxy);
    await read(readUri, some(2));
    proxy.reset((_request, response) => Boolean(response.destroy()));

    const answers = await read(readUri, some(100));

    const away = { kind: "unavailable", answered: false, message: expect.any(String) };
    expect(answers).toEqual(answers.map(() => away));
    expect(proxy.rpcRequests.length).toBeLessThan(10);
  });

  it("is looked for again after a node that could not answer", async () => {
    const readUri = createReader(proxy);
    proxy.reset(
      ({ calls }, response) =>
        calls.some(({ method }) => method === "eth_getCode") && Boolean(response.destroy()),
    );
    expect((await read(readUri, some(3))).map(idOf)).toEqual([0, 1, 2]);
    expect(proxy.count("eth_call")).toBe(3);

    proxy.reset();
    await read(readUri, some(3));
    expect(proxy.count("eth_call")).toBe(1);
  });
});

describe("where it is not", () => {
  const refuseBatches =
    (answer: (response: ServerResponse) => void): Obstacle =>
    ({ isBatch }, response) => {
      if (isBatch) answer(response);
      return isBatch;
    };

  it("100 reads travel in one JSON-RPC batch, and the chain is asked for it once", async () => {
    const readUri = createReader(bareProxy);

    for (const _ of [1, 2])
      expect((await read(readUri, some(100))).map(idOf)).toEqual([...Array(100).keys()]);

    expect(bareProxy.count("eth_getCode")).toBe(1);
    expect(bareProxy.rpcRequests).toHaveLength(3);
  });

  it.each<{ what: string; obstacle: Obstacle }>([
    { what: "HTTP 413", obstacle: refuseBatches((response) => response.writeHead(413).end()) },
    {
      what: "one error for all",
      obstacle: refuseBatches((response) =>
        response.end(
          '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch requests are disabled"}}',
        ),
      ),
    },
    { what: "no answer", obstacle: refuseBatches((response) => response.destroy()) },
  ])("each token is read by itself from a node that answers batches with $what", async ({ obstacle }) => {
    bareProxy.reset(obstacle);

    const answers = await read(createReader(bareProxy), ["sound", "reverting", ...some(10)]);

    expect(answers.map(idOf)).toEqual([
      0,
      "reverted",
      ...Array.from({ length: 10 }, (_, index) => index + 2),
    ]);
  });

  it("answers that are too large together are read one by one, but for one that is too large by itself", async () => {
    const answers = await read(createReader(bareProxy), ["huge", "sound", "huge", "enormous", "sound"]);

    expect(answers.map(({ kind }) => kind)).toEqual(["read", "read", "read", "unavailable", "read"]);
    expect([idOf(answers[1]), idOf(answers[4])]).toEqual([1, 4]);
    // It was answered, and a retry would be as large.
    expect(answers[3]).toMatchObject({ answered: true });
  });
});
