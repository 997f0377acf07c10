import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Chain, startChain } from "../../../demo/chain.ts";
import { createWalletProof } from "../../../src/api/access/sign-in/wallet-proof.ts";
import { createChainClients } from "../../../src/api/chain/rpc/clients.ts";
import { deployTestContract } from "../../support/chain/test-contracts.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID } from "../../support/refresh/refresh.ts";
import { type Obstacle, startRpcProxy } from "../../support/servers/rpc-proxy.ts";
import { createVisitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const chain: Chain = await startChain();
afterAll(() => chain.close());
const signer = privateKeyToAccount(generatePrivateKey());
const SIGNER = signer.address.toLowerCase();
const OTHER = chain.account(3).address.toLowerCase();
const ZERO = `0x${"0".repeat(40)}`;

beforeEach(() =>
  database.query("truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit cascade"),
);

/** A partner whose app asks for this collection. `address` is the wallet that the message names. */
async function partnerOf(contract: string, { url = chain.rpcUrl, address = signer.address as string } = {}) {
  const collection = `${CHAIN_ID}:${contract.toLowerCase()}`;
  const clients = createChainClients([{ id: CHAIN_ID, rpcUrls: [url] }]);
  const api = createTestApp(test, {
    proof: createWalletProof({ baseUrl: BASE_URL, clients }),
    configured: [{ chainId: CHAIN_ID, address: contract.toLowerCase(), startBlock: 0 }],
  });
  const visitor = createVisitor(api);
  await visitor.signIn(privateKeyToAccount(generatePrivateKey()));
  const path = await visitor.createApp("Studio");
  const asked = await visitor.json(`${path}/permissions/prove/message`, { address, chainId: 1, collection });
  const { message } = JSON.parse(asked.text) as { message: string };
  const signature = await signer.signMessage({ message });
  const prove = () => visitor.json(`${path}/permissions/prove`, { collection, message, signature });
  return { collection, prove };
}

const granted = async () =>
  (await database.query<{ collections: string[] | null }>("select collections from vitrine.app")).flatMap(
    ({ collections }) => collections,
  );
const proofs = async () =>
  (
    await database.query<{ detail: Record<string, string> }>(
      "select detail from vitrine.audit where action = 'permissions.grant'",
    )
  ).map(({ detail: { app, kind, subject, ...how } }) => how);

describe("a collection is proven by its contract's admin", () => {
  it.each([
    ["has no owner()", "Roles", []],
    ["names no owner", "OwnedRoles", [ZERO]],
    ["names another owner", "OwnedRoles", [OTHER]],
    ["returns no address as its owner", "LongOwnedRoles", []],
  ] as const)("where the contract %s", async (_what, name, more) => {
    const { address } = await deployTestContract(chain, name, [signer.address, ...more]);
    const { collection, prove } = await partnerOf(address);

    expect((await prove()).text).toContain('"proved":true');

    expect(await granted()).toEqual([collection]);
    expect(await proofs()).toEqual([{ proof: "admin role signature", admin: SIGNER }]);
  });

  it("which may be a contract wallet", async () => {
    const wallet = await chain.deploy("ContractWallet", [signer.address]);
    const { address } = await deployTestContract(chain, "Roles", [wallet.address]);
    const { prove } = await partnerOf(address, { address: wallet.address });

    expect((await prove()).status).toBe(200);

    expect(await proofs()).toEqual([{ proof: "admin role signature", admin: wallet.address.toLowerCase() }]);
  });
});

it("a collection is proven by its contract's owner, also where another wallet is the admin", async () => {
  const { address } = await deployTestContract(chain, "OwnedRoles", [OTHER, signer.address]);
  const { prove } = await partnerOf(address);

  expect((await prove()).status).toBe(200);

  expect(await proofs()).toEqual([{ proof: "owner() signature", owner: SIGNER }]);
});

describe("a collection is not proven", () => {
  it.each([
    ["by a wallet that is no admin", "Roles", [OTHER]],
    ["where the contract answers functions that it lacks", "AnsweringRoles", [signer.address]],
    ["where it answers everything", "Parrot", [1]],
    ["where a member has every role", "Members", [signer.address]],
    ["where everybody is an admin", "OpenRoles", []],
    ["by an answer of two words", "DatedRoles", [signer.address]],
    ["by an answer other than 1", "CountedRoles", [signer.address]],
  ] as const)("%s", async (_what, name, args) => {
    const { address } = await deployTestContract(chain, name, args);
    const { prove } = await partnerOf(address);

    const { status, text } = await prove();

    expect(status).toBe(403);
    expect(text).toContain(`${SIGNER} doesn't have its admin role`);
    expect(await granted()).toEqual([]);
    expect(await proofs()).toEqual([]);
  });

  it("while the node doesn't answer the question about the admin, and the message stays good", async () => {
    const proxy = await startRpcProxy(chain.rpcUrl);
    onTestFinished(() => proxy.close());
    const { address } = await deployTestContract(chain, "OwnedRoles", [signer.address, OTHER]);
    const { prove } = await partnerOf(address, { url: `http://127.0.0.1:${proxy.port}` });
    const OWNER = "0x8da5cb5b";
    const refuseOthers: Obstacle = ({ calls }, response) => {
      const isOther = calls.some(
        ({ method, params }) => method === "eth_call" && !JSON.stringify(params).includes(OWNER),
      );
      if (isOther) response.writeHead(503).end();
      return isOther;
    };

    proxy.reset(refuseOthers);
    const refused = await prove();
    expect(refused.status).toBe(503);
    expect(refused.text).toContain("the chain's node did not answer");
    expect(await granted()).toEqual([]);

    proxy.reset();
    expect((await prove()).status).toBe(200);
  });
});
