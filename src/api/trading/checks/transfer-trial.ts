/** Tries one token's transfer at a node: calls of its holder that are only simulated, and what the contract says of it. */

import { setTimeout as sleep } from "node:timers/promises";
import {
  type Address,
  encodeFunctionData,
  type Hex,
  keccak256,
  type PublicClient,
  parseAbi,
  toHex,
} from "viem";
import type { Standard } from "../../../config.ts";
import { asWord } from "../../chain/contract/abi-word.ts";
import { type CallAnswer, callContract, type Unavailable } from "../../chain/contract/contract-call.ts";
import { isWithoutReason, revertReason } from "../../chain/contract/revert-reason.ts";

const abi = parseAbi([
  "function transferFrom(address from, address to, uint256 id)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
  "function transfer(address to, uint256 id)",
  "function ownerOf(uint256 id) view returns (address)",
  "function balanceOf(address holder, uint256 id) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function supportsInterface(bytes4 id) view returns (bool)",
]);

/**
 * An address without an owner: it has no known key and no code that could reject a token. It is neither the zero
 * address, which contracts reject, nor a low address of a precompiled contract.
 */
export const RECIPIENT: Address = `0x${keccak256(toHex("vitrine: the recipient of simulated transfers")).slice(-40)}`;

// The gas limit of any transaction (EIP-7825): a contract that uses more can't be transferred either.
const TRANSFER_GAS = 2n ** 24n;
// A load-balanced endpoint may route to a node that lacks the block another one has reported.
const UNSEEN_BLOCK_MS = 500;
// The ERC-165 id of ERC-721.
const ERC721 = "0x80ac58cd";

export interface Transfer {
  readonly chainId: number;
  readonly collection: string;
  readonly tokenId: string;
  readonly standard: Standard;
  /** The sender; null if the chain index knows no holder. */
  readonly holder: string | null;
  /** No Transfer of the collection has all its arguments indexed, as those of final ERC-721 have. */
  readonly hasDraftEvents: boolean;
  /** The latest indexed block: older blocks prove nothing. */
  readonly asOfBlock: number;
}

export type TransferVerdict =
  | { readonly kind: "passes"; readonly block: number }
  | { readonly kind: "reverts"; readonly block: number; readonly detail: string }
  /** The result is unknown; `detail` names the cause. */
  | { readonly kind: "unknown"; readonly detail: string };

export const unknown = (detail: string): TransferVerdict => ({ kind: "unknown", detail });

type HeldToken = Transfer & { readonly holder: string };

/** One node at one block, until the signal aborts. */
export interface AskedNode {
  readonly block: number;
  readonly signal: AbortSignal;
  /** The answer to a call of that sender, by default of nobody. */
  call(contract: string, data: Hex, from?: string): Promise<CallAnswer>;
  /** Whether the contract says that the sender holds the token. One contract's `passes` holds for all of its tokens. */
  confirm(token: HeldToken): Promise<TransferVerdict>;
}

export function askNode(endpoint: PublicClient, block: number, signal: AbortSignal): AskedNode {
  const confirmed = new Map<string, Promise<TransferVerdict>>();
  const node: AskedNode = {
    block,
    signal,
    call: (contract, data, from) =>
      callContract(endpoint, contract, data, block, {
        ...(from !== undefined && { from }),
        gas: TRANSFER_GAS,
        signal,
      }),
    async confirm(token) {
      const first = confirmed.get(token.collection);
      if (first) {
        const verdict = await first;
        return verdict.kind === "passes" ? verdict : confirmHolder(node, token);
      }
      const asked = confirmHolder(node, token);
      confirmed.set(token.collection, asked);
      return asked;
    },
  };
  return node;
}

export async function tryTransfer(node: AskedNode, transfer: Transfer): Promise<TransferVerdict> {
  const { collection, holder, hasDraftEvents } = transfer;
  if (holder === null) return unknown("the chain index knows no holder of it");
  const token: HeldToken = { ...transfer, holder };
  const data = encodeTransfer(token);
  let answer = await node.call(collection, data, holder);
  if (answer.kind === "unavailable" && answer.because === "node") {
    await sleep(UNSEEN_BLOCK_MS, undefined, { signal: node.signal }).catch(() => undefined);
    answer = await node.call(collection, data, holder);
  }
  if (answer.kind === "unavailable") return unanswered(node, token, answer.because);
  if (answer.kind === "answered") return node.confirm(token);
  const mayBeDraft = hasDraftEvents && token.standard === "erc721" && isWithoutReason(answer.revert);
  const verdict = mayBeDraft ? await tryDraftTransfer(node, token) : undefined;
  return verdict ?? reverts(node, revertReason(answer.revert));
}

/**
 * A contract without code accepts every call and does nothing, and so does a proxy whose implementation has none. Only
 * they answer a read with nothing: one that has no such function, and does not accept every call, reverts.
 */
async function confirmHolder(node: AskedNode, token: HeldToken): Promise<TransferVerdict> {
  const answer = await node.call(token.collection, encodeHolding(token));
  if (answer.kind === "unavailable") return unanswered(node, token, answer.because);
  if (answer.kind === "answered") {
    if (answer.data === "0x") return reverts(node, "the contract is gone");
    if (!isHolding(token, answer.data))
      return reverts(node, "the contract says that the sender doesn't hold it");
  }
  return { kind: "passes", block: node.block };
}

/**
 * In a draft of ERC-721, `transferFrom` is for approved accounts only, and an owner uses `transfer`, as in CryptoKitties.
 * Passes if that doesn't revert, and if there is no doubt that the contract has it for tokens: it refuses a stranger, so
 * neither ignores what it may not do nor accepts any call; it is no coin, whose `transfer` moves an amount; it doesn't
 * claim the final standard; it names the holder. Undefined otherwise.
 */
async function tryDraftTransfer(node: AskedNode, token: HeldToken): Promise<TransferVerdict | undefined> {
  const { collection, holder } = token;
  const transfer = encodeFunctionData({
    abi,
    functionName: "transfer",
    args: [RECIPIENT, BigInt(token.tokenId)],
  });
  const allowance = encodeFunctionData({
    abi,
    functionName: "allowance",
    args: [holder as Address, RECIPIENT],
  });
  const isFinal = encodeFunctionData({ abi, functionName: "supportsInterface", args: [ERC721] });
  const questions: readonly Question[] = [
    { data: transfer, from: holder, expects: (answer) => answer === "0x" || wordOf(answer) === 1n },
    { data: transfer, from: RECIPIENT, expects: isRevert },
    { data: allowance, from: holder, expects: isRevert },
    { data: isFinal, expects: (answer) => isRevert(answer) || wordOf(answer) === 0n },
    { data: encodeHolding(token), expects: (answer) => isHolding(token, answer) },
  ];
  const asked = questions.map(async ({ data, from, expects }) => ({
    answer: await node.call(collection, data, from),
    expects,
  }));
  for (const { answer, expects } of await Promise.all(asked)) {
    if (answer.kind === "unavailable") return unanswered(node, token, answer.because);
    if (!expects(answer.kind === "answered" ? answer.data : undefined)) return undefined;
  }
  return { kind: "passes", block: node.block };
}

interface Question {
  readonly data: Hex;
  readonly from?: string;
  /** Undefined: the contract reverts. */
  expects(answer: Hex | undefined): boolean;
}

const isRevert = (answer: Hex | undefined): boolean => answer === undefined;

const wordOf = (answer: Hex | undefined): bigint | undefined =>
  answer === undefined ? undefined : asWord(answer);

function isHolding({ standard, holder }: HeldToken, answer: Hex | undefined): boolean {
  const word = wordOf(answer);
  return word !== undefined && (standard === "erc721" ? word === BigInt(holder) : word > 0n);
}

const reverts = ({ block }: AskedNode, detail: string): TransferVerdict => ({
  kind: "reverts",
  block,
  detail,
});

function unanswered({ block }: AskedNode, { chainId }: Transfer, because: Unavailable): TransferVerdict {
  const whose = `the RPC endpoint of chain ${chainId}`;
  if (because === "node") return unknown(`${whose} can't serve block ${block} now`);
  if (because === "call") return unknown(`${whose} refused to run the transfer`);
  return unknown(`${whose} did not answer in time`);
}

function encodeTransfer({ standard, holder, tokenId }: HeldToken): Hex {
  const [from, id] = [holder as Address, BigInt(tokenId)];
  return standard === "erc721"
    ? encodeFunctionData({ abi, functionName: "transferFrom", args: [from, RECIPIENT, id] })
    : encodeFunctionData({ abi, functionName: "safeTransferFrom", args: [from, RECIPIENT, id, 1n, "0x"] });
}

function encodeHolding({ standard, holder, tokenId }: HeldToken): Hex {
  const id = BigInt(tokenId);
  return standard === "erc721"
    ? encodeFunctionData({ abi, functionName: "ownerOf", args: [id] })
    : encodeFunctionData({ abi, functionName: "balanceOf", args: [holder as Address, id] });
}
