/** What a transfer is, as SQL that the indexes for serving and the reads of activity share. */

/** Viem's constant would load 400 modules into the thread of each export, which needs none of them. */
export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

export const transferKinds = ["mint", "transfer", "burn"] as const;
export type TransferKind = (typeof transferKinds)[number];

/** SQL: the kind of a row of token_transfer. The text must stay the same for a read to use its index. */
export const transferKind = (alias?: string): string => {
  const column = (name: string): string => (alias === undefined ? name : `${alias}.${name}`);
  return `(case when ${column('"from"')} = '${ZERO_ADDRESS}' then 'mint' when ${column('"to"')} = '${ZERO_ADDRESS}' then 'burn' else 'transfer' end)`;
};

/**
 * SQL: an event's id in the order of its characters, which is chain order across chains: Ponder's ids are checkpoints,
 * which start with the block's Unix seconds in 10 digits.
 */
export const inChainOrder = (id: string): string => `${id} collate "C"`;
