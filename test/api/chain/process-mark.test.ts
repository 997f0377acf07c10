import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { isSeenGone, markProcess } from "../../../src/api/chain/index/process-mark.ts";

async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid as number;
}

it("a process of this machine that has ended is seen to be gone, and one that runs is not", async () => {
  const mark = markProcess();

  expect(isSeenGone(mark)).toBe(false);
  expect(isSeenGone({ ...mark, pid: await endedProcess() })).toBe(true);
});

it.each([
  ["of another machine, or of this one before it started again", "b1b6f2ce pid:[4026531836]"],
  ["of a machine that can't be identified", undefined],
])("a process %s is never seen to be gone, whatever runs here under its id", async (_whose, pids) => {
  expect(isSeenGone({ pids, pid: await endedProcess() })).toBe(false);
});
