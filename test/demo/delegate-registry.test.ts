/** The demo's delegation registry answers and emits like the deployed one. */
import { encodeFunctionData, keccak256, maxUint256, toHex, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";

const TOPICS = [
  "0xda3ef6410e30373a9137f83f9781a8129962b6882532b7c229de2e39de423227",
  "0x021be15e24de4afc43cfb5d0ba95ca38e0783571e05c12bbe6aece8842ae82df",
  "0x15e7a1bdcd507dd632d797d38e60cc5a9c0749b9a63097a215c4d006126825c6",
  "0x6ebd000dfc4dc9df04f723f827bae7694230795e8f22ed4af438e074cc982d18",
  "0x27ab1adc9bca76301ed7a691320766dfa4b4b1aa32c9e05cf789611be7f8c75f",
];
// Published hashes of delegations from 0x11.. to 0x22.. on 0x33.., without rights.
const FROM = `0x${"11".repeat(20)}` as const;
const TO = `0x${"22".repeat(20)}` as const;
const CONTRACT = `0x${"33".repeat(20)}` as const;
const RIGHTS = keccak256(toHex("list"));

let chain: Chain;
let registry: Contract;

beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain.close());

beforeEach(async () => {
  registry = await chain.deploy("DelegateRegistryV2");
});

const from = () => chain.account(1);
const write = (name: string, ...args: unknown[]) => chain.write(registry, name, args, from());
const check = (name: string, ...rest: unknown[]) =>
  chain.read(registry, `checkDelegateFor${name}`, [TO, from().address, ...rest]);

it("emits the five events of the deployed registry, several from one transaction", async () => {
  const calls: [string, unknown[]][] = [
    ["delegateAll", [TO, zeroHash, true]],
    ["delegateContract", [TO, CONTRACT, zeroHash, true]],
    ["delegateERC721", [TO, CONTRACT, 7n, zeroHash, true]],
    ["delegateERC20", [TO, CONTRACT, zeroHash, 5n]],
    ["delegateERC1155", [TO, CONTRACT, 7n, zeroHash, 5n]],
  ];
  const data = calls.map(([functionName, args]) =>
    encodeFunctionData({ abi: registry.abi, functionName, args }),
  );

  const { logs } = await write("multicall", data);

  expect(logs.map(({ topics }) => topics[0])).toEqual(TOPICS);
  expect(logs.map(({ topics }) => topics.length)).toEqual([3, 4, 4, 4, 4]);
});

it.each([
  ["delegateAll", [TO, zeroHash, true], "0x56514577b6ef75d2bf838df5172161f41521dccefc58e797b3f2eef5c085ac01"],
  [
    "delegateContract",
    [TO, CONTRACT, zeroHash, true],
    "0x0270d0b24f129c0143478a4542efd93b3c53910c99d57301d2867d972adc7802",
  ],
  [
    "delegateERC721",
    [TO, CONTRACT, 0n, zeroHash, true],
    "0x03357f25868dc6f245f2e99621b33984c36d94e28e7a432877c7a192957fbc03",
  ],
  [
    "delegateERC20",
    [TO, CONTRACT, zeroHash, 1n],
    "0x0270d0b24f129c0143478a4542efd93b3c53910c99d57301d2867d972adc7804",
  ],
  [
    "delegateERC1155",
    [TO, CONTRACT, 7n, zeroHash, 1n],
    "0x65d6d04cba6292e58feff9af006285e6e2bdbb9aa74bf9bd6c8c9de1133ac405",
  ],
])("hashes %s as the deployed registry does", async (functionName, args, hash) => {
  const { address, abi } = registry;

  const { result } = await chain.publicClient.simulateContract({
    address,
    abi,
    functionName,
    args,
    account: FROM,
  });

  expect(result).toBe(hash);
});

describe("checks", () => {
  it("falls through from a token to its contract to the whole wallet", async () => {
    await write("delegateERC721", TO, CONTRACT, 7n, zeroHash, true);
    const token = await Promise.all([
      check("ERC721", CONTRACT, 7n, zeroHash),
      check("ERC721", CONTRACT, 8n, zeroHash),
      check("Contract", CONTRACT, zeroHash),
    ]);
    await write("delegateContract", TO, CONTRACT, zeroHash, true);
    const contract = await Promise.all([check("ERC721", CONTRACT, 8n, zeroHash), check("All", zeroHash)]);
    await write("delegateAll", TO, zeroHash, true);
    const all = await Promise.all([check("Contract", zeroAddress, zeroHash), check("All", zeroHash)]);

    expect({ token, contract, all }).toEqual({
      token: [true, false, false],
      contract: [true, false],
      all: [true, true],
    });
  });

  it("satisfies every purpose without rights, and only its own with rights", async () => {
    await write("delegateAll", TO, RIGHTS, true);
    const limited = [
      await check("All", RIGHTS),
      await check("All", zeroHash),
      await check("All", toHex(1, { size: 32 })),
    ];
    await write("delegateAll", TO, zeroHash, true);
    const unlimited = [await check("All", RIGHTS), await check("All", zeroHash)];

    expect(limited).toEqual([true, false, false]);
    expect(unlimited).toEqual([true, true]);
  });

  it("answers amounts: the larger of both rights, everything under a contract, nothing once revoked", async () => {
    await write("delegateERC20", TO, CONTRACT, zeroHash, 5n);
    await write("delegateERC20", TO, CONTRACT, RIGHTS, 9n);
    const amounts = [await check("ERC20", CONTRACT, zeroHash), await check("ERC20", CONTRACT, RIGHTS)];
    await write("delegateERC20", TO, CONTRACT, zeroHash, 0n);
    const revoked = await check("ERC20", CONTRACT, zeroHash);
    await write("delegateContract", TO, CONTRACT, zeroHash, true);

    expect(amounts).toEqual([5n, 9n]);
    expect(revoked).toBe(0n);
    expect(await check("ERC1155", CONTRACT, 1n, zeroHash)).toBe(maxUint256);
  });
});

describe("enumeration", () => {
  it("lists enabled delegations once, in the order they were first made", async () => {
    await write("delegateAll", TO, zeroHash, true);
    await write("delegateERC20", TO, CONTRACT, zeroHash, 5n);
    await write("delegateAll", TO, zeroHash, false);
    await write("delegateAll", TO, zeroHash, true);
    await write("delegateERC20", TO, CONTRACT, zeroHash, 6n);

    const incoming = await chain.read(registry, "getIncomingDelegations", [TO]);

    const common = { to: TO, from: from().address, rights: zeroHash, tokenId: 0n };
    expect(incoming).toEqual([
      { ...common, type_: 1, contract_: zeroAddress, amount: 0n },
      { ...common, type_: 4, contract_: CONTRACT, amount: 6n },
    ]);
    expect(await chain.read(registry, "getOutgoingDelegations", [from().address])).toEqual(incoming);
  });

  it("emits a revocation of what never existed, and lists nothing", async () => {
    const { logs } = await write("delegateAll", TO, zeroHash, false);

    expect(logs).toHaveLength(1);
    expect(await chain.read(registry, "getIncomingDelegations", [TO])).toEqual([]);
  });
});
