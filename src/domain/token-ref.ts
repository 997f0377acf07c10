/** How chains, contracts and tokens are named: lower-case addresses and decimal uint256 ids. */

/** A token, as every table and answer names it. `tokenId` is a decimal uint256. */
export interface TokenRef {
  readonly chainId: number;
  readonly collection: string;
  readonly tokenId: string;
}

/** `chainId:address`, by which a collection is known in maps, keys and the audit log. */
export const collectionKey = ({
  chainId,
  address,
}: {
  readonly chainId: number;
  readonly address: string;
}): string => `${chainId}:${address}`;

/** `chainId:collection:tokenId`. */
export const tokenKey = ({ chainId, collection, tokenId }: TokenRef): string =>
  `${chainId}:${collection}:${tokenId}`;

export const UINT256_MAX = 2n ** 256n - 1n;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const TOKEN_ID = /^(0|[1-9][0-9]{0,77})$/;

/** The lower-case form of a 20-byte hex address, or undefined for anything else. Checksums are not checked. */
export function parseAddress(text: string): string | undefined {
  return ADDRESS.test(text) ? text.toLowerCase() : undefined;
}

/** A token id from its decimal text: no sign, no leading zeros, at most 2^256-1; undefined for anything else. */
export function parseTokenId(text: string): bigint | undefined {
  if (!TOKEN_ID.test(text)) return undefined;
  const id = BigInt(text);
  return id <= UINT256_MAX ? id : undefined;
}
