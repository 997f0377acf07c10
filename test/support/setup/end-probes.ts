/** Runs with each file: endpoints of its chains, which are gone, would be probed for as long as the process runs more files. */

import { afterAll } from "vitest";
import { endProbes } from "../../../src/api/chain/rpc/endpoint-health.ts";

afterAll(endProbes);
