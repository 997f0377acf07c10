/** The pure rules of trading for other modules. Importing it has no side effects. */

export { driftCauses } from "./reconcile/lock-drift.ts";
export { lockViewNames } from "./reconcile/lock-reader.ts";
