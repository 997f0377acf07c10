/**
 * Answers of a service, each compared with the one that is recorded: what is restructured answers as before.
 * RECORD=1 records them anew, for a change of answers that is meant; the difference belongs into its commit.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNormaliser, type Recorded } from "./normalise.ts";
import { openRecording } from "./recording.ts";
import { isCommand, nameOf, type Request } from "./request.ts";
import { surfaces } from "./requests/index.ts";
import { offlineEnvironment, type Run, recordedOf, startRun } from "./run.ts";
import { runCommand } from "./send.ts";

const isRecording = process.env.RECORD === "1";
const COMMANDS_AT_ONCE = 2;

const isOffline = (request: Request): boolean => isCommand(request) && request.isOffline === true;
const offline = new Map<Request, Promise<Recorded>>();
let run: Run;

beforeAll(async () => {
  startCommands();
  run = await startRun();
});
afterAll(() => run?.close());

for (const [surface, requests] of Object.entries(surfaces)) {
  const recording = openRecording(surface);
  describe(surface, () => {
    it.each(requests.map((request) => [nameOf(request), request] as const))("%s", async (name, request) => {
      const answer = await answerOf(request);
      recording.keep(name, answer);
      if (!isRecording) expect(answer).toStrictEqual(recording.find(name));
    });

    it("asks what was recorded, each request under a name of its own", () => {
      const names = requests.map(nameOf);
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
      if (!isRecording) expect(names).toEqual(recording.names());
    });

    afterAll(() => {
      if (isRecording) recording.save();
    });
  });
}

function answerOf(request: Request): Promise<Recorded> {
  if (!isCommand(request)) return run.answer(request);
  return offline.get(request) ?? run.command(request);
}

/** While the service starts, and after: a few at once, since each takes a second of a core. */
function startCommands(): void {
  const { lines } = createNormaliser({ places: [], block: 0, hashes: new Set() });
  const ends: Promise<unknown>[] = Array.from({ length: COMMANDS_AT_ONCE }, () => Promise.resolve());
  for (const [at, request] of Object.values(surfaces).flat().filter(isOffline).entries()) {
    if (!isCommand(request)) continue;
    const start = async (): Promise<Recorded> => {
      const ended = await runCommand(request.args, { ...offlineEnvironment, ...request.env }, request.stdin);
      return recordedOf(ended, request, lines);
    };
    const lane = at % COMMANDS_AT_ONCE;
    const end = (ends[lane] as Promise<unknown>).then(start);
    // Its own test tells of a failure; the next one in the lane runs anyway.
    ends[lane] = end.catch(() => undefined);
    offline.set(request, end);
    end.catch(() => undefined);
  }
}
