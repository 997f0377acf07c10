/** Simulates transfers: an eth_call from each token's holder, at the node's own head. */

import { setMaxListeners } from "node:events";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../../async/concurrency.ts";
import { findAnsweringEndpoint } from "../../chain/rpc/answering-endpoint.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import { askNode, type Transfer, type TransferVerdict, tryTransfer, unknown } from "./transfer-trial.ts";

/** For all transfers of one `verify`, whatever the nodes do. */
export const VERIFY_MS = 3_000;
// Per process and chain; what one app has verified may take seconds of the node.
const CALLS_AT_ONCE = 32;

export function createTransferVerifier(clients: ChainClients) {
  const limits = new Map<number, ConcurrencyLimit>(
    [...clients.keys()].map((chainId) => [chainId, createConcurrencyLimit(CALLS_AT_ONCE)]),
  );

  async function verifyOn(
    chainId: number,
    transfers: readonly Transfer[],
    party: string,
    signal: AbortSignal,
  ): Promise<TransferVerdict[]> {
    const limit = limits.get(chainId);
    const indexed = Math.max(...transfers.map(({ asOfBlock }) => asOfBlock));
    const found = await findAnsweringEndpoint(clients.get(chainId)?.endpoints() ?? [], indexed, signal);
    if (!limit || !found) {
      return transfers.map(() => unknown(`no RPC endpoint of chain ${chainId} answered in time`));
    }
    const block = Math.max(found.head, indexed);
    const node = askNode(found.endpoint, block, signal);
    return Promise.all(
      transfers.map((transfer) =>
        limit(() => tryTransfer(node, transfer), signal, party).catch((error: unknown) => {
          if (!signal.aborted) throw error;
          return unknown("timed out behind other verifications");
        }),
      ),
    );
  }

  return {
    /**
     * One verdict per transfer, in their order. Never rejects, and takes at most `VERIFY_MS`. All transfers of a chain
     * run at the same block: the head of the first endpoint that has seen the indexed block. Parties take turns at it.
     */
    async verify(transfers: readonly Transfer[], party: string): Promise<TransferVerdict[]> {
      const signal = AbortSignal.timeout(VERIFY_MS);
      // Each transfer listens while it waits for its turn.
      setMaxListeners(0, signal);
      const verdicts = new Map<Transfer, TransferVerdict>();
      await Promise.all(
        [...new Set(transfers.map(({ chainId }) => chainId))].map(async (chainId) => {
          const some = transfers.filter((transfer) => transfer.chainId === chainId);
          const found = await verifyOn(chainId, some, party, signal);
          for (const [index, transfer] of some.entries()) {
            const verdict = found[index];
            if (verdict) verdicts.set(transfer, verdict);
          }
        }),
      );
      return transfers.map((transfer) => verdicts.get(transfer) ?? unknown("the transfer was not tried"));
    },
  };
}
