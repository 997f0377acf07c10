/** Trade checks for many tokens at once, optionally for a wallet and with a simulated transfer on a node. */

import { tokenKey } from "../../../domain/token-ref.ts";
import { createBatch } from "../../async/batch.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { ChainClients } from "../../chain/rpc/clients.ts";
import type { HeadWitness } from "../../chain/rpc/head-witness.ts";
import type { Database } from "../../db/database.ts";
import { type CheckedToken, type CheckFacts, readCheckFacts } from "./check-store.ts";
import { confirmHeads, type Refusal, refusalFor } from "./guard.ts";
import type { Transfer, TransferVerdict } from "./transfer-trial.ts";
import { createTransferVerifier } from "./transfer-verifier.ts";

export interface TradeCheck extends CheckedToken {
  readonly allowed: boolean;
  readonly reason: Refusal | null;
  /** A human-readable addition to the reason; null if there is none. */
  readonly detail: string | null;
  readonly lockCount: number;
  /** The latest indexed block of the chain; null before the first. */
  readonly asOfBlock: number | null;
  /** The block of the simulated transfer; null if there was none. */
  readonly verifiedAtBlock: number | null;
}

export interface CheckSettings {
  readonly wallet?: string | undefined;
  /** Whether to simulate the transfer of each token that passes all other checks. */
  readonly verify?: boolean;
  /** Who asks, such as an app: parties take turns at the node. */
  readonly party?: string;
}

// Requests that arrive together share a statement: a quarter of the cost of one with a hundred tokens is the same for
// sixteen. Nobody waits long for one that waits for a lock.
const TOGETHER = { max: 16, atOnce: 4, besideAfterMs: 20 };

export function createTradeChecks(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly clients: ChainClients;
  readonly witness: HeadWitness;
  /** TRADE_MAX_AGE. */
  readonly tradeMaxAgeSeconds: number;
}) {
  const { database, tables, clients, witness, tradeMaxAgeSeconds: maxAgeSeconds } = deps;
  const verifier = createTransferVerifier(clients);
  const readTogether = createBatch<CheckFacts[], readonly CheckedToken[]>(async (requests) => {
    const facts = await readCheckFacts(database, tables, {
      tokens: requests.flat(),
      wallet: undefined,
      withHolder: false,
      maxAgeSeconds,
    });
    return new Map(requests.map((tokens) => [tokens, facts.splice(0, tokens.length)]));
  }, TOGETHER);

  /** Verdicts by `tokenKey` for tokens without another refusal; a repeated token is simulated once. */
  async function tryTransfers(
    judged: readonly Judged[],
    party: string,
  ): Promise<ReadonlyMap<string, TransferVerdict>> {
    const transfers = new Map<string, Transfer>();
    for (const { token, facts, reason } of judged) {
      const { standard, holder, hasDraftEvents, indexed } = facts;
      if (reason !== null || standard === null || !indexed) continue;
      transfers.set(tokenKey(token), {
        ...token,
        ...{ standard, holder, hasDraftEvents },
        asOfBlock: indexed.block,
      });
    }
    const verdicts = transfers.size === 0 ? [] : await verifier.verify([...transfers.values()], party);
    return new Map(
      [...transfers.keys()].flatMap((name, index) => {
        const verdict = verdicts[index];
        return verdict ? [[name, verdict] as const] : [];
      }),
    );
  }

  return {
    /**
     * One result per token, in their order, all as of one moment of the chain index; a simulation may be as of a newer
     * block. A wallet is entitled to tokens it owns, and to those an owner has delegated to it without limits: by
     * wallet, contract or token.
     */
    async check(
      tokens: readonly CheckedToken[],
      { wallet, verify = false, party = "" }: CheckSettings = {},
    ): Promise<TradeCheck[]> {
      const isPlain = wallet === undefined && !verify;
      const facts = isPlain
        ? await readTogether(tokens)
        : await readCheckFacts(database, tables, { tokens, wallet, withHolder: verify, maxAgeSeconds });
      if (!facts) throw new Error("checks that were read together came without their facts");
      // After reading the rows, so that the node's head is no older than they are.
      const confirmed = await confirmHeads(
        witness,
        tokens.map(({ chainId }, index) => ({ chainId, ...facts[index] })),
        0,
      );
      const judged = tokens.flatMap((token, index): Judged[] => {
        const found = facts[index];
        if (!found) return [];
        const fresh = found.fresh && confirmed.has(token.chainId);
        return [{ token, facts: found, reason: refusalFor({ ...found, fresh }) }];
      });
      if (!verify) return judged.map((each) => answer(each, undefined));
      const verdicts = await tryTransfers(judged, party);
      return judged.map((each) => answer(each, verdicts.get(tokenKey(each.token)) ?? NOT_TRIED));
    },
  };
}

export type TradeChecks = ReturnType<typeof createTradeChecks>;

interface Judged {
  readonly token: CheckedToken;
  readonly facts: CheckFacts;
  readonly reason: Refusal | null;
}

// Fail closed: a simulation that was requested but did not run refuses the trade.
const NOT_TRIED: TransferVerdict = { kind: "unknown", detail: "the transfer was not tried" };

/** Without a verdict, the facts of the chain index decide alone. */
function answer({ token, facts, reason }: Judged, verdict: TransferVerdict | undefined): TradeCheck {
  const shared = { ...token, lockCount: facts.lockCount, asOfBlock: facts.indexed?.block ?? null };
  const refuse = (
    why: Refusal,
    detail: string | null,
    verifiedAtBlock: number | null = null,
  ): TradeCheck => ({
    ...shared,
    allowed: false,
    reason: why,
    detail,
    verifiedAtBlock,
  });
  if (reason !== null) return refuse(reason, reason === "not_open_yet" ? opening(facts.opensAt) : null);
  if (verdict?.kind === "reverts") return refuse("transfer_reverts", verdict.detail, verdict.block);
  if (verdict?.kind === "unknown") return refuse("not_verified", verdict.detail);
  return { ...shared, allowed: true, reason: null, detail: null, verifiedAtBlock: verdict?.block ?? null };
}

const opening = (at: Date | null): string | null =>
  at && `trade of the collection opens at ${at.toISOString()}`;
