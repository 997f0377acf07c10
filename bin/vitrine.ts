/** `npx vitrine`: the operator's CLI for the running service. Results on stdout, everything else on stderr. */

import { Command } from "commander";
import { addAllowlistCommands } from "./vitrine/allowlist.ts";
import { addCheckCommand } from "./vitrine/check.ts";
import { addCollectionCommands } from "./vitrine/collections.ts";
import { addExportCommand } from "./vitrine/export.ts";
import { addIndexCommands } from "./vitrine/index.ts";
import { addKeyCommands } from "./vitrine/keys.ts";
import { addLockCommands } from "./vitrine/locks.ts";
import { addLoginLinkCommand } from "./vitrine/login-link.ts";
import { addMediaCommands } from "./vitrine/media.ts";
import { addMetadataCommands } from "./vitrine/metadata.ts";
import { addMigrateCommand } from "./vitrine/migrate.ts";
import { addRefreshCommand } from "./vitrine/refresh.ts";
import { createTool } from "./vitrine/tool.ts";
import { addTraitCommands } from "./vitrine/traits.ts";
import { visible } from "./vitrine/visible.ts";

const program = new Command("vitrine")
  .description("Operates a running Vitrine service, found by BASE_URL and VITRINE_OPERATOR_TOKEN.")
  .option("--json", "print results as JSON")
  .configureOutput({ writeOut: (text) => process.stderr.write(text) })
  .showHelpAfterError();

const tool = createTool(program);
addKeyCommands(program, tool);
addLoginLinkCommand(program, tool);
addAllowlistCommands(program, tool);
addLockCommands(program, tool);
addCheckCommand(program, tool);
addCollectionCommands(program, tool);
addExportCommand(program, tool);
addTraitCommands(program, tool);
addRefreshCommand(program, tool);
addMetadataCommands(program, tool);
addMediaCommands(program, tool);
addIndexCommands(program, tool);
addMigrateCommand(program, tool);

// Whoever reads the result may have enough, as `head` does. After any other fault, what the command has to undo is still
// undone.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`vitrine: ${error.message}\n`);
  process.exitCode = 1;
});
// A terminal that was closed takes no more, and what the command has to undo is still undone.
process.stderr.on("error", () => undefined);

program.parseAsync().catch((error: Error) => {
  const lines = error.message.split("\n").map(visible);
  process.stderr.write(`vitrine: ${lines.join("\n")}\n`);
  process.exitCode = 1;
});
