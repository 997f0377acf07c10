/** What a BatchMetadataUpdate(from, to) covers (ERC-4906; spec.md "Events" defines the whole-collection case). */

import { UINT256_MAX } from "./token-ref.ts";

export type RefreshScope = "token" | "range" | "collection" | "inverted";

/** `to` = 2^256-1 means the whole collection whatever `from` is; `from` above `to` covers nothing. */
export function refreshScope(from: bigint, to: bigint): RefreshScope {
  if (to === UINT256_MAX) return "collection";
  if (from > to) return "inverted";
  return from === to ? "token" : "range";
}
