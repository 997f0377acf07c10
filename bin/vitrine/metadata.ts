/** `npx vitrine metadata`: the stored documents. */

import type { Command } from "commander";
import type { Answer } from "./answers.ts";
import { bar, follow, INTERRUPTED_EXIT_CODE, untilInterrupted } from "./follow.ts";
import { createStatusLine } from "./status-line.ts";
import type { Tool } from "./tool.ts";

type RenormaliseProgress = Answer<"getRenormaliseProgress">;

const PATH = "/admin/metadata/renormalise";
const FAILED_EXIT_CODE = 2;

export function addMetadataCommands(program: Command, tool: Tool): void {
  const metadata = program.command("metadata").description("the stored documents");
  metadata
    .command("renormalise")
    .description("read stored documents again with the current rules, without a fetch, and show the progress")
    .option("--detach", "don't wait; the service continues in the background")
    .addHelpText(
      "after",
      `
A new release starts it by itself. Ctrl-C leaves it to the service.

Exit code: 0 when it has come to its end, ${FAILED_EXIT_CODE} when some could not be recorded, 1 when it couldn't be determined.`,
    )
    .action((options: { detach?: boolean }) =>
      untilInterrupted(tool, (signal) => renormalise(tool, options.detach ?? false, signal)),
    );
}

async function renormalise(
  { connect, print, progress: say }: Tool,
  isDetached: boolean,
  signal: AbortSignal,
): Promise<void> {
  const client = connect();
  const requested = await client.call<Answer<"requestRenormalise">>("POST", PATH, undefined, { signal });
  if (isDetached) return print(requested, [describeRenormalise(requested)]);

  const status = createStatusLine(process.stderr);
  const progress = await follow({
    read: () => client.call<RenormaliseProgress>("GET", PATH, undefined, { signal }),
    isDone: ({ finished_at }) => finished_at !== null,
    describe: describeRenormalise,
    onText: status.show,
    signal,
  }).finally(status.end);
  if (!progress) {
    say(`the service continues in the background; GET ${PATH} shows its progress`);
    process.exitCode = INTERRUPTED_EXIT_CODE;
    return;
  }
  print(progress, [summary(progress)]);
  if (progress.failed > 0) process.exitCode = FAILED_EXIT_CODE;
}

/** One line: a bar once the tokens are counted, and the results so far. */
export function describeRenormalise(progress: RenormaliseProgress): string {
  const { total, done, running } = progress;
  if (total === null) return "counting tokens read by older rules";
  const parts = [`${bar(done, total)} ${done} of ${total}`, ...outcomes(progress)];
  return [...parts, ...(running ? [] : ["waiting for a process that fetches"])].join(", ");
}

const summary = (progress: RenormaliseProgress): string =>
  [`rules ${progress.normaliser}: ${progress.done} read again`, ...outcomes(progress)].join(", ");

function outcomes({ changed, rejected, missing, failed }: RenormaliseProgress): string[] {
  const parts = [
    [rejected, "rejected"],
    [missing, "no longer stored"],
    [failed, "failed"],
  ] as const;
  return [
    `${changed} changed`,
    ...parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`),
  ];
}
