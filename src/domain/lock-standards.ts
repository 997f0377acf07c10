/**
 * The standards by which token contracts tell of locks, and the only place that names their events and views. A new one
 * is a row here and its events in abis/token-events.ts: columns, handlers, answers and reconciliation follow.
 */

import { asAddress, type RawLog, readArguments, type StaticType } from "./event-log.ts";

/** What an argument of a lock event says. */
export type LockArgument = "tokenId" | "by" | "isLocked";

const argumentTypes: Readonly<Record<LockArgument, StaticType>> = {
  tokenId: "uint256",
  by: "address",
  isLocked: "bool",
};

export interface LockEventRule {
  /** Its topic is the hash of this. */
  readonly signature: string;
  /** In the order of the signature. One without a token id is about the collection's default. */
  readonly arguments: readonly LockArgument[];
  /** `told`: its argument `isLocked` says; `unless_zero`: it locks where `by` is an address other than zero. */
  readonly locks: boolean | "told" | "unless_zero";
}

/** A function of a contract with a token id as its only argument, or none where it tells the default. */
export interface LockView {
  readonly name: string;
  /** What its answer, one word, is. */
  readonly answers: "count" | "isUnlocked" | "isLocked" | "holder";
}

interface LockStandard {
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  /** `count`: each lock needs an unlock of its own. `switch`: a token is locked or not, and the last event decides. */
  readonly keeps: "count" | "switch";
  /** A transfer that is no mint ends the lock, by the standard's text. */
  readonly endsWithTransfer: boolean;
  readonly events: readonly LockEventRule[];
  /** In the order of preference; the first that the contract answers is compared with. */
  readonly views: readonly LockView[];
  /** Tells the state of tokens without an event of their own; only where the standard has such a default. */
  readonly defaultView?: LockView;
}

export const lockStandards = [
  {
    // OwlOfMoistness/ERC721x: LockRegistry.sol, IERC721x.sol.
    name: "erc721x",
    title: "ERC-721x",
    keeps: "count",
    endsWithTransfer: false,
    events: [
      {
        signature: "TokenLocked(uint256,address)",
        arguments: ["tokenId", "by"],
        locks: true,
      },
      {
        signature: "TokenUnlocked(uint256,address)",
        arguments: ["tokenId", "by"],
        locks: false,
      },
    ],
    // A count tells more than whether there is one.
    views: [
      { name: "lockCount", answers: "count" },
      { name: "isUnlocked", answers: "isUnlocked" },
    ],
  },
  {
    // https://eips.ethereum.org/EIPS/eip-5192
    name: "erc5192",
    title: "ERC-5192",
    keeps: "switch",
    endsWithTransfer: false,
    events: [
      { signature: "Locked(uint256)", arguments: ["tokenId"], locks: true },
      { signature: "Unlocked(uint256)", arguments: ["tokenId"], locks: false },
    ],
    views: [{ name: "locked", answers: "isLocked" }],
  },
  {
    // https://eips.ethereum.org/EIPS/eip-6982
    name: "erc6982",
    title: "ERC-6982",
    keeps: "switch",
    endsWithTransfer: false,
    events: [
      { signature: "Locked(uint256,bool)", arguments: ["tokenId", "isLocked"], locks: "told" },
      { signature: "DefaultLocked(bool)", arguments: ["isLocked"], locks: "told" },
    ],
    views: [{ name: "locked", answers: "isLocked" }],
    defaultView: { name: "defaultLocked", answers: "isLocked" },
  },
  {
    // https://eips.ethereum.org/EIPS/eip-5753: "When the locked token is transferred by an unlocker, the token MUST be
    // unlocked after the transfer", and its reference emits nothing then. An unlocker of zero is no lock.
    name: "erc5753",
    title: "ERC-5753",
    keeps: "switch",
    endsWithTransfer: true,
    events: [
      { signature: "Lock(address,uint256)", arguments: ["by", "tokenId"], locks: "unless_zero" },
      { signature: "Unlock(uint256)", arguments: ["tokenId"], locks: false },
    ],
    views: [{ name: "getLocked", answers: "holder" }],
  },
] as const satisfies readonly LockStandard[];

type Row = (typeof lockStandards)[number];
export type LockStandardName = Row["name"];
/** A standard whose state of a token is a column of token_state. */
export type SwitchName = Extract<Row, { readonly keeps: "switch" }>["name"];
export type LockSignature = Row["events"][number]["signature"];

export const lockStandardNames = lockStandards.map(({ name }) => name) as [
  LockStandardName,
  ...LockStandardName[],
];

export const switches: readonly SwitchName[] = lockStandards.flatMap((each) =>
  each.keeps === "switch" ? [each.name] : [],
);

/** The switch with a default of the collection. There is one: lock_event tells of one default only. */
export const switchWithDefault: SwitchName = "erc6982";

export const endedByTransfer: readonly SwitchName[] = lockStandards.flatMap((each) =>
  each.keeps === "switch" && each.endsWithTransfer ? [each.name] : [],
);

export const findLockStandard = (name: LockStandardName): LockStandard =>
  lockStandards.find((each) => each.name === name) ?? lockStandards[0];

/** What a log of a lock event says. */
export interface LockTold {
  /** Null: the default of all tokens of the collection. */
  readonly tokenId: bigint | null;
  readonly isLocked: boolean;
  /** Who locked or may unlock, in lower case; null where the event names nobody. */
  readonly by: `0x${string}` | null;
}

/** Undefined for a log that can't be read in any layout. */
export function readLockLog(rule: LockEventRule, log: RawLog): LockTold | undefined {
  const words = readArguments(log, typesOf(rule));
  if (!words) return undefined;
  const wordOf = (argument: LockArgument): bigint | undefined => words[rule.arguments.indexOf(argument)];
  const by = wordOf("by");
  const isLocked =
    rule.locks === "told" ? wordOf("isLocked") === 1n : rule.locks === "unless_zero" ? by !== 0n : rule.locks;
  const names = by !== undefined && (by !== 0n || rule.locks !== "unless_zero");
  return { tokenId: wordOf("tokenId") ?? null, isLocked, by: names ? asAddress(by) : null };
}

const types = new Map<LockEventRule, readonly StaticType[]>();

function typesOf(rule: LockEventRule): readonly StaticType[] {
  const known = types.get(rule);
  if (known) return known;
  const made = rule.arguments.map((argument) => argumentTypes[argument]);
  types.set(rule, made);
  return made;
}
