/** Delegations of wallets from a registry that may be slow, limited or down: cached briefly, and served stale on failure. */

import { LRUCache } from "lru-cache";
import type {
  DelegationSource,
  Grant,
  SourceAnswer,
  UnavailableReason,
  WalletDelegations,
} from "./source.ts";

const KEPT_MS = 600_000;
const ENTRIES_MAX = 2_000;
// Anyone may delegate to a wallet any number of times; of so many records, each takes half a kilobyte.
const RECORDS_MAX = 100_000;

/** The known delegations, and how current they are. */
export type Known<Value> =
  | { readonly status: "ok"; readonly asOf: Date; readonly value: Value }
  /** A cached answer, used while the registry is unreachable. */
  | Failure<"stale", { readonly asOf: Date; readonly value: Value }>
  | Failure<"unavailable", { readonly asOf: null; readonly value: null }>;

type Failure<Status, Rest> = Rest & {
  readonly status: Status;
  readonly reason: UnavailableReason;
  readonly message: string;
};

interface Entry {
  readonly asOf: number;
  /** By the clock that no step moves. */
  readonly readAt: number;
  readonly value: WalletDelegations | Grant;
}

/** At least one, for the entry itself. */
const sizeOf = ({ value }: Entry): number =>
  1 +
  ("incoming" in value ? value.incoming.length + value.outgoing.length : (value.delegations?.length ?? 0));

/** `clock` stands for both clocks: the system's, and the one that no step moves. */
export function createDelegations(source: DelegationSource, clock?: () => number) {
  const [now, elapsed] = [clock ?? Date.now, clock ?? (() => performance.now())];
  const kept = new LRUCache<string, Entry>({
    max: ENTRIES_MAX,
    maxSize: ENTRIES_MAX + RECORDS_MAX,
    sizeCalculation: sizeOf,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: elapsed },
  });
  const asking = new Map<string, Promise<SourceAnswer<unknown>>>();

  /** Concurrent callers for the same name share one request. */
  function askOnce<Value>(
    name: string,
    ask: () => Promise<SourceAnswer<Value>>,
  ): Promise<SourceAnswer<Value>> {
    const running = asking.get(name) ?? ask().finally(() => asking.delete(name));
    asking.set(name, running);
    return running as Promise<SourceAnswer<Value>>;
  }

  async function know<Value extends WalletDelegations | Grant>(
    name: string,
    ask: () => Promise<SourceAnswer<Value>>,
  ): Promise<Known<Value>> {
    const before = kept.get(name);
    const known = before && { asOf: new Date(before.asOf), value: before.value as Value };
    if (known && elapsed() - before.readAt < source.freshMs) return { status: "ok", ...known };
    const answer = await askOnce(name, ask);
    if (answer.kind === "answered") {
      const asOf = answer.asOf?.getTime() ?? now();
      kept.set(name, { asOf, readAt: elapsed(), value: answer.value });
      return { status: "ok", asOf: new Date(asOf), value: answer.value };
    }
    const { reason, message } = answer;
    if (known) return { status: "stale", reason, message, ...known };
    return { status: "unavailable", reason, message, asOf: null, value: null };
  }

  return {
    /** `own`, or the URL of the registry in use. */
    registry: source.name,

    ofWallet: (chainId: number, wallet: string): Promise<Known<WalletDelegations>> =>
      know(`${chainId}:${wallet}`, () => source.ofWallet(chainId, wallet)),

    between: (chainId: number, from: string, to: string): Promise<Known<Grant>> =>
      know(`${chainId}:${from}:${to}`, () => source.between(chainId, from, to)),
  };
}

export type Delegations = ReturnType<typeof createDelegations>;
