/** The pure rules of events that other modules share. Importing them starts and opens nothing. */

export { type EventType, eventTypes, isEventType } from "./event-types.ts";
export { isReverted } from "./reverted.ts";
