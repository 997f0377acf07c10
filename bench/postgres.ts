/** The PostgreSQL of a bench, which cleanup.ts stops. */

import { joinEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";

// Nobody is connected while a chain is filled, which takes longer on a slow machine.
const IDLE_MS = 600_000;

export const joinPostgres = (folder: string): Promise<string> =>
  joinEmbeddedPostgres(folder, { idleMs: IDLE_MS });
