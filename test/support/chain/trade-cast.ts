/** Tokens that their contracts allow to move or not, each for its own reason, and the result of a real transfer. */

import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import type { Chain, Contract } from "../../../demo/chain.ts";
import { RECIPIENT } from "../../../src/api/trading/checks/transfer-trial.ts";
import { lower, ownerOf } from "./contract-answers.ts";
import { deployTestContract } from "./test-contracts.ts";

const abi = parseAbi([
  "function transferFrom(address from, address to, uint256 id)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
  "function transfer(address to, uint256 id)",
  "function run(address target, bytes data)",
]);
const GAS = 2n ** 24n;
const NO_CODE = "0x00000000000000000000000000000000000c0de0";
const YEAR_3000 = 32_503_680_000n;

export interface CastToken {
  readonly what: string;
  readonly contract: Contract;
  readonly id: bigint;
  readonly standard: "erc721" | "erc1155";
  readonly holder: Address;
  /** Its owner moves it by `transfer`, as in a draft of ERC-721. */
  readonly isDraft: boolean;
  /** The check's reason when a transfer is tried; null if it is allowed. */
  readonly detail: string | RegExp | null;
}

export async function createTradeCast(chain: Chain) {
  const deploy = (name: string, args: readonly unknown[] = []) => deployTestContract(chain, name, args);
  const [ada, ben] = [chain.account(1).address, chain.account(2).address];
  const open = await deploy("PausableHeroes");
  const paused = await deploy("PausableHeroes");
  const openItems = await deploy("PausableItems");
  const pausedItems = await deploy("PausableItems");
  const names = await deploy("ExpiringNames");
  const policy = await deploy("TransferPolicy");
  const guarded = await deploy("PolicyHeroes", [policy.address]);
  const hostile = await deploy("HostileHeroes");
  const vault = await deploy("Vault");
  const draft = await deploy("DraftHeroes");
  const proxied = await deployBehindProxy("PausableHeroes");
  const emptied = await deployBehindProxy("PausableHeroes");
  const emptiedItems = await deployBehindProxy("PausableItems");

  async function deployBehindProxy(name: string): Promise<Contract> {
    const implementation = await deploy(name);
    const proxy = await deploy("ForwardingProxy", [implementation.address]);
    return { ...proxy, abi: [...implementation.abi, ...proxy.abi] };
  }
  const mint = (contract: Contract, to: Address, ...args: bigint[]) =>
    chain.write(contract, "mint", [to, ...args]);
  await mint(open, ada, 0n);
  await mint(open, vault.address, 1n);
  await mint(paused, ada, 2n ** 256n - 1n);
  await chain.write(paused, "pause");
  await mint(openItems, ben, 7n, 2n);
  await mint(pausedItems, ben, 7n, 2n);
  await chain.write(pausedItems, "pause");
  await mint(names, ada, 1n, YEAR_3000);
  await mint(names, ada, 2n, 1n);
  await mint(guarded, ada, 1n);
  await mint(guarded, ben, 2n);
  await mint(guarded, vault.address, 3n);
  await chain.write(policy, "whitelist", [ada, true]);
  await chain.write(policy, "freeze", [vault.address, true]);
  for (let id = 0n; id <= 10n; id++) await mint(hostile, ada, id);
  for (const id of [1n, 2n]) await mint(draft, ada, id);
  await chain.write(draft, "freeze", [2n]);
  await mint(proxied, ada, 1n);
  await mint(emptied, ada, 1n);
  await mint(emptiedItems, ben, 7n, 2n);
  for (const proxy of [emptied, emptiedItems]) await chain.write(proxy, "upgradeTo", [NO_CODE]);

  const token = (
    what: string,
    contract: Contract,
    id: bigint,
    detail: CastToken["detail"],
    holder: Address = ada,
    standard: CastToken["standard"] = "erc721",
  ): CastToken => ({ what, contract, id, standard, holder, detail, isDraft: contract === draft });
  const tokens: readonly CastToken[] = [
    token("an ERC-721 token like any other", open, 0n, null),
    token("one whose owner is a contract that receives nothing", open, 1n, null, vault.address),
    token("one of a paused contract", paused, 2n ** 256n - 1n, "EnforcedPause()"),
    token("an ERC-1155 token like any other", openItems, 7n, null, ben, "erc1155"),
    token("an ERC-1155 token of a paused contract", pausedItems, 7n, "EnforcedPause()", ben, "erc1155"),
    token("a name that is paid for", names, 1n, null),
    token("a name that has expired", names, 2n, "ERC721: caller is not token owner or approved"),
    token("one whose transfer policy knows its owner", guarded, 1n, null),
    token(
      "one whose transfer policy does not",
      guarded,
      2n,
      "CreatorTokenTransferValidator__CallerMustBeWhitelisted()",
      ben,
    ),
    token(
      "one of a contract that the policy has frozen",
      guarded,
      3n,
      "CreatorTokenTransferValidator__SenderAccountIsFrozen()",
      vault.address,
    ),
    token("one of a hostile contract that lets it go", hostile, 0n, null),
    token("one whose transfer never ends", hostile, 1n, /out ?of ?gas|OOG/i),
    token("one with 10 kB of controls for a reason", hostile, 2n, /^\[31mabc <b> \[31mabc/),
    token("one that panics", hostile, 3n, "Panic(50): an index out of bounds"),
    token("one with an error that nobody knows", hostile, 4n, /^custom error 0x[0-9a-f]{8}$/),
    token("one without a reason", hostile, 5n, "the contract gave no reason"),
    token("one that ends in an invalid opcode", hostile, 6n, /invalid/i),
    token("one whose reason is longer than its data", hostile, 7n, "custom error 0x08c379a0"),
    token("one with two bytes for a reason", hostile, 8n, "reverted with 0x0000"),
    token("one that only `transfer` moves, as in CryptoKitties", draft, 1n, null),
    token("one that not even `transfer` moves", draft, 2n, "the contract gave no reason"),
    token("one of a proxy", proxied, 1n, null),
    token("one of a proxy whose implementation is gone", emptied, 1n, "the contract is gone"),
    token("an ERC-1155 token of such a proxy", emptiedItems, 7n, "the contract is gone", ben, "erc1155"),
  ];

  /** Transfers the token in a transaction of its holder; false if that reverts, or moves nothing. */
  async function move(token: CastToken): Promise<boolean> {
    const { contract, holder } = token;
    const data = encodeMove(token);
    const account = chain.accounts.find(({ address }) => address === holder);
    const run = encodeFunctionData({ abi, functionName: "run", args: [contract.address, data] });
    const sent: { to: Address; data: Hex } = account
      ? { to: contract.address, data }
      : { to: holder, data: run };
    const hash = await chain.walletClient.sendTransaction({
      ...sent,
      account: account ?? chain.account(0),
      gas: GAS,
    });
    return (await chain.receiptOf(hash)).status === "success" && (await hasArrived(token));
  }

  async function hasArrived({ contract, id, standard }: CastToken): Promise<boolean> {
    if (standard === "erc721") return (await ownerOf(chain, contract, id)) === RECIPIENT;
    const balance = chain.read(contract, "balanceOf", [RECIPIENT, id]);
    return balance.then(
      (pieces) => pieces === 1n,
      () => false,
    );
  }

  const contracts = [
    ...[open, paused, openItems, pausedItems, names, guarded, hostile],
    ...[draft, proxied, emptied, emptiedItems],
  ];
  return {
    tokens,
    contracts,
    collections: contracts.map(lower),
    open,
    paused,
    openItems,
    names,
    policy,
    guarded,
    hostile,
    proxied,
    vault,
    ada,
    ben,
    move,
  };
}

function encodeMove({ id, standard, holder, isDraft }: CastToken): Hex {
  if (isDraft) return encodeFunctionData({ abi, functionName: "transfer", args: [RECIPIENT, id] });
  if (standard === "erc721")
    return encodeFunctionData({ abi, functionName: "transferFrom", args: [holder, RECIPIENT, id] });
  const args = [holder, RECIPIENT, id, 1n, "0x"] as const;
  return encodeFunctionData({ abi, functionName: "safeTransferFrom", args });
}

export type TradeCast = Awaited<ReturnType<typeof createTradeCast>>;
