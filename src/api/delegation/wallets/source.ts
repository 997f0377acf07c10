/** A delegation registry as a data source: our own in this process, or another over HTTP. */

import { ApiError } from "../../http/errors.ts";
import type { ForeignRecord } from "../registry/record.ts";
import type { Registry } from "../registry/registry.ts";
import { EMPTY_RIGHTS } from "../registry/rights.ts";
import type { RemoteRecords } from "./remote-answers.ts";

/** Why a registry gave no answer. */
export const unavailableReasons = [
  "rate_limited",
  "unreachable",
  "refused",
  "unexpected_answer",
  "not_ready",
] as const;
export type UnavailableReason = (typeof unavailableReasons)[number];

export type SourceAnswer<Value> =
  | {
      readonly kind: "answered";
      readonly value: Value;
      /** Of when the registry says its answer is; without it, of now. */
      readonly asOf?: Date;
    }
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason; readonly message: string };

export interface WalletDelegations {
  readonly incoming: readonly ForeignRecord[];
  readonly outgoing: readonly ForeignRecord[];
  /** There are more. */
  readonly truncated: boolean;
  /** How many records of the registry's answer could not be read; they are in no list. */
  readonly unreadable: number;
}

/** What one wallet delegated to another. */
export interface Grant {
  /** The whole wallet, without limits. */
  readonly delegated: boolean;
  /** Null from a registry that only answers yes or no. */
  readonly delegations: readonly ForeignRecord[] | null;
  /** There are more. */
  readonly truncated: boolean;
  readonly unreadable: number;
}

export interface DelegationSource {
  /** `own`, or the URL of the other registry. */
  readonly name: string;
  /** How long an answer counts as fresh. */
  readonly freshMs: number;
  ofWallet(chainId: number, wallet: string): Promise<SourceAnswer<WalletDelegations>>;
  between(chainId: number, from: string, to: string): Promise<SourceAnswer<Grant>>;
}

export const splitByDirection = (
  wallet: string,
  { records, unreadable }: RemoteRecords,
  truncated: boolean,
): WalletDelegations => ({
  incoming: records.filter(({ to }) => to === wallet),
  outgoing: records.filter(({ from }) => from === wallet),
  truncated,
  unreadable,
});

/** True for an unlimited delegation of the whole wallet. Rights that a registry does not report are no limit. */
export const isUnlimited = ({ type, rights }: ForeignRecord): boolean =>
  type === "ALL" && (rights ?? EMPTY_RIGHTS) === EMPTY_RIGHTS;

/** Of each direction: more delegations than any page could show. */
const RECORDS_MAX = 1_000;

/** Our own registry: no rate limit, no network. */
export function ownSource(registry: Registry): DelegationSource {
  return {
    name: "own",
    freshMs: 0,
    ofWallet: (chainId, wallet) =>
      answered(async () => {
        // Apart: anyone may delegate to a wallet, and so hide its own delegations in a list of both.
        const query = { chainId, wallet, limit: RECORDS_MAX };
        const [incoming, outgoing] = await Promise.all([
          registry.ofWallet({ ...query, direction: "incoming" }),
          registry.ofWallet({ ...query, direction: "outgoing" }),
        ]);
        const value = {
          incoming: incoming.records,
          outgoing: outgoing.records,
          truncated: incoming.next !== null || outgoing.next !== null,
          unreadable: 0,
        };
        return { value, asOf: [incoming.asOf, outgoing.asOf] };
      }),
    between: (chainId, from, to) =>
      answered(async () => {
        const [check, { records, next, asOf }] = await Promise.all([
          registry.check({ chainId, from, to, scope: "ALL", rights: EMPTY_RIGHTS }),
          registry.between({ chainId, from, to, limit: RECORDS_MAX }),
        ]);
        const value = {
          delegated: check.granted,
          delegations: records,
          truncated: next !== null,
          unreadable: 0,
        };
        return { value, asOf: [check.asOf, asOf] };
      }),
  };
}

/** As of the oldest of what was read for it. Blocks of local chains may lie ahead. */
async function answered<Value>(
  ask: () => Promise<{ readonly value: Value; readonly asOf: readonly (Date | null)[] }>,
): Promise<SourceAnswer<Value>> {
  try {
    const { value, asOf } = await ask();
    const times = asOf.flatMap((each) => each?.getTime() ?? []);
    return { kind: "answered", value, asOf: new Date(Math.min(Date.now(), ...times)) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "UNAVAILABLE") throw error;
    return { kind: "unavailable", reason: "not_ready", message: "the chain index can't be trusted now" };
  }
}
