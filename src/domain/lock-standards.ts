/**
 * The lock standards of token contracts, and the only place that names their events and views. To add one, add a row
 * here and its events to abis/token-events.ts: columns, handlers, responses and reconciliation follow from it.
 */

import { asAddress, type RawLog, readArguments, readUsual, type StaticType } from "./event-log.ts";

/** The meaning of a lock event's argument. */
export type LockArgument = "tokenId" | "by" | "isLocked";

const argumentTypes: Readonly<Record<LockArgument, StaticType>> = {
  tokenId: "uint256",
  by: "address",
  isLocked: "bool",
};

export interface LockEventRule {
  /** The topic is its hash. */
  readonly signature: string;
  /** In signature order. An event without a token id applies to the collection's default. */
  readonly arguments: readonly LockArgument[];
  /** The positions of those that the standard indexes, if it indexes only some. */
  readonly indexed?: readonly number[];
  /** `by_argument`: the argument `isLocked` decides; `unless_zero`: it locks if `by` is not the zero address. */
  readonly locks: boolean | "by_argument" | "unless_zero";
}

/** A view function with a token id as its only argument, or without arguments if it returns the default. */
export interface LockView {
  readonly name: string;
  /** The meaning of its one-word return value. */
  readonly answers: "count" | "isUnlocked" | "isLocked" | "holder";
}

interface LockStandard {
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** `count`: each lock needs its own unlock. `switch`: a token is locked or not, and the last event decides. */
  readonly keeps: "count" | "switch";
  /** By the standard's text, a transfer other than a mint ends the lock. */
  readonly endsWithTransfer: boolean;
  readonly events: readonly LockEventRule[];
  /** In order of preference: reconciliation uses the first one the contract supports. */
  readonly views: readonly LockView[];
  /** Returns the state of tokens without an event of their own; only for standards with such a default. */
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
    // A count carries more information than a boolean.
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
      {
        signature: "Locked(uint256,bool)",
        arguments: ["tokenId", "isLocked"],
        indexed: [0],
        locks: "by_argument",
      },
      { signature: "DefaultLocked(bool)", arguments: ["isLocked"], locks: "by_argument" },
    ],
    views: [{ name: "locked", answers: "isLocked" }],
    defaultView: { name: "defaultLocked", answers: "isLocked" },
  },
  {
    // https://eips.ethereum.org/EIPS/eip-5753: "When the locked token is transferred by an unlocker, the token MUST be
    // unlocked after the transfer". Its reference implementation emits no event then. A zero unlocker is no lock.
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
  {
    // https://eips.ethereum.org/EIPS/eip-7066: a transfer "MUST purge" the locker, and its reference implementation emits
    // no event then. A zero locker is no lock. ERC-5753 has the same `Unlock`.
    name: "erc7066",
    title: "ERC-7066",
    keeps: "switch",
    endsWithTransfer: true,
    events: [
      {
        signature: "Lock(uint256,address)",
        arguments: ["tokenId", "by"],
        indexed: [0],
        locks: "unless_zero",
      },
      { signature: "Unlock(uint256)", arguments: ["tokenId"], locks: false },
    ],
    views: [{ name: "lockerOf", answers: "holder" }],
  },
] as const satisfies readonly LockStandard[];

type Row = (typeof lockStandards)[number];
export type LockStandardName = Row["name"];
/** A standard whose state per token is a column of token_state. */
export type SwitchName = Extract<Row, { readonly keeps: "switch" }>["name"];
export type LockSignature = Row["events"][number]["signature"];

export const lockStandardNames = lockStandards.map(({ name }) => name) as [
  LockStandardName,
  ...LockStandardName[],
];

export const switches: readonly SwitchName[] = lockStandards.flatMap((each) =>
  each.keeps === "switch" ? [each.name] : [],
);

/** The switch with a collection default. There is only one: lock_event records one default only. */
export const switchWithDefault: SwitchName = "erc6982";

export const endedByTransfer: readonly SwitchName[] = lockStandards.flatMap((each) =>
  each.keeps === "switch" && each.endsWithTransfer ? [each.name] : [],
);

export const findLockStandard = (name: LockStandardName): LockStandard =>
  lockStandards.find((each) => each.name === name) ?? lockStandards[0];

/** A decoded lock event. */
export interface DecodedLock {
  /** Null: the default of the collection. */
  readonly tokenId: bigint | null;
  readonly isLocked: boolean;
  /** Who locked or may unlock, in lower case; null if the event names nobody. */
  readonly by: `0x${string}` | null;
}

/** Undefined for a log that no layout fits. */
export function readLockLog(rule: LockEventRule, log: RawLog): DecodedLock | undefined {
  const types = typesOf(rule);
  const usual = rule.indexed && readUsual(log, types, rule.indexed);
  const words = usual && !usual.isDoubtful ? usual.words : readArguments(log, types);
  if (!words) return undefined;
  const wordOf = (argument: LockArgument): bigint | undefined => words[rule.arguments.indexOf(argument)];
  const by = wordOf("by");
  const isLocked =
    rule.locks === "by_argument"
      ? wordOf("isLocked") === 1n
      : rule.locks === "unless_zero"
        ? by !== 0n
        : rule.locks;
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
