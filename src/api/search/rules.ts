/** The pure rules of search for other modules. Importing it has no side effects. */

export { CURSOR_LENGTH_MAX } from "./cursor.ts";
export { percentageOf } from "./percentage.ts";
