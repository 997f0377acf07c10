/** Lines on stderr of a process that has no logger, such as a supervisor, or a start before Ponder's logger is known. */

const LEVELS = { info: 30, warn: 40, error: 50 } as const;

/** Writes one line in the format of the process's log. */
export function say(line: string, level: keyof typeof LEVELS = "warn"): void {
  process.stderr.write(`${formatLine(line, level)}\n`);
}

/** The line as it is, or an object like those of Ponder's log where the process logs JSON, as its arguments say. */
export function formatLine(
  line: string,
  level: keyof typeof LEVELS,
  args: readonly string[] = process.argv,
): string {
  return logsJson(args) ? JSON.stringify({ level: LEVELS[level], time: Date.now(), msg: line }) : line;
}

/** As Ponder reads them: the last one counts. */
function logsJson(args: readonly string[]): boolean {
  const formats = args.flatMap((arg, at) => {
    if (arg === "--log-format") return args[at + 1] ?? [];
    return arg.startsWith("--log-format=") ? arg.slice("--log-format=".length) : [];
  });
  return formats.at(-1) === "json";
}
