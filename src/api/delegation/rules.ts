/** The pure rules of delegation that other modules share. Loading it starts and opens nothing. */

export { covers, EMPTY_RIGHTS, standsFor } from "./registry/rights.ts";
