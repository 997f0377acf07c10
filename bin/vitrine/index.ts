/** `npx vitrine index`: how a change of code or collections affects the chain index, and updates without downtime. */

import type { Command } from "commander";
import { loadEnvironment } from "../environment.ts";
import type { IndexCheck } from "../index/check.ts";
import { type Tool, wholeNumber } from "./tool.ts";

const REINDEX_EXIT_CODE = 2;
const PORT_MAX = 65_535;

export function addIndexCommands(program: Command, tool: Tool): void {
  const index = program.command("index").description("the chain index; needs no running service");
  index
    .command("check")
    .description(
      "say whether npm start would resume the index in DATABASE_SCHEMA, and if not, why; changes nothing",
    )
    .addHelpText(
      "after",
      `\nExit code: 0 when it resumes or builds the first, ${REINDEX_EXIT_CODE} when it needs a new index, 1 when it couldn't be determined.`,
    )
    .action(async () => {
      loadEnvironment();
      // Loaded for this command alone, as the service's modules take a while.
      const { checkIndex } = await import("../index/check.ts");
      const check = await checkIndex(process.cwd(), process.env);
      tool.print(check, checkLines(check));
      if (check.verdict === "reindexes") process.exitCode = REINDEX_EXIT_CODE;
    });
  index
    .command("beside")
    .description(
      "build a new index in a new schema while the old service keeps running, then keep running as the new service",
    )
    .option("--port <number>", "the new service's port (default: PORT + 1)", wholeNumber(1, PORT_MAX))
    .option(
      "--then <command>",
      "run when it is ready, with the new DATABASE_SCHEMA and PORT: move the proxy here",
    )
    .action(async (options: { port?: number; then?: string }) => {
      loadEnvironment();
      const { buildBeside } = await import("../index/beside.ts");
      const code = await buildBeside({
        ...options,
        onLine: tool.progress,
        onReady: ({ schema, port }) =>
          tool.print({ schema, port }, [`DATABASE_SCHEMA=${schema} PORT=${port}`]),
      });
      process.exit(code);
    });
}

function checkLines({ verdict, schema, build_id, index_build_id, reasons, next }: IndexCheck): string[] {
  if (verdict === "first")
    return [`first index: schema "${schema}" holds none yet, and npm start builds it (build ${build_id})`];
  if (verdict === "resumes")
    return [
      `resumes: schema "${schema}" holds the index of this code and these collections (build ${build_id})`,
      "  changed names, slugs, standards and locks of collections take effect at the next npm start",
    ];
  const builds = `build ${index_build_id}, and this code and these collections make ${build_id}`;
  return [
    `re-indexes: schema "${schema}" has ${builds}`,
    ...reasons.map((reason) => `  ${reason}`),
    ...(next ? [nextLine(schema, next)] : []),
  ];
}

const nextLine = (schema: string, next: NonNullable<IndexCheck["next"]>): string =>
  ({
    free: `"npx vitrine index beside" builds it in schema "${next.schema}" while "${schema}" keeps serving`,
    begun: `schema "${next.schema}" holds this build already: DATABASE_SCHEMA=${next.schema} npm start`,
    in_use: `schema "${next.schema}" holds this build already, and a process is using it`,
  })[next.state];
