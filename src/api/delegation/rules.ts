/** The pure rules of delegation that other modules share. Importing them starts and opens nothing. */

export { recordSchema } from "./registry/record.ts";
export { covers, EMPTY_RIGHTS, standsFor, waysToCover } from "./registry/rights.ts";
