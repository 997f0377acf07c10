/** The text of a failure, as tokens, receipts and hosts show it. */

import { clip } from "../../domain/printable.ts";

// Strangers choose some of the text, and a database index holds no text of any length.
const MESSAGE_CHARACTERS_MAX = 500;

/** A code and its details: `image_too_small: 412x412, at least 480x480`. */
export const explainFailure = ({
  reason,
  message,
}: {
  readonly reason: string;
  readonly message: string;
}): string => `${reason}: ${clip(message, MESSAGE_CHARACTERS_MAX)}`;
