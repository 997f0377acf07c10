/** How long a gateway usually takes to its first byte. */

// RFC 6298, section 2: the smoothed time and its variation, and a second before anything is known.
const SMOOTHING = 1 / 8;
const VARIATION = 1 / 4;
const DEVIATIONS = 4;
const UNKNOWN_MS = 1_000;
// Below it, a busy process of ours is as likely to be the reason; above it, waiting costs more than asking.
const FLOOR_MS = 100;
const CEILING_MS = 3_000;

export interface UsualTime {
  /**
   * Milliseconds after which an answer is late: the smoothed time to the first byte and four times its mean deviation, as
   * TCP computes its retransmission timeout (RFC 6298), from 100 ms to 3 seconds; a second before the first answer.
   */
  readonly ms: number;
  /** An answer's first byte came after so many milliseconds. */
  note(ms: number): void;
}

export function createUsualTime(): UsualTime {
  let smoothed: number | undefined;
  let deviation = 0;
  return {
    get ms() {
      if (smoothed === undefined) return UNKNOWN_MS;
      return Math.min(Math.max(smoothed + DEVIATIONS * deviation, FLOOR_MS), CEILING_MS);
    },
    note(ms) {
      deviation =
        smoothed === undefined ? ms / 2 : (1 - VARIATION) * deviation + VARIATION * Math.abs(smoothed - ms);
      smoothed = smoothed === undefined ? ms : (1 - SMOOTHING) * smoothed + SMOOTHING * ms;
    },
  };
}
