/** A status line that is rewritten in place on a terminal; elsewhere, such as in a log, an occasional line. */

const SAY_MS = 5_000;

export interface StatusLine {
  show(text: string): void;
  /** Keeps the terminal's last line and continues below. */
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function createStatusLine(output: Output, now = () => performance.now()): StatusLine {
  let said = "";
  let saidAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (text === said) return;
      if (output.isTTY) {
        // A wrapped line can't be overwritten.
        output.write(`\r${text.slice(0, (output.columns ?? 80) - 1)}\u001b[K`);
      } else if (now() - saidAt >= SAY_MS) {
        output.write(`vitrine: ${text}\n`);
        saidAt = now();
      } else return;
      said = text;
    },
    end() {
      if (output.isTTY && said !== "") output.write("\n");
    },
  };
}
