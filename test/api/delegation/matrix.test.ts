import { decodeFunctionResult, encodeFunctionData, type Hex, keccak256, toHex, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../../demo/chain.ts";
import { createRegistry } from "../../../src/api/delegation/registry/registry.ts";
import type { Scope } from "../../../src/api/delegation/registry/rights.ts";
import { delegationsOf, lower } from "../../support/chain/contract-answers.ts";
import { indexDelegations } from "../../support/chain/index-delegations.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createRandom } from "../../support/random.ts";

const test = await createTestDatabase();
const registry = createRegistry(test);
const MAX = 2n ** 256n - 1n;
const RIGHTS: readonly Hex[] = [zeroHash, keccak256(toHex("list")), keccak256(toHex("trade"))];
const UNGIVEN: Hex = keccak256(toHex("nobody gave this"));
const CONTRACTS: readonly Hex[] = [`0x${"a1".repeat(20)}`, `0x${"a2".repeat(20)}`];
const OTHER: Hex = `0x${"a3".repeat(20)}`;
const IDS: readonly bigint[] = [0n, 7n, 2n ** 53n + 1n, MAX];
const AMOUNTS: readonly bigint[] = [0n, 1n, 5n, 2n ** 200n + 1n, MAX];
const GIVERS = 8;
const WRITES_PER_GIVER = 45;
// The contract's own multicall takes this many checks at once.
const CHECKS_PER_CALL = 400;

let chain: Chain;
let contract: Contract;
const takers = (): Hex[] => [chain.account(8).address, chain.account(9).address];
const givers = (): Hex[] => Array.from({ length: GIVERS }, (_, index) => chain.account(index).address);

// The same draws on every run.
const { pick } = createRandom(20_261_121);

/** Any write: a grant, a change, a revocation, or a revocation without a grant. */
function anyWrite(): Hex {
  const [to, rights, enable] = [pick(takers()), pick(RIGHTS), pick([true, true, false])];
  const [of, id, amount] = [pick(CONTRACTS), pick(IDS), pick(AMOUNTS)];
  const [functionName, args] = pick([
    ["delegateAll", [to, rights, pick([true, false, false])]],
    ["delegateContract", [to, of, rights, enable]],
    ["delegateERC721", [to, of, id, rights, enable]],
    ["delegateERC721", [to, of, id, rights, enable]],
    ["delegateERC20", [to, of, rights, amount]],
    ["delegateERC1155", [to, of, id, rights, amount]],
    ["delegateERC1155", [to, of, id, rights, amount]],
  ] as const);
  return encodeFunctionData({ abi: contract.abi, functionName, args });
}

interface Check {
  readonly scope: Scope;
  readonly from: Hex;
  readonly to: Hex;
  readonly rights: Hex;
  readonly of?: Hex;
  readonly id?: bigint;
}

const functionOf = ({ scope }: Check): string =>
  `checkDelegateFor${{ ALL: "All", CONTRACT: "Contract", ERC721: "ERC721", ERC20: "ERC20", ERC1155: "ERC1155" }[scope]}`;

function allChecks(): Check[] {
  const checks: Check[] = [];
  for (const from of [...givers(), "0x0000000000000000000000000000000000000001" as const])
    for (const to of takers())
      for (const rights of [...RIGHTS, UNGIVEN]) {
        const parties = { from, to, rights };
        checks.push({ ...parties, scope: "ALL" });
        for (const of of [...CONTRACTS, OTHER]) {
          checks.push({ ...parties, of, scope: "CONTRACT" }, { ...parties, of, scope: "ERC20" });
          for (const id of [...IDS, 8n])
            checks.push({ ...parties, of, id, scope: "ERC721" }, { ...parties, of, id, scope: "ERC1155" });
        }
      }
  return checks;
}

/** The contract's answers, many checks per call. */
async function askContract(checks: readonly Check[]): Promise<(boolean | bigint)[]> {
  const data = checks.map((check) => {
    const { to, from, of, id, rights } = check;
    const args = [to, from, of, id, rights].filter((each) => each !== undefined);
    return encodeFunctionData({ abi: contract.abi, functionName: functionOf(check), args });
  });
  const { result } = await chain.publicClient.simulateContract({
    ...contract,
    functionName: "multicall",
    args: [data],
  });
  return (result as unknown as Hex[]).map((answer, index) =>
    decodeFunctionResult({
      abi: contract.abi,
      functionName: functionOf(checks[index] as Check),
      data: answer,
    }),
  ) as (boolean | bigint)[];
}

async function askUs({ scope, from, to, rights, of, id }: Check): Promise<boolean | bigint> {
  const query = {
    chainId: chain.chainId,
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    rights,
    contract: of,
    tokenId: id?.toString(),
  };
  if (scope === "ALL") {
    const { records } = await registry.between({ ...query, limit: 1_000 });
    return records.some(({ type }) => type === "ALL");
  }
  const { granted, amount } = await registry.check({ ...query, scope });
  return scope === "ERC20" || scope === "ERC1155" ? BigInt(amount) : granted;
}

const inWords = (check: Check, answer: boolean | bigint): string =>
  `${check.scope} ${check.from}>${check.to} ${check.rights.slice(0, 6)} ${check.of} ${check.id}: ${answer}`;

beforeAll(async () => {
  chain = await startChain();
  contract = await chain.deploy("DelegateRegistryV2");
  for (let giver = 0; giver < GIVERS; giver++) {
    const writes = Array.from({ length: WRITES_PER_GIVER }, anyWrite);
    await chain.write(contract, "multicall", [writes], chain.account(giver));
  }
  await indexDelegations(test, chain, contract);
});
afterAll(() => chain.close());

describe("the registry", () => {
  it("answers every check as the contract does: types, rights, orders of writes, token 0 and ids past 2^53", async () => {
    const checks = allChecks();
    const expected: (boolean | bigint)[] = [];
    const answers: (boolean | bigint)[] = [];
    // In parts, since a call waits at most five seconds for a connection to the database.
    for (let start = 0; start < checks.length; start += CHECKS_PER_CALL) {
      const part = checks.slice(start, start + CHECKS_PER_CALL);
      expected.push(...(await askContract(part)));
      answers.push(...(await Promise.all(part.map(askUs))));
    }

    expect(checks.length).toBeGreaterThan(2_000);
    const words = (all: readonly (boolean | bigint)[]) =>
      checks.map((check, index) => inWords(check, all[index] as boolean | bigint));
    expect(words(answers)).toEqual(words(expected));
    // A matrix of refusals alone would prove little.
    for (const scope of ["ALL", "CONTRACT", "ERC721", "ERC20", "ERC1155"]) {
      const own = expected.filter((_, index) => checks[index]?.scope === scope);
      const granted = own.filter(Boolean).length / own.length;
      expect(granted, scope).toBeGreaterThan(0.05);
      expect(granted, scope).toBeLessThan(0.95);
    }
  });

  it.each(["incoming", "outgoing"] as const)(
    "lists a wallet's %s delegations as the contract does",
    async (direction) => {
      const accounts = direction === "incoming" ? [8, 9] : [0, 1, 2];
      for (const index of accounts) {
        const wallet = chain.account(index);
        const expected = await delegationsOf(
          chain,
          contract,
          direction === "incoming" ? "to" : "from",
          wallet,
        );

        const query = { chainId: chain.chainId, wallet: lower(wallet), direction, limit: 1_000 };
        const { records } = await registry.ofWallet(query);

        const inOrder = (all: readonly object[]) =>
          all.map((each) => JSON.stringify(each, Object.keys(each).sort())).sort();
        expect(inOrder(records)).toEqual(inOrder(expected.map(({ hash: _hash, ...record }) => record)));
        expect(records.length).toBeGreaterThan(3);
      }
    },
  );
});
