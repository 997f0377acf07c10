/** The pure rules of refresh that other modules share. Loading it starts and opens nothing. */

export { tokenIdsField } from "./token-ids.ts";
export { refusalOf } from "./verdicts.ts";
