/** The reason of a revert, in a few printable words. */

import { decodeErrorResult, type Hex, parseAbi } from "viem";
import { printable } from "../../../domain/printable.ts";
import type { Revert } from "./contract-call.ts";

const REASON_CHARACTERS_MAX = 200;
const SELECTOR_CHARACTERS = "0x".length + 8;
const NO_REASON = "the contract gave no reason";

const known = parseAbi([
  // ERC-6093, as in OpenZeppelin 5, and other errors of its token contracts.
  "error ERC721InvalidOwner(address owner)",
  "error ERC721NonexistentToken(uint256 tokenId)",
  "error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)",
  "error ERC721InvalidSender(address sender)",
  "error ERC721InvalidReceiver(address receiver)",
  "error ERC721InsufficientApproval(address operator, uint256 tokenId)",
  "error ERC721InvalidOperator(address operator)",
  "error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)",
  "error ERC1155InvalidSender(address sender)",
  "error ERC1155InvalidReceiver(address receiver)",
  "error ERC1155MissingApprovalForAll(address operator, address owner)",
  "error ERC1155InvalidOperator(address operator)",
  "error EnforcedPause()",
  "error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)",
  "error OwnableUnauthorizedAccount(address account)",
  "error ReentrancyGuardReentrantCall()",
  // ERC-721C: the transfer validators of limitbreakinc/creator-token-standards, versions 1 to 5.
  "error CreatorTokenTransferValidator__CallerMustBeWhitelistedOperator()",
  "error CreatorTokenTransferValidator__CallerMustBeWhitelisted()",
  "error CreatorTokenTransferValidator__CallerMustBeAnAuthorizer()",
  "error CreatorTokenTransferValidator__OperatorIsBlacklisted()",
  "error CreatorTokenTransferValidator__ReceiverMustNotHaveDeployedCode()",
  "error CreatorTokenTransferValidator__ReceiverProofOfEOASignatureUnverified()",
  "error CreatorTokenTransferValidator__ReceiverAccountIsFrozen()",
  "error CreatorTokenTransferValidator__SenderAccountIsFrozen()",
  "error CreatorTokenTransferValidator__TokenIsSoulbound()",
  // ERC721A, and Solady's ERC721.
  "error OwnerQueryForNonexistentToken()",
  "error TransferCallerNotOwnerNorApproved()",
  "error TransferFromIncorrectOwner()",
  "error TransferToNonERC721ReceiverImplementer()",
  "error NotOwnerNorApproved()",
  "error TokenDoesNotExist()",
]);

// Solidity, "Panic via assert and Error via require".
const panics: Readonly<Record<string, string>> = {
  "1": "an assertion failed",
  "17": "arithmetic overflow",
  "18": "division by zero",
  "33": "a value outside its enum",
  "34": "a broken byte array in storage",
  "49": "pop from an empty array",
  "50": "an index out of bounds",
  "65": "too much memory",
  "81": "a call of no function",
};

/**
 * At most 200 characters on one line: the text of `Error(string)`; `Panic` with its code; a common custom error with
 * its name and arguments, any other with its selector; without data, the node's message. Never throws.
 */
export function revertReason({ data, message }: Revert): string {
  const text = data === undefined || data === "0x" ? nodeWords(message) : decode(data);
  return printable(text, REASON_CHARACTERS_MAX) || NO_REASON;
}

/** Whether it is a bare revert, as of a `require` before Solidity 0.4.22. */
export const isWithoutReason = (revert: Revert): boolean =>
  revert.data === "0x" || revertReason(revert) === NO_REASON;

/** "execution reverted: paused" becomes "paused"; "out of gas" stays. */
const nodeWords = (message: string): string =>
  message.replace(/^.*?\b(?:execution )?reverted\b(?: with reason string)?[\s:,]*/is, "");

function decode(data: Hex): string {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: known, data });
    const values: readonly unknown[] = args;
    if (errorName === ("Error" as string)) return String(values[0]);
    if (errorName === ("Panic" as string)) return panic(String(values[0]));
    return `${errorName}(${values.map(String).join(", ")})`;
  } catch {
    return data.length < SELECTOR_CHARACTERS
      ? `reverted with ${data}`
      : `custom error ${data.slice(0, SELECTOR_CHARACTERS)}`;
  }
}

const panic = (code: string): string => `Panic(${code})${panics[code] ? `: ${panics[code]}` : ""}`;
