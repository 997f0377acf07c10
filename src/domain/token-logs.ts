/**
 * Decodes the logs of token contracts. Returns undefined for a log that can't be decoded, and never throws. No array is
 * longer than the log's own data.
 */

import { decodeAbiParameters } from "viem";
import { asAddress, type RawLog, readArguments } from "./event-log.ts";

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

/** `Transfer(address,address,uint256)` in any layout. */
export function readTransfer(log: RawLog): TransferLog | undefined {
  const [from, to, tokenId] = readArguments(log, ["address", "address", "uint256"]) ?? [];
  if (from === undefined || to === undefined || tokenId === undefined) return undefined;
  return { from: asAddress(from), to: asAddress(to), tokenId, quantity: 1n };
}

/** A TransferSingle in the ERC-1155 layout: three addresses in topics, two words in the data. */
export const isUsualSingle = (log: RawLog): boolean => log.topics[3] != null && log.data.length >= 2 + 2 * 64;

/** `TransferSingle(address,address,address,uint256,uint256)` in any layout. */
export function readSingle(log: RawLog): TransferLog | undefined {
  const types = ["address", "address", "address", "uint256", "uint256"] as const;
  const [, from, to, tokenId, quantity] = readArguments(log, types) ?? [];
  if (from === undefined || to === undefined || tokenId === undefined || quantity === undefined)
    return undefined;
  return { from: asAddress(from), to: asAddress(to), tokenId, quantity };
}

/** `TransferBatch(address,address,address,uint256[],uint256[])`, with all addresses indexed or none. */
export function readBatch(log: RawLog): BatchLog | undefined {
  const arrays = [{ type: "uint256[]" }, { type: "uint256[]" }] as const;
  const [address] = [{ type: "address" }] as const;
  try {
    const indexed = countIndexed(log);
    if (indexed === 3) {
      const [ids, values] = decodeAbiParameters(arrays, log.data as Address);
      return batchOf(asAddress(wordOf(log, 2)), asAddress(wordOf(log, 3)), ids, values);
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

const wordOf = ({ topics }: RawLog, at: number): bigint => BigInt(topics[at] ?? 0) & (2n ** 160n - 1n);

/** `ConsecutiveTransfer(uint256,uint256,address,address)` (ERC-2309), in any layout. */
export function readConsecutive(log: RawLog): ConsecutiveLog | undefined {
  const types = ["uint256", "uint256", "address", "address"] as const;
  const [first, last, from, to] =
    countIndexed(log) === 3 && log.data.length >= 2 + 64
      ? [wordAt(log, 1), BigInt(log.data.slice(0, 2 + 64)), wordOf(log, 2), wordOf(log, 3)]
      : (readArguments(log, types) ?? []);
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
