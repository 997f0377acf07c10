/** The pure rules of events that other modules share. Loading it starts and opens nothing. */

export { isReverted } from "./reverted.ts";
