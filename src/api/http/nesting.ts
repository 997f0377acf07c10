/** Checks how deep JSON is nested before recursive code walks it, because deep nesting overflows the stack. */

import { ApiError } from "./errors.ts";

/** Deeper than any document that people write. */
const LEVELS_MAX = 100;

/** Throws INVALID_REQUEST for JSON text with more than 100 levels of objects and arrays; `path` is "" for the body. */
export function assertShallow(json: string, path = ""): void {
  if (!isDeeper(json, LEVELS_MAX)) return;
  const message = `${path || "the body"} has more than ${LEVELS_MAX} objects and lists inside each other`;
  throw new ApiError("INVALID_REQUEST", [{ path, message }]);
}

function isDeeper(json: string, most: number): boolean {
  let [levels, isInText] = [0, false];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (isInText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    else if (code === BRACE || code === BRACKET) {
      levels++;
      if (levels > most) return true;
    } else if (code === BRACE + 2 || code === BRACKET + 2) levels--;
  }
  return false;
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b];
