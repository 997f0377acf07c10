/** Reads the locks of a contract through the view functions of the lock standards it offers. */

import { concat, type PublicClient, pad, toFunctionSelector, toHex } from "viem";
import { type LockStandardName, type LockView, lockStandards } from "../../../domain/lock-standards.ts";
import { UINT256_MAX } from "../../../domain/token-ref.ts";
import { asWord } from "../../chain/contract/abi-word.ts";
import { callContract } from "../../chain/contract/contract-call.ts";
import { NOBODYS_FUNCTION } from "../../chain/contract/unknown-function.ts";

/** The names of all per-token views, without duplicates, in table order. */
export const lockViewNames = [
  ...new Set(lockStandards.flatMap(({ views }) => views.map(({ name }) => name))),
] as [LockViewName, ...LockViewName[]];
export type LockViewName = (typeof lockStandards)[number]["views"][number]["name"];

export interface LocksOnChain {
  /** Any uint256; null from a view that only returns whether a token is locked. */
  readonly lockCount: bigint | null;
  readonly locked: boolean;
}

export type LockRead =
  | ({ readonly kind: "read" } & LocksOnChain)
  /** The call reverts or returns no valid value. */
  | { readonly kind: "unreadable" }
  | { readonly kind: "unavailable" };

/** A view that the contract offers. It may serve several standards, as `locked` does. */
export interface OfferedView {
  readonly view: LockView & { readonly name: LockViewName };
  readonly standards: readonly LockStandardName[];
  /** Those standards whose collection default the contract exposes too, with the view for it. */
  readonly defaults: ReadonlyMap<LockStandardName, LockView>;
}

/** Reads one contract. Never rejects: an unavailable node is a result per call. */
export function createLockReader(client: PublicClient, contract: string) {
  const call = (name: string, tokenId: string | null, block: number) => {
    const selector = toFunctionSelector(`${name}(${tokenId === null ? "" : "uint256"})`);
    const data = tokenId === null ? selector : concat([selector, pad(toHex(BigInt(tokenId)))]);
    return callContract(client, contract, data, block);
  };

  /** For one token, or the default if null. */
  const read = async (
    { name, answers }: LockView,
    tokenId: string | null,
    block: number,
  ): Promise<LockRead> => {
    const answer = await call(name, tokenId, block);
    if (answer.kind !== "answered") return { kind: answer.kind === "reverted" ? "unreadable" : answer.kind };
    const word = asWord(answer.data);
    if (word === undefined || word > highest[answers]) return { kind: "unreadable" };
    const locked = answers === "isUnlocked" ? word === 0n : word > 0n;
    return { kind: "read", lockCount: answers === "count" ? word : null, locked };
  };

  const readAll = (view: LockView, tokenIds: readonly string[], block: number) =>
    Promise.all(tokenIds.map((tokenId) => read(view, tokenId, block)));

  return {
    /** One read per token, in their order. */
    readAll,

    /** The collection's default. */
    readDefault: (view: LockView, block: number) => read(view, null, block),

    /**
     * The views to compare with, found by calling them for a few tokens: per standard, the first that returns a value.
     * Empty for a contract whose fallback function answers everything. "unavailable" if the node leaves it open.
     */
    async findOffered(
      tokenIds: readonly string[],
      block: number,
    ): Promise<readonly OfferedView[] | "unavailable"> {
      const views = new Map(
        lockStandards.flatMap(({ views }) => views.map((view) => [view.name, view] as const)),
      );
      const withDefault = lockStandards.flatMap((each) => ("defaultView" in each ? [each] : []));
      const [any, defaults, ...reads] = await Promise.all([
        call(NOBODYS_FUNCTION, tokenIds[0] ?? "0", block),
        Promise.all(withDefault.map(({ defaultView }) => read(defaultView, null, block))),
        ...[...views.values()].map((view) => readAll(view, tokenIds, block)),
      ]);
      if ([any, ...defaults, ...reads.flat()].some(({ kind }) => kind === "unavailable"))
        return "unavailable";
      if (any.kind === "answered" && any.data !== "0x") return [];
      const answered = new Set(
        [...views.keys()].filter((_, index) => reads[index]?.some(({ kind }) => kind === "read")),
      );
      const readable = withDefault.filter((_, index) => defaults[index]?.kind === "read");
      const offered = new Map<LockViewName, LockStandardName[]>();
      for (const { name, views: own } of lockStandards) {
        const first = own.find((view) => answered.has(view.name));
        if (first) offered.set(first.name, [...(offered.get(first.name) ?? []), name]);
      }
      return [...offered].flatMap(([name, standards]) => {
        const view = views.get(name);
        const own = readable.filter((each) => standards.includes(each.name));
        return view
          ? [{ view, standards, defaults: new Map(own.map((each) => [each.name, each.defaultView])) }]
          : [];
      });
    },
  };
}

/** The highest valid return value. */
const highest: Readonly<Record<LockView["answers"], bigint>> = {
  count: UINT256_MAX,
  isUnlocked: 1n,
  isLocked: 1n,
  holder: 2n ** 160n - 1n,
};
