/** The pure rules of media that other modules share. Importing them starts and opens nothing. */

export { checkedStatuses, codeOf, skipped } from "./checks/checked-media.ts";
export { fetchReasonTable, mediaReasons, refusalTable, TRYING_AGAIN } from "./checks/reasons.ts";
export { chooseDisplay, skipReasons, webHostOf } from "./display/display.ts";
export { asLoaded } from "./display/page-url.ts";
