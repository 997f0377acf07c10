/** The pure rules of refresh that other modules share. Importing them starts and opens nothing. */

export { tokenIdsField } from "./token-ids.ts";
export { refusalOf } from "./verdicts.ts";
