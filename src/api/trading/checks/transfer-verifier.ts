/** Simulates transfers: an eth_call from each token's holder, at the node's own head. */

import { setMaxListeners } from "node:events";
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
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../async/concurrency.ts";
import { type CallAnswer, callContract, hasCode } from "../../chain/contract/contract-call.ts";
import { revertReason } from "../../chain/contract/revert-reason.ts";
import { findAnsweringEndpoint } from "../../chain/rpc/answering-endpoint.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";

const abi = parseAbi([
  "function transferFrom(address from, address to, uint256 id)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
]);

/**
 * An address without an owner: it has no known key and no code that could reject a token. It is neither the zero
 * address, which contracts reject, nor a low address of a precompiled contract.
 */
export const RECIPIENT: Address = `0x${keccak256(toHex("vitrine: the recipient of simulated transfers")).slice(-40)}`;

/** For all transfers of one `verify`, whatever the nodes do. */
export const VERIFY_MS = 3_000;
// The gas limit of any transaction (EIP-7825): a contract that uses more can't be transferred either.
const TRANSFER_GAS = 2n ** 24n;
// Per process and chain; what one app has verified may take seconds of the node.
const CALLS_AT_ONCE = 32;
// A load-balanced endpoint may route to a node that lacks the block another one has reported.
const UNSEEN_BLOCK_MS = 500;

export interface Transfer {
  readonly chainId: number;
  readonly collection: string;
  readonly tokenId: string;
  readonly standard: Standard;
  /** The sender; null if the chain index knows no holder. */
  readonly holder: string | null;
  /** The latest indexed block: older blocks prove nothing. */
  readonly asOfBlock: number;
}

export type TransferVerdict =
  | { readonly kind: "passes"; readonly block: number }
  | { readonly kind: "reverts"; readonly block: number; readonly detail: string }
  /** The result is unknown; `detail` names the cause. */
  | { readonly kind: "unknown"; readonly detail: string };

export function createTransferVerifier(clients: ChainClients) {
  const limits = new Map<number, ConcurrencyLimit>(
    [...clients.keys()].map((chainId) => [chainId, createConcurrencyLimit(CALLS_AT_ONCE)]),
  );

  async function verifyOn(
    chainId: number,
    transfers: readonly Transfer[],
    party: string,
    signal: AbortSignal,
  ): Promise<TransferVerdict[]> {
    const limit = limits.get(chainId);
    const indexed = Math.max(...transfers.map(({ asOfBlock }) => asOfBlock));
    const found = await findAnsweringEndpoint(clients.get(chainId)?.endpoints() ?? [], indexed, signal);
    if (!limit || !found) {
      return transfers.map(() => unknown(`no RPC endpoint of chain ${chainId} answered in time`));
    }
    const block = Math.max(found.head, indexed);
    const node = askNode(found.endpoint, block, signal);
    return Promise.all(
      transfers.map((transfer) =>
        limit(() => tryTransfer(node, transfer), signal, party).catch((error: unknown) => {
          if (!signal.aborted) throw error;
          return unknown("timed out behind other verifications");
        }),
      ),
    );
  }

  return {
    /**
     * One verdict per transfer, in their order. Never rejects, and takes at most `VERIFY_MS`. All transfers of a chain
     * run at the same block: the head of the first endpoint that has seen the indexed block. Parties take turns at it.
     */
    async verify(transfers: readonly Transfer[], party: string): Promise<TransferVerdict[]> {
      const signal = AbortSignal.timeout(VERIFY_MS);
      // Each transfer listens while it waits for its turn.
      setMaxListeners(0, signal);
      const verdicts = new Map<Transfer, TransferVerdict>();
      await Promise.all(
        [...new Set(transfers.map(({ chainId }) => chainId))].map(async (chainId) => {
          const some = transfers.filter((transfer) => transfer.chainId === chainId);
          const found = await verifyOn(chainId, some, party, signal);
          for (const [index, transfer] of some.entries()) {
            const verdict = found[index];
            if (verdict) verdicts.set(transfer, verdict);
          }
        }),
      );
      return transfers.map((transfer) => verdicts.get(transfer) ?? unknown("the transfer was not tried"));
    },
  };
}

const unknown = (detail: string): TransferVerdict => ({ kind: "unknown", detail });

/** One node at one block, until the signal aborts. */
interface AskedNode {
  readonly block: number;
  readonly signal: AbortSignal;
  call(contract: string, from: string, data: Hex): Promise<CallAnswer>;
  /** Cached per contract. Undefined if the node gives no answer. */
  hasCode(contract: string): Promise<boolean | undefined>;
}

function askNode(endpoint: PublicClient, block: number, signal: AbortSignal): AskedNode {
  const known = new Map<string, Promise<boolean | undefined>>();
  return {
    block,
    signal,
    call: (contract, from, data) =>
      callContract(endpoint, contract, data, block, { from, gas: TRANSFER_GAS, signal }),
    hasCode(contract) {
      const answer = known.get(contract) ?? hasCode(endpoint, contract, block, { signal });
      known.set(contract, answer);
      return answer;
    },
  };
}

async function tryTransfer(node: AskedNode, transfer: Transfer): Promise<TransferVerdict> {
  const { chainId, collection, tokenId, standard, holder } = transfer;
  if (holder === null) return unknown("the chain index knows no holder of it");
  const data = encodeTransfer(standard, holder as Address, BigInt(tokenId));
  let answer = await node.call(collection, holder, data);
  if (answer.kind === "unavailable" && answer.because === "node") {
    await sleep(UNSEEN_BLOCK_MS, undefined, { signal: node.signal }).catch(() => undefined);
    answer = await node.call(collection, holder, data);
  }
  const { block } = node;
  const whose = `the RPC endpoint of chain ${chainId}`;
  if (answer.kind === "reverted") return { kind: "reverts", block, detail: revertReason(answer.revert) };
  if (answer.kind === "answered") {
    // A self-destructed contract accepts every call and does nothing.
    const isThere = await node.hasCode(collection);
    if (isThere) return { kind: "passes", block };
    if (isThere === false) return { kind: "reverts", block, detail: "the contract is gone" };
  } else if (answer.because === "node") return unknown(`${whose} can't serve block ${block} now`);
  else if (answer.because === "call") return unknown(`${whose} refused to run the transfer`);
  return unknown(`${whose} did not answer in time`);
}

function encodeTransfer(standard: Standard, holder: Address, tokenId: bigint): Hex {
  return standard === "erc721"
    ? encodeFunctionData({ abi, functionName: "transferFrom", args: [holder, RECIPIENT, tokenId] })
    : encodeFunctionData({
        abi,
        functionName: "safeTransferFrom",
        args: [holder, RECIPIENT, tokenId, 1n, "0x"],
      });
}
