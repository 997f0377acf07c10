/**
 * Answers of a service, each compared with the one that is recorded: what is restructured answers as before.
 * RECORD=1 records them anew, for a change of answers that is meant; the difference belongs into its commit.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNormaliser, type Recorded } from "./normalise.ts";
import { openRecording } from "./recording.ts";
import { type Command, isCommand, type Request, titleOf } from "./request.ts";
import { surfaces } from "./requests/index.ts";
import { offlineEnvironment, type Run, recordedOf, startRun } from "./run.ts";
import { runCommand } from "./send.ts";

const isRecording = process.env.RECORD === "1";
let run: Run;

// Each takes a second of a core: while the service starts and reads, and beside requests that wait.
const commands = createLanes(2);
const { lines } = createNormaliser({ places: [], block: 0, hashes: new Set() });

beforeAll(async () => {
  for (const each of commandsThatRun("offline"))
    commands.start(each, async () => {
      const ended = await runCommand(each.args, { ...offlineEnvironment, ...each.env }, each.stdin);
      return recordedOf(ended, each, lines);
    });
  run = await startRun();
  for (const each of commandsThatRun("beside")) commands.start(each, () => run.command(each));
});
afterAll(() => run?.close());

for (const [surface, requests] of Object.entries(surfaces)) {
  const recording = openRecording(surface);
  describe(surface, () => {
    it.each(requests.map((request) => [titleOf(request), request] as const))("%s", async (name, request) => {
      const answer = await answerOf(request);
      recording.keep(name, answer);
      if (!isRecording) expect(answer).toStrictEqual(recording.find(name));
    });

    it("asks what was recorded, each request under a name of its own", () => {
      const names = requests.map(titleOf);
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
      if (!isRecording) expect(names).toEqual(recording.names());
    });

    afterAll(() => {
      if (isRecording) recording.save();
    });
  });
}

const answerOf = (request: Request): Promise<Recorded> =>
  commands.find(request) ?? (isCommand(request) ? run.command(request) : run.answer(request));

function commandsThatRun(when: Command["when"]): Command[] {
  return Object.values(surfaces)
    .flat()
    .filter(isCommand)
    .filter((request) => request.when === when);
}

/** Runs what is started in its order, so many at once. */
function createLanes(count: number) {
  const ends: Promise<unknown>[] = Array.from({ length: count }, () => Promise.resolve());
  const started = new Map<Request, Promise<Recorded>>();
  return {
    find: (request: Request): Promise<Recorded> | undefined => started.get(request),
    start(request: Request, work: () => Promise<Recorded>): void {
      const lane = started.size % count;
      const end = (ends[lane] ?? Promise.resolve()).then(work);
      started.set(request, end);
      // Its own test reports a failure; the next one in the lane runs anyway.
      ends[lane] = end.catch(() => undefined);
    },
  };
}
