/** `npx vitrine migrate`: brings the database up to date before the processes of a new release start. */

import type { Command } from "commander";
import { loadEnvironment } from "../environment.ts";
import type { Tool } from "./tool.ts";

export function addMigrateCommand(program: Command, tool: Tool): void {
  program
    .command("migrate")
    .description("apply missing migrations to DATABASE_URL; each process also does so as it starts")
    .action(async () => {
      loadEnvironment();
      const url = process.env.DATABASE_URL;
      if (!url) throw new Error("DATABASE_URL is not set: it names the PostgreSQL database to migrate");
      // Loaded for this command alone, as the service's modules take a while.
      const [{ migrate }, { requireDatabase }, { isDatabaseAway }] = await Promise.all([
        import("../../src/api/db/migrate.ts"),
        import("../../src/api/db/require-database.ts"),
        import("../../src/api/db/database-away.ts"),
      ]);
      // As at a start, before anything is created: where none is possible, there is nothing to migrate.
      await requireDatabase(url, (line) => process.stderr.write(`${line}\n`));
      const applied = await migrate(url).catch((cause: NodeJS.ErrnoException) => {
        if (!isDatabaseAway(cause)) throw cause;
        // A refusal from several addresses at once has a code and an empty message.
        throw new Error(`PostgreSQL can't be reached (${cause.message || cause.code})`, { cause });
      });
      const text = applied.length === 0 ? "The database is up to date" : `Applied ${applied.join(", ")}`;
      tool.print({ applied }, [text]);
    });
}
