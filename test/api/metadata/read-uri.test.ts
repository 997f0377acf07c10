/** Distinguishes a contract's refusal, which concerns its token, from a node's failure, which concerns none. */

import { encodeErrorResult, type Hex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createChainCalls } from "../../../src/api/chain/contract/batched-calls.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { createUriReader, type ReadUri } from "../../../src/api/metadata/uri/read-uri.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";
import {
  type EthCall,
  type JsonRpcNode,
  type NodeAnswer,
  startJsonRpcNode,
  uriResult,
} from "./json-rpc-node.ts";

const CHAIN = 2020;
const COLLECTION = "0xabcdef0123456789abcdef0123456789abcdef01";
const BLOCK = 1_234;
const URI = "https://host.example/1.json";
const token = (tokenId: string) => ({ chainId: CHAIN, collection: COLLECTION, tokenId });

const revert: NodeAnswer = { error: { code: 3, message: "execution reverted", data: "0x" } };
const error = (code: number, message: string, data?: unknown): NodeAnswer => ({
  error: { code, message, data },
});

let node: JsonRpcNode;
let answer: (call: EthCall) => NodeAnswer;
let readUri: ReadUri;

beforeAll(async () => {
  node = await startJsonRpcNode((call) => answer(call));
  readUri = createUriReader(createChainCalls(createChainClients([{ id: CHAIN, rpcUrls: [node.url] }])));
});
beforeEach(() => {
  answer = () => uriResult(URI);
});
afterAll(() => node.close());

describe("a call", () => {
  it.each([
    { standard: "erc721", functionName: "tokenURI" },
    { standard: "erc1155", functionName: "uri" },
  ] as const)(
    "asks $functionName of $standard at the block that was given",
    async ({ standard, functionName }) => {
      const tokenId = 2n ** 256n - 1n;

      expect(await readUri(token(String(tokenId)), standard, BLOCK)).toEqual({
        kind: "read",
        uri: URI,
        standard,
      });
      expect(node.calls.at(-1)).toEqual({ functionName, tokenId, to: COLLECTION, block: "0x4d2" });
    },
  );

  it("reads every text a contract may answer", async () => {
    const texts = ["", " ", "caf\u00e9 \u{1f600}", "{id}", "\u0000", "a".repeat(100_000)];
    answer = ({ tokenId }) => uriResult(texts[Number(tokenId)] ?? "");

    const reads = await Promise.all(texts.map((_, id) => readUri(token(String(id)), "erc721", BLOCK)));

    expect(reads.map((read) => read.kind === "read" && read.uri)).toEqual(texts);
  });

  it("says that nothing is known of a chain without an endpoint", async () => {
    expect(await readUri({ ...token("1"), chainId: 1 }, "erc721", BLOCK)).toMatchObject({
      kind: "unavailable",
      answered: false,
    });
  });
});

describe("the contract's answers", () => {
  const reason = encodeErrorResult({
    abi: [{ type: "error", name: "Error", inputs: [{ type: "string" }] }],
    args: ["no such token"],
  });

  it.each([
    ["a revert", revert],
    ["a revert with its reason", error(3, "execution reverted: no such token", reason)],
    ["geth's revert without data", error(-32000, "execution reverted")],
    ["an invalid opcode", error(-32000, "invalid opcode: INVALID")],
    ["Nethermind's revert", error(-32015, "VM execution error.", "Reverted 0x")],
    [
      "Hardhat's revert",
      error(-32603, "VM Exception while processing transaction: reverted with reason 'x'", "0x"),
    ],
    ["anvil's invalid opcode", error(-32603, "EVM error InvalidFEOpcode")],
    ["no data: no such function or no contract", { result: "0x" }],
    ["a number instead of a string", { result: `0x${"00".repeat(31)}07` }],
    ["a string that ends early", { result: `0x${"00".repeat(31)}20${"00".repeat(31)}ff61` }],
    ["a string of impossible length", { result: `0x${"00".repeat(31)}20${"ff".repeat(32)}` }],
    ["an offset outside", { result: `0x${"ff".repeat(64)}` }],
    ["half a word", { result: "0x1234" }],
  ] satisfies [string, NodeAnswer][])("%s is read as reverted", async (_name, said) => {
    answer = () => said;

    expect(await readUri(token("1"), "erc721", BLOCK)).toMatchObject({ kind: "reverted" });
  });
});

describe("the node's failures", () => {
  it.each([
    ["HTTP 500", { httpStatus: 500 }],
    ["HTTP 429", { httpStatus: 429 }],
    ["HTTP 401", { httpStatus: 401 }],
    ["a rate limit", error(-32005, "request limit exceeded")],
    ["a rate limit of its own", error(-32016, "over rate limit")],
    [
      "a rate limit in HTTP's terms",
      error(429, "Your app has exceeded its compute units per second capacity"),
    ],
    ["a key that lapsed", error(-32000, "Unauthorized: API key disabled")],
    ["a block it has not seen", error(-32000, "header not found")],
    ["a block nobody has seen", error(-32000, "unknown block")],
    ["a block it no longer holds", error(-32000, "missing trie node 1234 (path )")],
    ["a state it no longer holds", error(-32000, "required historical state unavailable (reexec=128)")],
    ["a method it does not serve", error(-32601, "the method eth_call does not exist")],
    ["an answer of no type", { result: null }],
    ["an answer that is no hex", { result: "busy" }],
  ] satisfies [string, NodeAnswer][])("%s leaves the token's state unknown", async (_name, said) => {
    answer = () => said;

    expect(await readUri(token("1"), undefined, BLOCK)).toMatchObject({
      kind: "unavailable",
      answered: false,
    });
  });

  it.each([
    ["an internal error", error(-32603, "Internal error")],
    ["an internal error with data", error(-32603, "Internal error", { trace: "lost" })],
    ["its time limit", error(-32000, "execution aborted (timeout = 5s)")],
    ["the time limit of a request", error(-32002, "request timed out")],
    ["its size limit", error(-32003, "response too large")],
    ["a time limit in other words", error(-32000, "eth_call request exceeded its time limit")],
    ["its gas limit", error(-32000, "gas required exceeds allowance (50000000)")],
    ["calldata that it does not take", error(-32602, "invalid argument 0")],
  ] satisfies [string, NodeAnswer][])(
    "%s leaves it unknown, as this call's own failure",
    async (_name, said) => {
      answer = () => said;

      expect(await readUri(token("1"), undefined, BLOCK)).toMatchObject({
        kind: "unavailable",
        answered: true,
      });
    },
  );

  it("leave it unknown, too, when nobody listens or the answer is no JSON", async () => {
    const page = await startLocalServer((_request, response) => response.end("<html>"));
    const read = (url: string) =>
      createUriReader(createChainCalls(createChainClients([{ id: CHAIN, rpcUrls: [url] }])))(
        token("1"),
        "erc721",
        BLOCK,
      );

    expect(await read(page.url)).toMatchObject({ kind: "unavailable", answered: false });
    await page.close();
    expect(await read(page.url)).toMatchObject({ kind: "unavailable", answered: false });
  });

  it.each<[string, () => unknown]>([
    ["an error of the node", () => error(-32603, "Internal error")],
    ["a page", () => "<html>"],
    ["no answer", () => undefined],
  ])("repeat no endpoint, which may hold a key, after %s", async (_what, answered) => {
    const page = await startLocalServer((_request, response) => {
      const said = answered();
      if (said === undefined) response.destroy();
      else
        response.end(
          typeof said === "string" ? said : JSON.stringify({ jsonrpc: "2.0", id: 1, ...(said as object) }),
        );
    });
    onTestFinished(() => page.close());
    const clients = createChainClients([{ id: CHAIN, rpcUrls: [`${page.url}/v2/the-key`] }]);

    const read = await createUriReader(createChainCalls(clients))(token("1"), "erc721", BLOCK);

    expect(read.kind).toBe("unavailable");
    expect(JSON.stringify(read)).not.toMatch(new RegExp(`the-key|${page.port}`));
  });

  it("send the call to the next endpoint", async () => {
    const broken = await startJsonRpcNode(() => ({ httpStatus: 500 }));
    const urls = [broken.url, node.url];

    const read = await createUriReader(createChainCalls(createChainClients([{ id: CHAIN, rpcUrls: urls }])))(
      token("1"),
      "erc721",
      BLOCK,
    );

    expect(read).toMatchObject({ kind: "read", uri: URI });
    await broken.close();
  });
});

describe("reads made together", () => {
  it("travel in one request, and one token's revert spoils no other's", async () => {
    answer = ({ tokenId }) =>
      tokenId % 3n === 0n ? revert : tokenId % 3n === 1n ? { result: "0x" } : uriResult(URI);
    // The first batch tries Multicall3, which this chain lacks.
    await Promise.all(["1", "2"].map((id) => readUri(token(id), "erc721", BLOCK)));
    const before = node.requests.length;

    const reads = await Promise.all(
      Array.from({ length: 30 }, (_, id) => readUri(token(String(id)), "erc721", BLOCK)),
    );

    expect(reads.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 30 }, (_, id) => (id % 3 === 2 ? "read" : "reverted")),
    );
    expect(node.requests.length - before).toBe(1);
  });
});

describe("a contract of unknown standard", () => {
  const asked = () => node.calls.slice(-2).map(({ functionName }) => functionName);

  it("is asked tokenURI, and nothing more when it answers", async () => {
    const before = node.calls.length;

    expect(await readUri(token("1"), undefined, BLOCK)).toMatchObject({ kind: "read", standard: "erc721" });
    expect(node.calls.length - before).toBe(1);
  });

  it.each([
    ["reverts", revert],
    ["answers nothing", { result: "0x" } as NodeAnswer],
  ])("is asked uri when tokenURI %s", async (_how, said) => {
    answer = ({ functionName }) => (functionName === "uri" ? uriResult(URI) : said);

    expect(await readUri(token("1"), undefined, BLOCK)).toEqual({
      kind: "read",
      uri: URI,
      standard: "erc1155",
    });
    expect(asked()).toEqual(["tokenURI", "uri"]);
  });

  it("has no such token when both revert", async () => {
    answer = () => revert;

    expect(await readUri(token("1"), undefined, BLOCK)).toMatchObject({ kind: "reverted" });
  });

  it.each([
    { fails: "tokenURI", other: uriResult(URI) },
    { fails: "uri", other: revert },
  ])("stays unknown when the node fails at $fails", async ({ fails, other }) => {
    answer = ({ functionName }) => (functionName === fails ? error(-32005, "slow down") : other);

    expect(await readUri(token("1"), undefined, BLOCK)).toMatchObject({ kind: "unavailable" });
  });
});

it("follows no URL that a contract names in an OffchainLookup (ERC-3668)", async () => {
  const inside = await startLocalServer((_request, response) => response.end('{"data": "0x"}'));
  const lookup: Hex = encodeErrorResult({
    abi: [
      {
        type: "error",
        name: "OffchainLookup",
        inputs: ["address", "string[]", "bytes", "bytes4", "bytes"].map((type) => ({ type })),
      },
    ],
    args: [COLLECTION, [`${inside.url}/{sender}/{data}`], "0x", "0x12345678", "0x"],
  });
  answer = () => error(3, "execution reverted", lookup);

  expect(await readUri(token("1"), "erc721", BLOCK)).toMatchObject({ kind: "reverted" });
  expect(inside.requests).toHaveLength(0);
  await inside.close();
});
