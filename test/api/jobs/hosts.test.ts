/** When a host is paused: by the share of failures among its last answers, and by Retry-After. */

import { beforeEach, describe, expect, it } from "vitest";
import {
  createNoteHost,
  forgetUnaskedHosts,
  type HostAnswer,
  readFaulty,
} from "../../../src/api/jobs/hosts.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { database } = await createTestDatabase();
const HOST = "a.example";
let probesChosen = 0;
const noteHost = createNoteHost(async () => {
  probesChosen++;
});
beforeEach(async () => {
  probesChosen = 0;
  await database.query("truncate vitrine.host");
});

const good: HostAnswer = { kind: "answered" };
const bad: HostAnswer = { kind: "failed", reason: "http_status: 500", retryAfterMs: undefined, url: "/1" };
const load: HostAnswer = { ...bad, isLoad: true };
const asks = (url: string, seconds: number): HostAnswer => ({
  ...load,
  url,
  retryAfterMs: seconds * 1_000,
});
const times = (count: number, answer: HostAnswer): HostAnswer[] => Array<HostAnswer>(count).fill(answer);
/** Every so many answers one of them is bad. */
const oneIn = (share: number, count: number): HostAnswer[] =>
  Array.from({ length: count }, (_, index) => (index % share === 0 ? bad : good));

const isPaused = async (): Promise<boolean> =>
  (await readFaulty(database, [HOST])).get(HOST)?.isPaused === true;
const rows = () =>
  database.query<{ failures: number; seconds: number | null }>(
    `select failures, round(extract(epoch from paused_until - now()))::int as seconds from vitrine.host`,
  );
const endPause = () => database.query("update vitrine.host set paused_until = now()");

const cases: readonly (readonly [what: string, answers: readonly HostAnswer[], isPaused: boolean])[] = [
  ["four failures", times(4, bad), false],
  ["five failures", times(5, bad), true],
  ["five failures among four good answers", [...times(4, good), ...times(5, bad)], true],
  ["five failures, though a good answer came between", [...times(4, bad), good, bad], true],
  [
    "five failures among six good answers",
    [bad, good, good, bad, good, bad, good, bad, good, good, bad],
    false,
  ],
  ["every second answer", oneIn(2, 40), true],
  ["every third answer", oneIn(3, 300), false],
  ["every twentieth of 5,000", oneIn(20, 5_000), false],
  ["fifty refusals that the process heeds", times(50, load), false],
];

describe("a host is paused by the share of failures among its last answers:", () => {
  it.each(cases)("%s, together", async (_, answers, paused) => {
    await noteHost(database, HOST, answers);

    expect(await isPaused()).toBe(paused);
  });

  it.each(cases.filter(([, answers]) => answers.length < 100))(
    "%s, one by one",
    async (_, answers, paused) => {
      for (const answer of answers) await noteHost(database, HOST, [answer]);

      expect(await isPaused()).toBe(paused);
    },
  );

  it("answers count that the process had before the first failure", async () => {
    await noteHost(database, HOST, times(6, bad), 7);
    expect(await isPaused()).toBe(false);

    await noteHost(database, HOST, [bad], 1_000);

    expect(await isPaused()).toBe(true);
  });

  it("it may fail altogether after thousands of good answers", async () => {
    await noteHost(database, HOST, oneIn(20, 5_000));
    expect(await isPaused()).toBe(false);

    await noteHost(database, HOST, times(20, bad));

    expect(await isPaused()).toBe(true);
  });

  it("processes that note at the same time count together", async () => {
    await Promise.all(times(5, bad).map((each) => noteHost(database, HOST, [each])));

    expect(await isPaused()).toBe(true);
  });
});

describe("a paused host", () => {
  it("stays as it is, whatever still comes in, and is paused twice as long after the next failure", async () => {
    await noteHost(database, HOST, times(5, bad));
    expect(await rows()).toEqual([{ failures: 5, seconds: 10 }]);

    await noteHost(database, HOST, [...times(20, bad), good]);
    expect(await rows()).toEqual([{ failures: 5, seconds: 10 }]);

    for (const seconds of [20, 40, 80, 160, 320, 600, 600]) {
      await endPause();
      await noteHost(database, HOST, [bad]);
      expect((await rows())[0]?.seconds).toBe(seconds);
    }
  });

  it("is clean after one good answer", async () => {
    await noteHost(database, HOST, times(5, bad));
    await endPause();

    await noteHost(database, HOST, [good]);

    expect(await rows()).toEqual([]);
  });

  it("that answers well and fails at once starts over", async () => {
    await noteHost(database, HOST, times(5, bad));
    await endPause();

    await noteHost(database, HOST, [good, bad]);
    expect(await isPaused()).toBe(false);

    await noteHost(database, HOST, times(4, bad));
    expect((await rows())[0]?.seconds).toBe(10);
  });

  it("has a probe chosen, and no other has", async () => {
    await noteHost(database, HOST, times(4, bad));
    expect(probesChosen).toBe(0);

    await noteHost(database, HOST, [bad]);

    expect(probesChosen).toBe(1);
  });
});

describe("a host that answers well", () => {
  it("has no row, and one that failed of late has none for long", async () => {
    await noteHost(database, HOST, [good]);
    expect(await rows()).toEqual([]);

    await noteHost(database, HOST, [bad, good, good]);
    expect(await rows()).toHaveLength(1);
    await noteHost(database, HOST, times(20, good));

    expect(await rows()).toEqual([]);
  });
});

describe("Retry-After", () => {
  it.each<[what: string, batches: HostAnswer[][], seconds: number | null]>([
    ["of one URL", [[asks("/1", 60)], [asks("/1", 60)]], null],
    ["of two URLs", [[asks("/1", 60)], [asks("/2", 90)]], 90],
    ["of two URLs together", [[asks("/1", 60), asks("/2", 90)]], 90],
    ["of a day", [[asks("/1", 86_400), asks("/2", 86_400)]], 300],
    ["of two URLs with a good answer between", [[asks("/1", 60)], [good, asks("/2", 60)]], null],
    ["of two URLs before a good answer", [[asks("/1", 60), asks("/2", 60), good]], null],
  ])("%s", async (_, batches, seconds) => {
    for (const batch of batches) await noteHost(database, HOST, batch);

    expect((await rows())[0]?.seconds ?? null).toBe(seconds);
  });
});

it("a host that was paused and has not been asked for a week is forgotten, and no other", async () => {
  await noteHost(database, "dead.example", times(5, bad));
  await database.query("update vitrine.host set paused_until = now() - interval '8 days'");
  await noteHost(database, "asked.example", times(5, bad));
  await database.query(
    "update vitrine.host set paused_until = now() - interval '6 days' where host = 'asked.example'",
  );
  await noteHost(database, "failing.example", [bad]);

  expect(await forgetUnaskedHosts.run(database)).toBe(1);

  const left = await database.query<{ host: string }>("select host from vitrine.host order by host");
  expect(left.map(({ host }) => host)).toEqual(["asked.example", "failing.example"]);
});
