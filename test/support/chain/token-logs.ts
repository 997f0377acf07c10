/** Logs of the usual layouts, as contracts emit them. */

import { encodeAbiParameters, zeroAddress } from "viem";
import type { EmittedLog } from "./fake-chain-store.ts";

/** By their signatures. */
export const signatures = {
  transfer: "Transfer(address,address,uint256)",
  single: "TransferSingle(address,address,address,uint256,uint256)",
  batch: "TransferBatch(address,address,address,uint256[],uint256[])",
  consecutive: "ConsecutiveTransfer(uint256,uint256,address,address)",
  uri: "URI(string,uint256)",
} as const;

const arrays = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;

interface Movement {
  readonly from: string;
  readonly to: string;
}

export const batchLog = ({
  from,
  to,
  ids,
  values,
}: Movement & { readonly ids: readonly bigint[]; readonly values: readonly bigint[] }): EmittedLog => ({
  event: signatures.batch,
  topics: [zeroAddress, from, to],
  data: encodeAbiParameters(arrays, [ids, values]),
});

export const consecutiveLog = ({
  first,
  last,
  from,
  to,
}: Movement & { readonly first: bigint; readonly last: bigint }): EmittedLog => ({
  event: signatures.consecutive,
  topics: [first, from, to],
  data: [last],
});

export const uriLog = (value: string, id: bigint): EmittedLog => ({
  event: signatures.uri,
  topics: [id],
  data: encodeAbiParameters([{ type: "string" }], [value]),
});
