/** The text of a failure, as tokens, receipts and hosts show it. */

/** A code and its details: `image_too_small: 412x412, at least 480x480`. */
export const explainFailure = ({
  reason,
  message,
}: {
  readonly reason: string;
  readonly message: string;
}): string => `${reason}: ${message}`;
