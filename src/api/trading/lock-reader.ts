/** What a contract itself says of its locks, by the functions of ERC721x that it offers. */

import { encodeFunctionData, type Hex, type PublicClient, parseAbi } from "viem";
import { callContract } from "../chain/contract-call.ts";
import { NOBODYS_FUNCTION, nobodysSignature } from "../chain/nobodys-function.ts";

/** In the order of preference: a count tells more than whether there is one (OwlOfMoistness/ERC721x, IERC721x.sol). */
export const lockFunctions = ["lockCount", "isUnlocked"] as const;
export type LockFunction = (typeof lockFunctions)[number];

const abi = parseAbi([
  "function lockCount(uint256 id) view returns (uint256)",
  "function isUnlocked(uint256 id) view returns (bool)",
  nobodysSignature,
]);

export interface LocksOnChain {
  /** Any uint256; null from a contract that only tells whether a token is locked. */
  readonly lockCount: bigint | null;
  readonly locked: boolean;
}

export type LockRead =
  | ({ readonly kind: "read" } & LocksOnChain)
  /** The call reverts, or what it answers is no such value. */
  | { readonly kind: "unreadable" }
  | { readonly kind: "unavailable" };

/** Reads one contract. Nothing here rejects: a node that is away is an answer, per call. */
export function createLockReader(client: PublicClient, contract: string) {
  const call = (functionName: LockFunction | typeof NOBODYS_FUNCTION, tokenId: string, block: number) =>
    callContract(client, contract, encodeFunctionData({ abi, functionName, args: [BigInt(tokenId)] }), block);

  const read = async (offered: LockFunction, tokenId: string, block: number): Promise<LockRead> => {
    const answer = await call(offered, tokenId, block);
    if (answer.kind !== "answered") return { kind: answer.kind === "reverted" ? "unreadable" : answer.kind };
    const word = asWord(answer.data);
    if (word === undefined) return { kind: "unreadable" };
    if (offered === "lockCount") return { kind: "read", lockCount: word, locked: word > 0n };
    return word > 1n ? { kind: "unreadable" } : { kind: "read", lockCount: null, locked: word === 0n };
  };

  const readAll = (offered: LockFunction, tokenIds: readonly string[], block: number) =>
    Promise.all(tokenIds.map((tokenId) => read(offered, tokenId, block)));

  return {
    /** One read per token, in their order. */
    readAll,

    /**
     * The function to compare with, found by calling it for a few tokens; null for a contract that has neither, and
     * for one whose fallback function answers anything. "unavailable" when the node leaves that open.
     */
    async findOffered(
      tokenIds: readonly string[],
      block: number,
    ): Promise<LockFunction | null | "unavailable"> {
      const [any, ...reads] = await Promise.all([
        call(NOBODYS_FUNCTION, tokenIds[0] ?? "0", block),
        ...lockFunctions.map((name) => readAll(name, tokenIds, block)),
      ]);
      if ([any, ...reads.flat()].some(({ kind }) => kind === "unavailable")) return "unavailable";
      if (any.kind === "answered" && any.data !== "0x") return null;
      return lockFunctions.find((_, index) => reads[index]?.some(({ kind }) => kind === "read")) ?? null;
    },
  };
}

const WORD_CHARACTERS = "0x".length + 64;

/** Exactly one ABI word, or undefined: a function of either kind answers neither less nor more. */
const asWord = (data: Hex): bigint | undefined =>
  data.length === WORD_CHARACTERS ? BigInt(data) : undefined;
