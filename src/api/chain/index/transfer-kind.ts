/** What a transfer is, as SQL that the indexes for serving and the reads of activity share. */

import { zeroAddress } from "viem";

export const transferKinds = ["mint", "transfer", "burn"] as const;
export type TransferKind = (typeof transferKinds)[number];

/** SQL: the kind of a row of token_transfer. The text must stay the same for a read to use its index. */
export const transferKind = (alias?: string): string => {
  const column = (name: string): string => (alias === undefined ? name : `${alias}.${name}`);
  return `(case when ${column('"from"')} = '${zeroAddress}' then 'mint' when ${column('"to"')} = '${zeroAddress}' then 'burn' else 'transfer' end)`;
};

/**
 * SQL: an event's id in the order of its characters, which is chain order across chains: Ponder's ids are checkpoints,
 * which start with the block's Unix seconds in 10 digits.
 */
export const inChainOrder = (id: string): string => `${id} collate "C"`;
