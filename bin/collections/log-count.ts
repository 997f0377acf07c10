/** How many logs a contract has, counted or estimated from samples of its blocks. */

import type { Address, PublicClient } from "viem";

const SAMPLES = 16;
const BLOCKS_MAX = 10_000n;

export interface LogCount {
  readonly logs: number;
  /** False: every block was asked. */
  readonly isEstimate: boolean;
  /** What the endpoint delivered while they were counted, one request after the other; null without any log. */
  readonly logsPerSecond: number | null;
}

/**
 * Counts in up to 16 evenly spread ranges of at most 10,000 blocks, halved until the node accepts them. Throws the
 * node's error if it refuses a single block.
 */
export async function countLogs(
  client: PublicClient,
  address: Address,
  from: bigint,
  to: bigint,
): Promise<LogCount> {
  const total = to - from + 1n;
  let span = BLOCKS_MAX;
  const step = total / BigInt(SAMPLES) + 1n;
  let [logs, blocks, ms] = [0, 0n, 0];
  for (let start = from; start <= to; start += step) {
    const left = (step < to - start + 1n ? step : to - start + 1n) as bigint;
    for (;;) {
      const size = span < left ? span : left;
      try {
        const asked = performance.now();
        logs += (await client.getLogs({ address, fromBlock: start, toBlock: start + size - 1n })).length;
        ms += performance.now() - asked;
        blocks += size;
        break;
      } catch (error) {
        if (size === 1n) throw error;
        span = size / 2n;
      }
    }
  }
  const isEstimate = blocks < total;
  return {
    logs: isEstimate ? Math.round((logs * Number(total)) / Number(blocks)) : logs,
    isEstimate,
    logsPerSecond: logs === 0 ? null : Math.max(1, Math.round((logs * 1_000) / Math.max(ms, 1))),
  };
}
