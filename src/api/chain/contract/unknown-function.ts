/**
 * A function that no contract has. One that answers it answers anything, as by a fallback function, and what it answers to
 * optional functions means nothing.
 */

export const NOBODYS_FUNCTION = "vitrineAsksWhetherYouAnswerAnything";

/** For `parseAbi`. */
export const nobodysSignature =
  "function vitrineAsksWhetherYouAnswerAnything(uint256 id) view returns (uint256)";
