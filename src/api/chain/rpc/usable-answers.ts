/**
 * What Ponder 0.17.7 can use of a node's blocks and logs. It refuses all else, and then asks for the same again. These
 * rules are its own (rpc/actions.js) and no stricter: where a chain leaves out a field that Ponder fills in, so may we.
 */

import { isBlock, type RpcBlock } from "./delivered-blocks.ts";

type Fields = Readonly<Record<string, unknown>>;

const QUANTITY = /^0x[0-9a-f]+$/i;

/** With transactions if `full`. */
export function isUsableBlock(value: unknown, full: boolean): value is RpcBlock {
  if (!isBlock(value) || !isQuantity(value.timestamp) || typeof value.logsBloom !== "string") return false;
  if (!full) return true;
  const { transactions } = value;
  return (
    Array.isArray(transactions) &&
    transactions.every(isUsableTransaction) &&
    areDistinct(transactions.map(({ transactionIndex }) => transactionIndex))
  );
}

/** If `block` is given, the logs must be of this block. */
export function areUsableLogs(logs: readonly unknown[], block?: RpcBlock | undefined): boolean {
  return (
    logs.every((log) => isUsableLog(log) && (!block || isOf(block, log))) &&
    areDistinct(logs.map((log) => `${(log as Fields).blockNumber} ${(log as Fields).logIndex}`))
  );
}

function isUsableTransaction(value: unknown): value is Fields {
  const { hash, blockHash, from, blockNumber, transactionIndex } = fieldsOf(value);
  const isNamed = hash !== undefined && blockHash !== undefined && from !== undefined;
  return isNamed && isQuantity(blockNumber) && isQuantity(transactionIndex);
}

function isUsableLog(value: unknown): value is Fields {
  const {
    blockNumber,
    blockHash,
    logIndex,
    transactionIndex = "0x0",
    address,
    topics,
    data,
  } = fieldsOf(value);
  const isPlaced = isQuantity(blockNumber) && isQuantity(logIndex) && isQuantity(transactionIndex);
  return isPlaced && isText(blockHash) && isText(address) && isText(data) && Array.isArray(topics);
}

const isOf = ({ number, hash }: RpcBlock, log: Fields): boolean =>
  log.blockHash === hash && log.blockNumber === number;

const fieldsOf = (value: unknown): Fields => (value ?? {}) as Fields;

const isText = (value: unknown): boolean => typeof value === "string";

const isQuantity = (value: unknown): boolean => typeof value === "string" && QUANTITY.test(value);

const areDistinct = (keys: readonly unknown[]): boolean => new Set(keys).size === keys.length;
