/**
 * A function that no contract has. A contract that answers it answers anything, for example through a fallback
 * function, so its answers to optional functions mean nothing.
 */

export const NOBODYS_FUNCTION = "vitrineAsksWhetherYouAnswerAnything";

/** For `parseAbi`. */
export const nobodysSignature =
  "function vitrineAsksWhetherYouAnswerAnything(uint256 id) view returns (uint256)";
