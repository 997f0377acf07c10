/** `npm start`: Ponder, supervised. */

import { stopOnBootError } from "../src/api/boot.ts";
import { switchToOwnNode } from "./own-node.ts";
import { createPonderSupervisor, DEFAULT_SCHEMA } from "./ponder-process.ts";

await switchToOwnNode();
const supervisor = await stopOnBootError(async () =>
  createPonderSupervisor({
    schema: DEFAULT_SCHEMA,
    args: process.argv.slice(2),
    servesWithoutNodes: true,
  }),
);
process.exit(await supervisor.run());
