/** Finds entries in a service's log that no operator should have to read. */

import { stripVTControlCharacters } from "node:util";

// The format of Ponder's logger: a time of day, and a level.
const LINE = /^\d\d:\d\d:\d\d\.\d{3} (ERROR|FATAL|WARN|INFO|DEBUG|TRACE)\b/;
// Node's own messages about an uncaught fault, and the supervisor's about an ended process.
const CRASH = /unhandled|uncaught|FATAL ERROR|^Ponder ended/i;

export interface LogFindings {
  /** Lines of errors with their stacks, and lines of a crash. */
  readonly errors: readonly string[];
  /** How often each warning occurred, by message. */
  readonly warnings: Readonly<Record<string, number>>;
}

export function readLog(log: string): LogFindings {
  const errors: string[] = [];
  const warnings: Record<string, number> = {};
  let level = "";
  for (const line of stripVTControlCharacters(log).split("\n")) {
    const own = LINE.exec(line)?.[1];
    // A line without its own level belongs to the one before, like a stack.
    level = own ?? level;
    if (level === "ERROR" || level === "FATAL" || CRASH.test(line)) errors.push(line);
    if (own === "WARN") {
      const text = line
        .slice(19)
        .replace(/\s*\(.*$|\w+=.*$/, "")
        .trim();
      warnings[text] = (warnings[text] ?? 0) + 1;
    }
  }
  return { errors, warnings };
}
