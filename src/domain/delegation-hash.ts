/** Delegation hashes of delegate registry v2 (RegistryHashes.sol): keccak of the fields, type in the last byte. */

import { concat, type Hex, hexToBigInt, keccak256, numberToHex } from "viem";

export type DelegationType = "ALL" | "CONTRACT" | "ERC721" | "ERC20" | "ERC1155";

const typeBytes: Record<DelegationType, bigint> = {
  ALL: 1n,
  CONTRACT: 2n,
  ERC721: 3n,
  ERC20: 4n,
  ERC1155: 5n,
};
const WORD = 2n ** 256n;

/** The fields that identify a delegation. The amount is not one of them: a new amount replaces the old one. */
export interface DelegationKey {
  readonly type: DelegationType;
  readonly rights: Hex;
  readonly from: Hex;
  readonly to: Hex;
  readonly contract?: Hex;
  readonly tokenId?: bigint;
}

/** `(keccak256(rights, from, to[, contract[, tokenId]]) << 8) | type`, as 32 bytes. */
export function delegationHash({ type, rights, from, to, contract, tokenId }: DelegationKey): Hex {
  const id: Hex = tokenId === undefined ? "0x" : numberToHex(tokenId, { size: 32 });
  const packed = concat([rights, from, to, contract ?? "0x", id]);
  return numberToHex(((hexToBigInt(keccak256(packed)) << 8n) % WORD) | typeBytes[type], { size: 32 });
}
