import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { revertReason } from "../../../src/api/chain/contract/revert-reason.ts";

const ADA = "0x00000000000000000000000000000000000000A1";
const encode = (signature: string, args: readonly unknown[] = []): Hex =>
  encodeErrorResult({ abi: parseAbi([signature] as never), args } as never);
const reason = (data: Hex | undefined, message = "execution reverted") => revertReason({ data, message });
const decoded = (text: string) => reason(encode("error Error(string)", [text]));

describe("the reason of a revert", () => {
  it.each<[string, Hex, string]>([
    ["a text", encode("error Error(string)", ["Pausable: paused"]), "Pausable: paused"],
    ["an empty text", encode("error Error(string)", [""]), "the contract gave no reason"],
    ["a panic", encode("error Panic(uint256)", [0x11n]), "Panic(17): arithmetic overflow"],
    [
      "a panic of no known code",
      encode("error Panic(uint256)", [2n ** 256n - 1n]),
      `Panic(${2n ** 256n - 1n})`,
    ],
    ["OpenZeppelin 5's pause", encode("error EnforcedPause()"), "EnforcedPause()"],
    [
      "OpenZeppelin 5's owner",
      encode("error ERC721IncorrectOwner(address,uint256,address)", [ADA, 7n, ADA]),
      `ERC721IncorrectOwner(${ADA}, 7, ${ADA})`,
    ],
    [
      "OpenZeppelin 5's balance",
      encode("error ERC1155InsufficientBalance(address,uint256,uint256,uint256)", [ADA, 0n, 1n, 7n]),
      `ERC1155InsufficientBalance(${ADA}, 0, 1, 7)`,
    ],
    [
      "ERC-721C's policy",
      encode("error CreatorTokenTransferValidator__OperatorIsBlacklisted()"),
      "CreatorTokenTransferValidator__OperatorIsBlacklisted()",
    ],
    ["any other error", "0xdeadbeef0000", "custom error 0xdeadbeef"],
    ["a known error whose arguments are cut short", "0x64283d7b00", "custom error 0x64283d7b"],
    ["a text that is not there", "0x08c379a0", "custom error 0x08c379a0"],
    ["less than an error", "0x08c3", "reverted with 0x08c3"],
    ["nothing", "0x", "the contract gave no reason"],
  ])("is %s, as people read it", (_what, data, expected) => {
    expect(reason(data)).toBe(expected);
  });

  it.each([
    ["execution reverted: paused", "paused"],
    ["execution reverted", "the contract gave no reason"],
    ["VM Exception while processing transaction: reverted with reason string 'paused'", "'paused'"],
    ["out of gas", "out of gas"],
    ["", "the contract gave no reason"],
  ])("is in the node's words %j where there is no data", (message, expected) => {
    expect(reason(undefined, message)).toBe(expected);
  });

  it.each([
    ["controls", "a\u0000b\u001b[31mc\r\nd", "a b [31mc d"],
    ["controls of direction", "\u202eevil\u2066\u200b", "evil"],
    ["nothing that can be read", "\u0000\u200b \n", "the contract gave no reason"],
    ["more than a line", "x".repeat(10_000), `${"x".repeat(200)}…`],
    ["a letter at the cut", `${"x".repeat(199)}😀😀`, `${"x".repeat(199)}…`],
  ])("is one short line whatever a contract writes: %s", (_what, text, expected) => {
    expect(decoded(text)).toBe(expected);
  });

  it("is bytes that are no text, without breaking", () => {
    const word = (value: number): string => value.toString(16).padStart(64, "0");
    expect(reason(`0x08c379a0${word(32)}${word(4)}${"ff00fe01".padEnd(64, "0")}`)).toBe("\uFFFD \uFFFD");
  });
});
