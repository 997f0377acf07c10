/** How chains, contracts and tokens are identified: lower-case addresses and decimal uint256 ids. */

/** A collection, as configured. */
export interface ContractRef {
  readonly chainId: number;
  /** In lower case. */
  readonly address: string;
}

/** A collection, as rows of tables refer to it. */
export interface CollectionRef {
  readonly chainId: number;
  /** Its address, in lower case. */
  readonly collection: string;
}

/** A token, as every table and response identifies it. */
export interface TokenRef extends CollectionRef {
  /** A decimal uint256. */
  readonly tokenId: string;
}

/** `chainId:address`, the key of a collection in maps, object keys and the audit log. */
export const collectionKey = (named: ContractRef | CollectionRef): string =>
  `${named.chainId}:${"address" in named ? named.address : named.collection}`;

/** The parts of a `collectionKey`; those of any other text are of no collection. */
export function parseCollectionKey(key: string): ContractRef {
  const [chainId = "", address = ""] = key.split(":");
  return { chainId: Number(chainId), address };
}

/** `chainId:collection:tokenId`. */
export const tokenKey = ({ chainId, collection, tokenId }: TokenRef): string =>
  `${chainId}:${collection}:${tokenId}`;

export const UINT256_MAX = 2n ** 256n - 1n;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const TOKEN_ID = /^(0|[1-9][0-9]{0,77})$/;

/** A 20-byte hex address in lower case, or undefined for anything else. Checksums are not verified. */
export function parseAddress(text: string): string | undefined {
  return ADDRESS.test(text) ? text.toLowerCase() : undefined;
}

/** Parses a decimal token id: no sign, no leading zeros, at most 2^256-1; undefined for anything else. */
export function parseTokenId(text: string): bigint | undefined {
  if (!TOKEN_ID.test(text)) return undefined;
  const id = BigInt(text);
  return id <= UINT256_MAX ? id : undefined;
}
