/** Reproducible random moments: the seed is printed, and FAULTS_SEED sets it. */

import { randomInt } from "node:crypto";
import { createRandom, type Random } from "../../support/random.ts";
import { environmentNumber, SEED_MAX } from "../../support/setup/environment-number.ts";
import { say } from "./figures.ts";

/** Throws when FAULTS_SEED is set to anything but a 32-bit integer. */
export function createDice(test: string): Random {
  const seed = environmentNumber("FAULTS_SEED") ?? randomInt(SEED_MAX);
  say({ test, seed });
  return createRandom(seed);
}
