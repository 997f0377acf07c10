/** The pure rules of search that other modules share. Loading it starts and opens nothing. */

export { CURSOR_LENGTH_MAX } from "./cursor.ts";
