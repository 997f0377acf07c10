/** `npm run dev`: supervised Ponder, restarted when the serving half changes and rebuilt when the chain index does. */

import { watch } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { stopOnBootError } from "../src/api/boot.ts";
import { switchToOwnNode } from "./own-node.ts";
import { createPonderSupervisor } from "./ponder-process.ts";
import { type ChangeEffect, effectOfChange } from "./source-change.ts";

// Saving a file causes several events, and a checkout changes many files.
const SETTLE_MS = 200;

await switchToOwnNode();
const supervisor = await stopOnBootError(async () =>
  createPonderSupervisor({
    schema: "vitrine_dev",
    args: process.argv.slice(2),
    isDevelopment: true,
  }),
);

const collectionsFile = relative(".", resolve(process.env.COLLECTIONS_FILE || "collections.json"));
const changes = new Map<ChangeEffect, string>();
let settling: NodeJS.Timeout | undefined;

for (const folder of ["src", "abis"]) watchFolder(folder, true);
for (const folder of new Set([".", dirname(collectionsFile)])) watchFolder(folder, false);
process.exit(await supervisor.run());

function watchFolder(folder: string, recursive: boolean): void {
  const watcher = watch(folder, { recursive }, (_event, file) => {
    if (!file) return;
    const path = join(folder, file);
    changes.set(effectOfChange(path, collectionsFile), path);
    clearTimeout(settling);
    settling = setTimeout(act, SETTLE_MS);
  });
  // A file may vanish between its event and the check of it; the rest is still watched.
  watcher.on("error", (error) => process.stderr.write(`Watching ${folder}: ${error.message}\n`));
}

function act(): void {
  const rebuilding = changes.get("rebuild");
  const restarting = changes.get("restart");
  changes.clear();
  if (rebuilding) supervisor.rebuild(`${rebuilding} shapes the index, which must be rebuilt`);
  else if (restarting) supervisor.restart(`${restarting} has changed; restarting Ponder.`);
}
