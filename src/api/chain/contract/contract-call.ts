/** Calls a contract at a block, and distinguishes the contract's answer from a failure of the node. */

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
  /** The node could not answer, or has no state of that block; nothing is known about the contract. */
  | { readonly kind: "unavailable"; readonly because: Unavailable };

/** A contract's revert, untrusted and undecoded. */
export interface Revert {
  /** Undefined if the node doesn't return it. */
  readonly data: Hex | undefined;
  /** The node's error message. */
  readonly message: string;
}

/** Options of a call; by default, a plain read. */
export interface CallSettings {
  /** The sender; the zero address by default. */
  readonly from?: string;
  /** The gas limit; by default, the node's. */
  readonly gas?: bigint;
  /** Aborts the request, including the reading of its response. */
  readonly signal?: AbortSignal;
}

/**
 * `call`: the node rejects this particular call, for example by a time limit. `node`: it can't serve anyone, or that
 * block, at present. `silence`: no response, or an unreadable one.
 */
export type Unavailable = "call" | "node" | "silence";

const REVERTED_CODE = 3;
// Nodes with another code for reverts name them in the message: geth and its forks, Nethermind, Hardhat, anvil.
const REVERTED_WORDS =
  /revert|vm execution error|evm error|invalid opcode|invalid jump|stack (?:under|over)flow|out of gas|gas uint64 overflow|return data out of bounds|write protection|max code size exceeded|response (?:size exceeded|is too big)/i;

// Rate limits (EIP-1474, HTTP 429 in the body, QuickNode), and method not found (JSON-RPC 2.0, EIP-1474).
const NODE_CODES: readonly number[] = [-32005, 429, -32007, -32601, -32004];
// Rate limits, blocks not yet seen or already pruned, expired keys: as the various nodes word them.
const NODE_WORDS =
  /\b(?:rate|requests?|daily|monthly)[ -]limit|limit reached|requests? per (?:second|minute|day)|too many requests|compute units|quota|credits|(?:header|block|state)(?: is)? (?:not |un)(?:found|available)|unknown block|missing trie node|pruned|historical state|syncing|unauthori[sz]ed|forbidden|api[ -]?key/i;

/** Never rejects. A batching client combines concurrent calls into one request. */
export async function callContract(
  client: PublicClient,
  contract: string,
  data: Hex,
  block: number,
  { from, gas, signal }: CallSettings = {},
): Promise<CallAnswer> {
  try {
    // Not `readContract`: it treats every internal error of a node as a revert, and it fetches any URL that a contract
    // names in an OffchainLookup (ERC-3668).
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

/** Whether the address has code at that block; undefined if the node gave no answer. Never rejects. */
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

/** Whether the node responds at all, even with an error. Never rejects. */
export async function isThere(client: PublicClient): Promise<boolean> {
  try {
    await client.request({ method: "eth_chainId" });
    return true;
  } catch (error) {
    return rpcError(error) !== undefined;
  }
}

/** Why a call failed without the contract's answer; undefined if the contract has reverted it. */
export function unavailableBecause(error: unknown): Unavailable | undefined {
  const answer = readError(error);
  return answer.kind === "unavailable" ? answer.because : undefined;
}

/** A revert is the contract's answer; every other error is the node's failure. */
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

/** Most nodes return the plain bytes; Nethermind writes "Reverted 0x…", Hardhat wraps them in an object. */
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
