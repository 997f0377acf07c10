/**
 * Decodes the logs of token contracts. Returns undefined for a log that can't be decoded, and never throws. No array is
 * longer than the log's own data.
 */

import { decodeAbiParameters } from "viem";
import { ADDRESS_LIMIT, asAddress, type RawLog, readArguments, readUsual } from "./event-log.ts";

type Address = `0x${string}`;

export interface TransferLog {
  readonly from: Address;
  readonly to: Address;
  readonly tokenId: bigint;
  readonly quantity: bigint;
}

export interface BatchLog {
  readonly from: Address;
  readonly to: Address;
  /** The same length as `values`. */
  readonly ids: readonly bigint[];
  readonly values: readonly bigint[];
}

export interface ConsecutiveLog {
  readonly from: Address;
  readonly to: Address;
  /** Inclusive, as is `last`. */
  readonly first: bigint;
  readonly last: bigint;
}

/** The number of indexed arguments. Ponder pads stored topics with nulls. */
export function countIndexed({ topics }: RawLog): number {
  let at = 1;
  while (at < topics.length && topics[at] != null) at++;
  return at - 1;
}

const transferTypes = ["address", "address", "uint256"] as const;

/** `Transfer(address,address,uint256)` in any layout; with two arguments indexed, likely that of AxieCore. */
export function readTransfer(log: RawLog): TransferLog | undefined {
  const usual = readUsual(log, transferTypes, [0, 1]);
  const words = usual && !usual.isDoubtful ? usual.words : readArguments(log, transferTypes);
  const [from, to, tokenId] = words ?? [];
  if (from === undefined || to === undefined || tokenId === undefined) return undefined;
  return { from: asAddress(from), to: asAddress(to), tokenId, quantity: 1n };
}

const singleTypes = ["address", "address", "address", "uint256", "uint256"] as const;
const singleLayout = [0, 1, 2];

/** A TransferSingle in the ERC-1155 layout: three addresses in topics, two words in the data. */
export const isUsualSingle = (log: RawLog): boolean =>
  readUsual(log, singleTypes, singleLayout)?.isDoubtful === false;

/**
 * `TransferSingle(address,address,address,uint256,uint256)` in any layout. `isDoubtful`: in the ERC-1155 layout, a number
 * stands where an address belongs, and the words fit another layout better.
 */
export function readSingle(log: RawLog): (TransferLog & { readonly isDoubtful: boolean }) | undefined {
  const usual = readUsual(log, singleTypes, singleLayout);
  const [, from, to, tokenId, quantity] = usual?.words ?? readArguments(log, singleTypes) ?? [];
  if (from === undefined || to === undefined || tokenId === undefined || quantity === undefined)
    return undefined;
  const isDoubtful = usual?.isDoubtful === true;
  return { from: asAddress(from), to: asAddress(to), tokenId, quantity, isDoubtful };
}

/** `TransferBatch(address,address,address,uint256[],uint256[])`, with all addresses indexed or none. */
export function readBatch(log: RawLog): BatchLog | undefined {
  const arrays = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;
  const [address] = [{ type: "address" }] as const;
  try {
    const indexed = countIndexed(log);
    if (indexed === 3) {
      const [from, to] = [wordAt(log, 2), wordAt(log, 3)];
      if (from >= ADDRESS_LIMIT || to >= ADDRESS_LIMIT) return undefined;
      const [ids, values] = decodeAbiParameters(arrays, log.data as Address);
      return batchOf(asAddress(from), asAddress(to), ids, values);
    }
    if (indexed !== 0) return undefined;
    const types = [address, address, address, ...arrays] as const;
    const [, from, to, ids, values] = decodeAbiParameters(types, log.data as Address);
    return batchOf(from.toLowerCase() as Address, to.toLowerCase() as Address, ids, values);
  } catch {
    return undefined;
  }
}

const batchOf = (
  from: Address,
  to: Address,
  ids: readonly bigint[],
  values: readonly bigint[],
): BatchLog | undefined => (ids.length === values.length ? { from, to, ids, values } : undefined);

const consecutiveTypes = ["uint256", "uint256", "address", "address"] as const;

/** `ConsecutiveTransfer(uint256,uint256,address,address)` (ERC-2309), in any layout. */
export function readConsecutive(log: RawLog): ConsecutiveLog | undefined {
  const usual = readUsual(log, consecutiveTypes, [0, 2, 3]);
  // Other layouts would have the same words for a mint and a burn.
  if (usual?.isDoubtful) return undefined;
  const [first, last, from, to] = usual?.words ?? readArguments(log, consecutiveTypes) ?? [];
  if (first === undefined || last === undefined || from === undefined || to === undefined) return undefined;
  return { first, last, from: asAddress(from), to: asAddress(to) };
}

const wordAt = ({ topics }: RawLog, at: number): bigint => BigInt(topics[at] ?? 0);

/** The token id of a `URI(string,uint256)` (ERC-1155), in any layout. The URI is read from the contract. */
export function readUriToken(log: RawLog): bigint | undefined {
  const indexed = countIndexed(log);
  if (indexed === 2) return wordAt(log, 2);
  // Data with a string has at least two words, and with the token id three.
  const words = (log.data.length - 2) / 64;
  if (indexed === 1) return words === 1 ? BigInt(log.data) : wordAt(log, 1);
  return indexed === 0 && words >= 3 ? BigInt(`0x${log.data.slice(2 + 64, 2 + 128)}`) : undefined;
}
