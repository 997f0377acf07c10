import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, parseSiweMessage, type SiweMessage } from "viem/siwe";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Chain, startChain } from "../../../demo/chain.ts";
import { createWalletProof, type WalletProof } from "../../../src/api/access/sign-in/wallet-proof.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { type Obstacle, type RpcProxy, startRpcProxy } from "../../support/servers/rpc-proxy.ts";

const STATEMENT = "Sign in to Vitrine.";
const key = privateKeyToAccount(generatePrivateKey());

let chain: Chain;
let wallet: string;
let proofs: WalletProof;
beforeAll(async () => {
  chain = await startChain();
  ({ address: wallet } = await chain.deploy("ContractWallet", [key.address]));
  const clients = createChainClients([{ id: chain.chainId, rpcUrls: [chain.rpcUrl] }]);
  proofs = createWalletProof({ baseUrl: "https://vitrine.example", clients });
});
afterAll(() => chain.close());

const messageOf = (address: string): string =>
  proofs.message({ address, chainId: chain.chainId, nonce: "0123456789abcdef", statement: STATEMENT });

describe("a message", () => {
  const at = (baseUrl: string) => createWalletProof({ baseUrl, clients: new Map() });
  const make = (of: WalletProof) =>
    of.message({ address: key.address, chainId: 1, nonce: "0123456789abcdef", statement: STATEMENT });
  const verify = async (of: WalletProof, message: string) =>
    (await of.verify({ message, signature: await key.signMessage({ message }) }, STATEMENT, undefined)).kind;

  it.each([
    "https://vitrine.example",
    "https://market.vitrine.example:8443",
    "http://localhost:42069",
    "http://127.0.0.1:42069",
  ])("of %s is what viem writes", (baseUrl) => {
    const text = make(at(baseUrl));
    const { address, chainId, nonce, uri, version, issuedAt, expirationTime } = parseSiweMessage(text);
    const domain = new URL(baseUrl).host;
    const parsed = { address, chainId, nonce, uri, version, issuedAt, expirationTime } as SiweMessage;

    expect(text).toBe(createSiweMessage({ ...parsed, domain, statement: STATEMENT }));
  });

  it.each([
    "http://vitrine:42069",
    "http://[::1]:42069",
    "https://a_b.example",
    "https://market.example.",
    "https://vitrine.example",
    "http://localhost",
  ])("is signed at any host that a service may have: %s", async (baseUrl) => {
    const message = make(at(baseUrl));

    expect(message).toContain(`${new URL(baseUrl).host} wants you to sign in`);
    expect(await verify(at(baseUrl), message)).toBe("proved");
  });

  it.each(["http://localhost", "https://evil.example", "https://vitrine.example.evil.example"])(
    "of %s proves nothing here",
    async (other) => {
      const message = make(at(other)).replaceAll(`${other}/`, "https://vitrine.example/");

      expect(await verify(at("https://vitrine.example"), message)).toBe("refused");
    },
  );
});

describe("a wallet that is a contract", () => {
  it("proves itself by a signature that its contract accepts", async () => {
    const message = messageOf(wallet);

    const verdict = await proofs.verify(
      { message, signature: await key.signMessage({ message }) },
      STATEMENT,
      chain.chainId,
    );

    expect(verdict).toMatchObject({ kind: "proved", address: wallet.toLowerCase() });
  });

  it.each([
    ["by another key's signature", () => privateKeyToAccount(generatePrivateKey()), () => chain.chainId],
    ["on another chain than the one that counts, though the message names that", () => key, () => 2020],
  ])("does not prove itself %s", async (_how, signer, contractChain) => {
    const message = messageOf(wallet);

    const verdict = await proofs.verify(
      { message, signature: await signer().signMessage({ message }) },
      STATEMENT,
      contractChain(),
    );

    expect(verdict).toMatchObject({ kind: "refused", reason: expect.stringContaining("signature") });
  });

  it("does not prove another wallet", async () => {
    const message = messageOf(chain.account(3).address);

    const verdict = await proofs.verify(
      { message, signature: await key.signMessage({ message }) },
      STATEMENT,
      chain.chainId,
    );

    expect(verdict.kind).toBe("refused");
  });
});

describe("the zero address, which is the owner that a renounced contract names", () => {
  const zero = `0x${"0".repeat(40)}`;
  const word = (value: number) => value.toString(16).padStart(64, "0");

  // The precompile that recovers a signer answers nothing for these, which contracts read as the zero address.
  it.each([
    ["no values", `0x${word(0)}${word(0)}1b`],
    ["values on no point of the curve", `0x${word(5)}${word(1)}1b`],
    ["a value beyond the curve's order", `0x${"f".repeat(64)}${word(1)}1c`],
  ])("is proved by no signature: %s", async (_what, signature) => {
    for (const contractChain of [chain.chainId, undefined]) {
      const verdict = await proofs.verify({ message: messageOf(zero), signature }, STATEMENT, contractChain);

      expect(verdict).toMatchObject({ kind: "refused", reason: expect.stringContaining("signature") });
    }
  });
});

describe("while the node can't say", () => {
  let proxy: RpcProxy;
  let behind: WalletProof;
  beforeAll(async () => {
    proxy = await startRpcProxy(chain.rpcUrl);
    const clients = createChainClients([{ id: chain.chainId, rpcUrls: [`http://127.0.0.1:${proxy.port}`] }]);
    behind = createWalletProof({ baseUrl: "https://vitrine.example", clients });
  });
  afterAll(() => proxy.close());

  const refuseAll: Obstacle = (_request, response) => {
    response.writeHead(503).end();
    return true;
  };
  const error =
    (code: number, message: string): Obstacle =>
    ({ calls, isBatch }, response) => {
      const answers = calls.map((call) => ({ jsonrpc: "2.0", id: call.id, error: { code, message } }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(isBatch ? answers : answers[0]));
      return true;
    };
  const verify = async (address: string) => {
    const message = messageOf(address);
    return behind.verify(
      { message, signature: await key.signMessage({ message }) },
      STATEMENT,
      chain.chainId,
    );
  };

  it.each([
    ["is down", refuseAll],
    ["is silent", () => true],
    ["limits requests", error(-32005, "daily request count exceeded, request rate limited")],
    ["fails", error(-32603, "Internal error")],
  ] as [string, Obstacle][])("a signature is not refused as wrong: the node %s", async (_how, obstacle) => {
    proxy.reset(obstacle);
    await expect(verify(wallet)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      details: [{ path: "signature", message: expect.stringContaining("can't be checked now") }],
    });
    // A key's own signature needs no node.
    expect(await verify(key.address)).toMatchObject({ kind: "proved" });

    proxy.reset();
    expect(await verify(wallet)).toMatchObject({ kind: "proved" });
    expect(await verify(chain.account(3).address)).toMatchObject({ kind: "refused" });
  });

  const onCalls =
    (obstacle: Obstacle): Obstacle =>
    (request, response) =>
      request.calls.some(({ method }) => method === "eth_call") && obstacle(request, response);

  it.each([
    ["rejects the call", onCalls(error(-32000, "execution aborted (timeout = 5s)"))],
    ["takes too long for it", onCalls(() => true)],
  ] as [string, Obstacle][])(
    "a wallet whose own check fails is refused: the node %s, and no other",
    async (_how, obstacle) => {
      proxy.reset(obstacle);

      expect(await verify(wallet)).toMatchObject({ kind: "refused" });
    },
  );
});

describe("the owner of a contract", () => {
  it("is nobody once it was renounced", async () => {
    const owners = await startRpcProxy(chain.rpcUrl);
    onTestFinished(() => owners.close());
    let owner = key.address.slice(2).toLowerCase();
    owners.reset(({ calls, isBatch }, response) => {
      if (!calls.some(({ method }) => method === "eth_call")) return false;
      const answers = calls.map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${owner.padStart(64, "0")}` }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(isBatch ? answers : answers[0]));
      return true;
    });
    const clients = createChainClients([{ id: chain.chainId, rpcUrls: [`http://127.0.0.1:${owners.port}`] }]);
    const asking = createWalletProof({ baseUrl: "https://vitrine.example", clients });
    const read = (by: string) =>
      asking.authorityOver({ chainId: chain.chainId, address: wallet }, by.toLowerCase());

    expect(await read(key.address)).toEqual({ kind: "owner" });
    expect(await read(wallet)).toEqual({ kind: "none", owner: key.address.toLowerCase() });
    owner = "0".repeat(40);
    expect(await read(key.address)).toEqual({ kind: "none", owner: undefined });
  });

  it("is not known while no node answers, which is not to have none", async () => {
    const away = createWalletProof({
      baseUrl: "https://vitrine.example",
      clients: createChainClients([{ id: chain.chainId, rpcUrls: ["http://127.0.0.1:1"] }]),
    });

    const asked = (proof: WalletProof, address: string) =>
      proof.authorityOver({ chainId: chain.chainId, address }, key.address.toLowerCase());
    await expect(asked(away, wallet)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await asked(proofs, chain.account(3).address)).toEqual({ kind: "none", owner: undefined });
  });
});
