/** The pure rules of events that other modules share. Importing them starts and opens nothing. */

export { isReverted } from "./reverted.ts";
