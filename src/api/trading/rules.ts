/** The pure rules of trading that other modules share. Loading it starts and opens nothing. */

export { driftCauses } from "./reconcile/lock-drift.ts";
export { lockViewNames } from "./reconcile/lock-reader.ts";
