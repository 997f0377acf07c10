import { toEventSelector } from "viem";
import { describe, expect, it } from "vitest";
import { tokenEventsAbi } from "../../abis/token-events.ts";
import { type LockEventRule, lockStandards, readLockLog, switches } from "../../src/domain/lock-standards.ts";

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
const log = (topics: readonly bigint[], data: readonly bigint[]) => ({
  topics: ["0x00", ...topics.map((each) => `0x${word(each)}`)],
  data: `0x${data.map(word).join("")}`,
});
const rules = lockStandards.flatMap<LockEventRule>(({ events }) => events);
const ruleOf = (signature: string) => {
  const rule = rules.find((each) => each.signature === signature);
  if (!rule) throw new Error(`no rule for ${signature}`);
  return rule;
};
const ADA = 0xada0000000000000000000000000000000000001n;
const ada = "0xada0000000000000000000000000000000000001";
const dead = "0x000000000000000000000000000000000000dead";
/** The bytes of an address, as some contracts have them. */
const ADDRESS_ID = BigInt(`0x${"c".repeat(40)}`);

describe("each standard of the table", () => {
  // The topics that deployed contracts emit.
  const topics: Record<string, string> = {
    "TokenLocked(uint256,address)": "0x9ecfd70e9ff36df72989324a49559383d39f9290d700b10cf5ac10dcb68d2643",
    "TokenUnlocked(uint256,address)": "0x0fe7d9801197f79ef3b1595d19379eb58f0fff5f98b0f6d6f34c03cae5306c37",
    "Locked(uint256)": "0x032bc66be43dbccb7487781d168eb7bda224628a3b2c3388bdf69b532a3a1611",
    "Unlocked(uint256)": "0xf27b6ce5b2f5e68ddb2fd95a8a909d4ecf1daaac270935fff052feacb24f1842",
    "Locked(uint256,bool)": "0x8ed24f7d0c11ab2eef7f3d98a2a8f258a2469819af7e11fe564938715d01e2e5",
    "DefaultLocked(bool)": "0xde70169013c7f0a382d7e3ff2ddfbb11f5a3909de756fd81c1a6b758c141654a",
    "Lock(address,uint256)": "0x625fed9875dada8643f2418b838ae0bc78d9a148a18eee4ee1979ff0f3f5d427",
    "Lock(uint256,address)": "0x8adf36b92772b959cc7ed5563e47649af1c65daacf1c6e882c4a7ad21d1d2b1c",
    "Unlock(uint256)": "0x832a253ad4e9e88f705006a24d9957b8aa1de307a0f9d0a6ad5fd0b0ac810505",
  };

  it.each(rules)(
    "has its event $signature in the ABI, under the topic of deployed contracts",
    ({ signature }) => {
      const item = tokenEventsAbi.find(({ name }) => name === signature);
      expect(item && toEventSelector(item)).toBe(topics[signature]);
    },
  );

  it.each(rules)("reads the arguments of $signature in their order and types", (rule) => {
    const types = rule.arguments.map(
      (name) => ({ tokenId: "uint256", by: "address", isLocked: "bool" })[name],
    );
    expect(rule.signature.replace(/^\w+/, "")).toBe(`(${types.join(",")})`);
  });

  it("that keeps a switch is a column of its own", () => {
    expect(switches).toEqual(["erc5192", "erc6982", "erc5753", "erc7066"]);
  });
});

describe("a lock log is read", () => {
  const lock5753 = "Lock(address,uint256)";
  const lock7066 = "Lock(uint256,address)";
  const lock721x = "TokenLocked(uint256,address)";

  it.each([
    ["Locked(uint256)", [], [7n], { tokenId: 7n, isLocked: true, by: null }],
    ["Locked(uint256)", [7n], [], { tokenId: 7n, isLocked: true, by: null }],
    ["Unlocked(uint256)", [0n], [], { tokenId: 0n, isLocked: false, by: null }],
    ["Locked(uint256,bool)", [7n], [1n], { tokenId: 7n, isLocked: true, by: null }],
    ["Locked(uint256,bool)", [], [7n, 0n], { tokenId: 7n, isLocked: false, by: null }],
    ["Locked(uint256,bool)", [7n, 0n], [], { tokenId: 7n, isLocked: false, by: null }],
    ["DefaultLocked(bool)", [], [1n], { tokenId: null, isLocked: true, by: null }],
    ["DefaultLocked(bool)", [0n], [], { tokenId: null, isLocked: false, by: null }],
    [lock5753, [ADA, 7n], [], { tokenId: 7n, isLocked: true, by: ada }],
    [lock5753, [ADA], [7n], { tokenId: 7n, isLocked: true, by: ada }],
    [lock5753, [7n], [ADA], { tokenId: 7n, isLocked: true, by: ada }],
    [lock5753, [], [ADA, 7n], { tokenId: 7n, isLocked: true, by: ada }],
    // getLocked returns zero for an unlocked token.
    [lock5753, [0n, 7n], [], { tokenId: 7n, isLocked: false, by: null }],
    ["Unlock(uint256)", [7n], [], { tokenId: 7n, isLocked: false, by: null }],
    [lock7066, [7n], [ADA], { tokenId: 7n, isLocked: true, by: ada }],
    [lock7066, [ADDRESS_ID], [ADA], { tokenId: ADDRESS_ID, isLocked: true, by: ada }],
    [lock7066, [ADDRESS_ID], [0n], { tokenId: ADDRESS_ID, isLocked: false, by: null }],
    [lock7066, [ADDRESS_ID], [0xdeadn], { tokenId: ADDRESS_ID, isLocked: true, by: dead }],
    // A number in place of the locker, and an address in place of the id.
    [lock7066, [ADA], [7n], { tokenId: 7n, isLocked: true, by: ada }],
    [lock7066, [0n], [0n], { tokenId: 0n, isLocked: false, by: null }],
    // Numbers that can't be a locker's address.
    [lock7066, [ADA], [2n ** 160n], { tokenId: 2n ** 160n, isLocked: true, by: ada }],
    ["Locked(uint256,bool)", [ADDRESS_ID], [0n], { tokenId: ADDRESS_ID, isLocked: false, by: null }],
    ["Locked(uint256,bool)", [1n], [7n], { tokenId: 7n, isLocked: true, by: null }],
    [lock721x, [7n, ADA], [], { tokenId: 7n, isLocked: true, by: ada }],
    [lock721x, [7n], [ADA], { tokenId: 7n, isLocked: true, by: ada }],
    [lock721x, [], [7n, ADA], { tokenId: 7n, isLocked: true, by: ada }],
    // The tracker does not matter, and zero is an address.
    [lock721x, [7n, 0n], [], { tokenId: 7n, isLocked: true, by: `0x${"0".repeat(40)}` }],
  ])("%s with topics %o and data %o", (signature, topics, data, decoded) => {
    expect(readLockLog(ruleOf(signature), log(topics, data))).toEqual(decoded);
  });

  it.each([
    ["too short", "Locked(uint256)", [], []],
    ["with more topics than arguments", "Unlock(uint256)", [1n, 2n], []],
    ["whose boolean is none", "DefaultLocked(bool)", [], [2n]],
    ["whose address is none", "TokenLocked(uint256,address)", [7n, 2n ** 160n], []],
  ])("not at all when it is %s", (_what, signature, topics, data) => {
    expect(readLockLog(ruleOf(signature), log(topics, data))).toBeUndefined();
  });
});
