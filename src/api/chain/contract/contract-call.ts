/** Asks a contract at a block, and tells what the contract answers from what its node fails to say. */

import {
  BaseError,
  type Hex,
  isHex,
  numberToHex,
  type PublicClient,
  ResponseBodyTooLargeError,
  RpcRequestError,
} from "viem";

export type CallAnswer =
  | { readonly kind: "answered"; readonly data: Hex }
  | { readonly kind: "reverted"; readonly revert: Revert }
  /** The node could not answer, or holds no state of that block; nothing is known of the contract. */
  | { readonly kind: "unavailable"; readonly because: Unavailable };

/** What a contract gave as its reason, still as a stranger wrote it. */
export interface Revert {
  /** Undefined where the node hands on none. */
  readonly data: Hex | undefined;
  /** The node's own words. */
  readonly message: string;
}

/** How a call differs from a plain read. */
export interface CallSettings {
  /** Who calls; the zero address by default. */
  readonly from?: string;
  /** As much gas as the call may use; else what the node gives. */
  readonly gas?: bigint;
  /** Ends the request, the reading of its answer included. */
  readonly signal?: AbortSignal;
}

/**
 * `call`: the node refuses this very call, as by a time limit. `node`: it says that it can't serve anyone, or that block,
 * now. `silence`: no answer came, or none that can be read.
 */
export type Unavailable = "call" | "node" | "silence";

const REVERTED_CODE = 3;
// Nodes that give reverts another code say it in words: geth and its kin, Nethermind, Hardhat, anvil.
const REVERTED_WORDS =
  /revert|vm execution error|evm error|invalid opcode|invalid jump|stack (?:under|over)flow|out of gas|gas uint64 overflow|return data out of bounds|write protection|max code size exceeded|response (?:size exceeded|is too big)/i;

// A rate limit (EIP-1474, HTTP's code in a body, QuickNode), and no such method (JSON-RPC 2.0, EIP-1474).
const NODE_CODES: readonly number[] = [-32005, 429, -32007, -32601, -32004];
// Rate limits, blocks not yet seen or no longer held, keys that lapsed: in each node's own words.
const NODE_WORDS =
  /\b(?:rate|requests?|daily|monthly)[ -]limit|limit reached|requests? per (?:second|minute|day)|too many requests|compute units|quota|credits|(?:header|block|state)(?: is)? (?:not |un)(?:found|available)|unknown block|missing trie node|pruned|historical state|syncing|unauthori[sz]ed|forbidden|api[ -]?key/i;

/** Never rejects. Calls made together through a batching client travel in one request. */
export async function callContract(
  client: PublicClient,
  contract: string,
  data: Hex,
  block: number,
  { from, gas, signal }: CallSettings = {},
): Promise<CallAnswer> {
  try {
    // Not `readContract`: it takes every internal error of a node for a revert, and it fetches the URLs that a
    // contract names in an OffchainLookup (ERC-3668) from anywhere.
    const call = {
      to: contract as Hex,
      data,
      ...(from !== undefined && { from: from as Hex }),
      ...(gas !== undefined && { gas: numberToHex(gas) }),
    };
    const answer: unknown = await client.request(
      { method: "eth_call", params: [call, numberToHex(block)] },
      { ...(signal && { signal }) },
    );
    return isHex(answer) ? { kind: "answered", data: answer } : { kind: "unavailable", because: "silence" };
  } catch (error) {
    return readError(error);
  }
}

/** Whether a contract is at the address at that block; undefined when the node could not tell. Never rejects. */
export async function hasCode(
  client: PublicClient,
  contract: string,
  block: number,
  { signal }: Pick<CallSettings, "signal"> = {},
): Promise<boolean | undefined> {
  try {
    const code: unknown = await client.request(
      { method: "eth_getCode", params: [contract as Hex, numberToHex(block)] },
      { ...(signal && { signal }) },
    );
    return typeof code === "string" ? code.length > "0x".length : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the node answers anything, an error included. Never rejects. */
export async function isThere(client: PublicClient): Promise<boolean> {
  try {
    await client.request({ method: "eth_chainId" });
    return true;
  } catch (error) {
    return rpcError(error) !== undefined;
  }
}

/** A revert is the contract's answer; every other error is the node's. */
function readError(error: unknown): CallAnswer {
  const answer = rpcError(error);
  if (answer === undefined) {
    const isTooLarge =
      error instanceof BaseError &&
      error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null;
    return { kind: "unavailable", because: isTooLarge ? "call" : "silence" };
  }
  const { code, details } = answer;
  if (code === REVERTED_CODE || REVERTED_WORDS.test(details))
    return { kind: "reverted", revert: { data: revertData(answer.data), message: details } };
  const isAboutNode = NODE_CODES.includes(code) || NODE_WORDS.test(details);
  return { kind: "unavailable", because: isAboutNode ? "node" : "call" };
}

/** Most nodes give the bytes as they are; Nethermind's kin writes "Reverted 0x…", Hardhat's wraps them in an object. */
function revertData(data: unknown): Hex | undefined {
  const text = typeof data === "object" && data !== null && "data" in data ? data.data : data;
  if (typeof text !== "string") return undefined;
  const bytes = /^(?:Reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(text)?.[1];
  return bytes as Hex | undefined;
}

function rpcError(error: unknown): RpcRequestError | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  return answer instanceof RpcRequestError ? answer : undefined;
}
