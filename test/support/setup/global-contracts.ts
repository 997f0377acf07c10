/** Compiles all Solidity before the first test, so that the run's processes find it compiled. */

import { compileContracts } from "../../../demo/compile.ts";

export default async function setup(): Promise<void> {
  await Promise.all([compileContracts(), compileContracts(new URL("../../contracts/", import.meta.url))]);
}
