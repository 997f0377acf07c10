/** The pure rules of search for other modules. Importing it has no side effects. */

export { folded as foldedText, sortByName } from "./columns/folded-text.ts";
export { CURSOR_LENGTH_MAX } from "./cursor.ts";
export { percentageOf } from "./percentage.ts";
export { foundBy } from "./query.ts";
