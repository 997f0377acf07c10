/**
 * Asks contracts whether they have tokens without an indexed transfer: freshly minted ones, or invented ids. A URI
 * alone proves nothing: ERC-1155 contracts return one for any id, and wrappers of other collections do too.
 */

import { encodeFunctionData, parseAbi } from "viem";
import type { CollectionConfig, Standard } from "../../../config.ts";
import { collectionKey, type TokenRef } from "../../../domain/token-ref.ts";
import { createPromiseCache } from "../../async/promise-cache.ts";
import { withTimeout } from "../../async/timeout.ts";
import { asWord } from "../../chain/contract/abi-word.ts";
import type { ChainCalls } from "../../chain/contract/batched-calls.ts";
import type { LatestBlock } from "../../chain/contract/read-block.ts";
import { NOBODYS_FUNCTION, nobodysSignature } from "../../chain/contract/unknown-function.ts";
import type { ReadUri } from "./read-uri.ts";

// An unresponsive node must not keep a caller waiting.
const EXISTENCE_MS = 3_000;
// One entry per contract and block; evicts the least recently used.
const OFFERS_MAX = 1_000;

const abi = parseAbi([
  "function ownerOf(uint256 id) view returns (address)",
  "function exists(uint256 id) view returns (bool)",
  "function totalSupply(uint256 id) view returns (uint256)",
  nobodysSignature,
]);

/** In order of preference; both are optional (OpenZeppelin's ERC1155Supply has them). */
const supplyFunctions = ["exists", "totalSupply"] as const;
type SupplyFunction = (typeof supplyFunctions)[number];

export type Existence =
  /** The contract confirms it and returns a URI. `block` is the node's head. */
  | { readonly kind: "exists"; readonly block: number }
  | { readonly kind: "absent" }
  /** The contract returns a URI but offers no function that proves existence. */
  | { readonly kind: "unproven"; readonly block: number }
  /** The node gave no answer. `block` is its head, if known. */
  | { readonly kind: "unavailable"; readonly block: number | undefined };

/** What the chain index knows of a contract. */
export interface IndexedContract {
  /** Null before the first transfer. */
  readonly standard: Standard | null;
  /** A few tokens that have holders. */
  readonly owned: readonly string[];
}

export interface ExistenceDeps {
  readonly calls: ChainCalls;
  readonly readUri: ReadUri;
  readonly latestBlock: LatestBlock;
  readonly readContract: (chainId: number, collection: string) => Promise<IndexedContract>;
}

/** One result per token, by its id. Calls are batched; a node that takes longer than three seconds is unavailable. */
export type AskExistence = (
  collection: CollectionConfig,
  tokenIds: readonly string[],
) => Promise<ReadonlyMap<string, Existence>>;

const ABSENT: Existence = { kind: "absent" };
const unanswered = new Error("the node did not answer what the contract offers");

export function createExistence(deps: ExistenceDeps): AskExistence {
  const { calls, readUri, latestBlock, readContract } = deps;
  // Cached per contract and block, for all callers.
  const offers = createPromiseCache<string, Offered>({ max: OFFERS_MAX });

  type Word = bigint | "none" | "unavailable";
  type Offered = SupplyFunction | null | "unavailable";

  /** The function's return value, if it is exactly one ABI word. */
  async function ask(
    functionName: "ownerOf" | SupplyFunction | typeof NOBODYS_FUNCTION,
    { chainId, collection, tokenId }: TokenRef,
    block: number,
  ): Promise<Word | "anything"> {
    const call = calls.get(chainId);
    if (!call) return "unavailable";
    const data = encodeFunctionData({ abi, functionName, args: [BigInt(tokenId)] });
    const answer = await call(collection, data, block);
    if (answer.kind === "unavailable") return "unavailable";
    if (answer.kind === "reverted" || answer.data === "0x") return "none";
    return asWord(answer.data) ?? "anything";
  }

  /**
   * The function that proves existence: one that confirms a token with a holder or, if no such token is known, one that
   * returns a valid value at all. Null for a contract that answers anything.
   */
  async function findOffered(asked: TokenRef, owned: readonly TokenRef[], block: number): Promise<Offered> {
    const samples = owned.length > 0 ? owned : [asked];
    const [anything, ...answers] = await Promise.all([
      ask(NOBODYS_FUNCTION, asked, block),
      ...supplyFunctions.map((name) => Promise.all(samples.map((sample) => ask(name, sample, block)))),
    ]);
    if ([anything, ...answers.flat()].includes("unavailable")) return "unavailable";
    if (anything !== "none") return null;
    const isSensible = (name: SupplyFunction, word: Word | "anything"): boolean =>
      typeof word === "bigint" && (name === "totalSupply" || word <= 1n) && (owned.length === 0 || word > 0n);
    return (
      supplyFunctions.find((name, index) => answers[index]?.some((word) => isSensible(name, word))) ?? null
    );
  }

  async function offeredBy(token: TokenRef, owned: readonly TokenRef[], block: number): Promise<Offered> {
    if (owned.length === 0) return findOffered(token, owned, block);
    const name = `${collectionKey(token)}:${block}`;
    try {
      return await offers.get(name, async () => {
        const offered = await findOffered(token, owned, block);
        // Not kept: a chain may stay at one block for long.
        if (offered === "unavailable") throw unanswered;
        return offered;
      });
    } catch (error) {
      if (error === unanswered) return "unavailable";
      throw error;
    }
  }

  /** `proven` if the contract returns a URI as well. */
  async function named(
    token: TokenRef,
    standard: Standard,
    block: number,
    proven: "exists" | "unproven",
  ): Promise<Existence> {
    const read = await readUri(token, standard, block);
    if (read.kind === "unavailable") return { kind: "unavailable", block };
    return read.kind === "read" ? { kind: proven, block } : ABSENT;
  }

  async function askItem(token: TokenRef, owned: readonly TokenRef[], block: number): Promise<Existence> {
    const offered = await offeredBy(token, owned, block);
    if (offered === "unavailable") return { kind: "unavailable", block };
    if (offered === null) return named(token, "erc1155", block, "unproven");
    const word = await ask(offered, token, block);
    if (word === "unavailable") return { kind: "unavailable", block };
    return typeof word === "bigint" && word > 0n ? named(token, "erc1155", block, "exists") : ABSENT;
  }

  async function askOne(
    token: TokenRef,
    standard: Standard | null,
    owned: readonly TokenRef[],
    block: number,
  ): Promise<Existence> {
    if (standard === "erc1155") return askItem(token, owned, block);
    const owner = await ask("ownerOf", token, block);
    if (owner === "unavailable") return { kind: "unavailable", block };
    if (isOwner(owner)) return named(token, "erc721", block, "exists");
    return standard === "erc721" ? ABSENT : askItem(token, owned, block);
  }

  return async (collection, tokenIds) => {
    const { chainId, address } = collection;
    const [block, contract] = await Promise.all([
      withTimeout(EXISTENCE_MS, latestBlock(chainId)),
      readContract(chainId, address),
    ]);
    const refOf = (tokenId: string): TokenRef => ({ chainId, collection: address, tokenId });
    const owned = contract.owned.map(refOf);
    const standard = collection.standard ?? contract.standard;
    const answers = await Promise.all(
      tokenIds.map(async (tokenId): Promise<readonly [string, Existence]> => {
        const existence =
          block === undefined
            ? undefined
            : await withTimeout(EXISTENCE_MS, askOne(refOf(tokenId), standard, owned, block));
        return [tokenId, existence ?? { kind: "unavailable", block }];
      }),
    );
    return new Map(answers);
  };
}

const ADDRESS_MAX = 2n ** 160n - 1n;

const isOwner = (word: unknown): boolean => typeof word === "bigint" && word > 0n && word <= ADDRESS_MAX;
