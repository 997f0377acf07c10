/** Reads what a contract says of its collection, as of a block. Uses the network and no database. */

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { ContractRef } from "../../../domain/token-ref.ts";
import type { ChainCalls } from "../../chain/contract/batched-calls.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import type { Fetching } from "../../fetch/fetching.ts";
import { createResolve } from "../../metadata/module.ts";
import {
  type ContractFields,
  noFields,
  type Royalty,
  readFields,
  royaltyOf,
  SALE_PRICE,
} from "./contract-fields.ts";
import type { ContractRead } from "./contract-store.ts";

const abi = parseAbi([
  "function contractURI() view returns (string)",
  "function supportsInterface(bytes4 id) view returns (bool)",
  "function royaltyInfo(uint256 id, uint256 price) view returns (address, uint256)",
]);
/** ERC-2981. */
const ROYALTIES = "0x2a55205a";

const NO_FIELDS = "no_fields: the document has none of the fields that collections show";

/** The node gave no answer: nothing is known about the contract. */
export class NodeAway extends Error {}

export type ReadContract = (
  contract: ContractRef,
  tokenIds: readonly string[],
  block: number,
  signal: AbortSignal,
) => Promise<ContractRead>;

/**
 * Throws `NodeAway`. A contract without these functions, or with wrong answers, says nothing of itself. The fields are
 * undefined if the document that it names is of no use.
 */
export function createContractReader(fetching: Fetching, calls: ChainCalls): ReadContract {
  return async (contract, tokenIds, block, signal) => {
    /** Undefined where the contract answers nothing that can be read. */
    async function ask<Value>(data: `0x${string}`, decode: (data: `0x${string}`) => Value) {
      const call = calls.get(contract.chainId);
      if (!call) throw new NodeAway(`no RPC endpoint for chain ${contract.chainId}`);
      const answer = await call(contract.address, data, block);
      if (answer.kind === "unavailable" && answer.because !== "call") throw new NodeAway();
      if (answer.kind !== "answered") return undefined;
      try {
        return decode(answer.data);
      } catch {
        return undefined;
      }
    }

    async function readRoyalty(): Promise<Royalty | null> {
      const isOffered = await ask(
        encodeFunctionData({ abi, functionName: "supportsInterface", args: [ROYALTIES] }),
        (data) => decodeFunctionResult({ abi, functionName: "supportsInterface", data }),
      );
      if (isOffered !== true) return null;
      const answers = await Promise.all(
        tokenIds.map((id) =>
          ask(
            encodeFunctionData({ abi, functionName: "royaltyInfo", args: [BigInt(id), SALE_PRICE] }),
            (data) => {
              const [receiver, amount] = decodeFunctionResult({ abi, functionName: "royaltyInfo", data });
              return { receiver, amount };
            },
          ),
        ),
      );
      return royaltyOf(answers.flatMap((answer) => answer ?? []));
    }

    async function readDocument(): Promise<Pick<ContractRead, "uri" | "fields" | "reason">> {
      const uri = await ask(encodeFunctionData({ abi, functionName: "contractURI" }), (data) =>
        decodeFunctionResult({ abi, functionName: "contractURI", data }),
      );
      if (uri === undefined || uri.trim() === "") return { uri: null, fields: noFields, reason: null };
      // Documents of contracts are fetched as those of tokens, with the same limits.
      const resolve = createResolve({
        ...fetching,
        readUri: async () => ({ kind: "read", uri, standard: "erc721" }),
      });
      const token = { chainId: contract.chainId, collection: contract.address, tokenId: "0" };
      const found = await resolve(token, "erc721", block, { signal });
      if (found.kind !== "document") {
        const reason = found.kind === "failed" ? explainFailure(found) : null;
        return { uri: found.uri, fields: undefined, reason };
      }
      const fields = fieldsOf(found.document.body, fetching.gateways);
      // Hosts answer with objects of another kind while something is wrong.
      if (Object.values(fields).every((field) => field === null))
        return { uri: found.uri, fields: undefined, reason: NO_FIELDS };
      return { uri: found.uri, fields, reason: null };
    }

    const [royalty, document] = await Promise.all([readRoyalty(), readDocument()]);
    return { block, royalty, ...document };
  };
}

const fieldsOf = (body: Buffer, gateways: readonly string[]): ContractFields =>
  readFields(JSON.parse(body.toString().replace(/^\uFEFF/, "")), gateways);
