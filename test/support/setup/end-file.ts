/**
 * Runs with each file, since one process runs many: what replaces functions would do so in the files after it, and endpoints
 * of the file's chains, which are gone, would be probed for as long as the process runs.
 */

import { syncBuiltinESMExports } from "node:module";
import { afterAll, vi } from "vitest";
import { endProbes } from "../../../src/api/chain/rpc/endpoint-health.ts";

afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  syncBuiltinESMExports();
  endProbes();
});
