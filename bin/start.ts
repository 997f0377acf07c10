/** `npm start`: Ponder, supervised. */

import { createPonderSupervisor } from "./ponder-process.ts";

const supervisor = createPonderSupervisor({ schema: "vitrine_chain", args: process.argv.slice(2) });
process.exit(await supervisor.run());
