/** `npm start`: Ponder, supervised. */

import { createPonderSupervisor, DEFAULT_SCHEMA } from "./ponder-process.ts";

const supervisor = createPonderSupervisor({ schema: DEFAULT_SCHEMA, args: process.argv.slice(2) });
process.exit(await supervisor.run());
