/**
 * Ponder's checkpoints have 75 digits: timestamp (10), chain (16), block (16), transaction (16), type (1), log (16).
 * Their text order is chain order.
 */
const FORM = /^(\d{10})(\d{16})(\d{16})\d{33}$/;

export interface Checkpoint {
  readonly chainId: number;
  readonly block: number;
  /** The block's Unix seconds. */
  readonly timestamp: number;
}

/** Throws for a text that is no checkpoint. Ponder fills what it leaves open with zeros or nines. */
export function readCheckpoint(text: string): Checkpoint {
  const [, timestamp, chainId, block] = FORM.exec(text) ?? [];
  if (timestamp === undefined) throw new Error(`"${text}" is not one of Ponder's checkpoints`);
  return { chainId: Number(chainId), block: Number(block), timestamp: Number(timestamp) };
}

/** SQL: up to where the chain of checkpoint row `c` can't change any more. */
export const SETTLED = "least(c.safe_checkpoint, c.finalized_checkpoint, c.latest_checkpoint)";

/** SQL: the block number of a checkpoint, digits 27 to 42. */
export const blockOf = (checkpoint: string): string => `substr(${checkpoint}, 27, 16)::bigint`;
