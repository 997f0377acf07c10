import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { nextSchema } from "../../bin/ponder-refusal.ts";
import { createSupervisor, SAME_SIGNAL_MS, type SupervisorOptions } from "../../bin/supervisor.ts";
import { NodeAwayError } from "../../src/api/chain/index/node-away.ts";
import { PassingBootError } from "../../src/api/data-folder.ts";
import { formatLine } from "../../src/api/logging/say.ts";

const OTHER_INDEX = 'MigrationError: Schema "vitrine_chain" was previously used by a different Ponder app.';
const OTHER_CHAIN =
  'vitrine: Schema "vitrine_chain" holds an index of another chain 31337: its block 331 is of 2026-01-01T00:00:00.000Z, and that of PONDER_RPC_URL_31337 (endpoint 1) of 2026-01-02T00:00:00.000Z.';
const IN_USE =
  'MigrationError: Failed to acquire lock on schema "vitrine_chain". A different Ponder app is actively using this schema.';

let folder: string;
let journal: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-supervisor-"));
  journal = join(folder, "journal");
  appendFileSync(journal, "");
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("a supervised child", () => {
  it("that ends with 75 is started again, each time after a longer delay, up to 30 s", async () => {
    const ended = endings([75, 75, 75, 75, 75, 75, 75, 75, 75, 1]);
    const { supervisor, pauses, lines } = supervise(ended);

    expect(await supervisor.run()).toBe(1);
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(lines[0]).toBe("Ponder ended with exit code 75; starting it again in 0.25 s.");
    expect(starts()).toBe(10);
  });

  it("that lived ten seconds is started at once, and starts the delays anew", async () => {
    const lives = [0, 9_900, 10_000, 19_900, 20_000, 30_000, 30_000, 31_000];
    const { supervisor, pauses, lines } = supervise(endings([75, 75, 75, 75, 1]), {
      now: () => lives.shift() ?? 0,
    });

    await supervisor.run();

    expect(pauses).toEqual([250, 500, 250]);
    expect(lines[2]).toBe("Ponder ended with exit code 75; starting it again at once.");
  });

  it("that can't use PostgreSQL's folder is started again once it has run, and until it does again", async () => {
    const lives = [0, 20_000, 20_000, 81_000, 81_000, 142_000];
    const codes = [75, ...Array<number>(3).fill(PassingBootError.exitCode), 0];
    const { supervisor, pauses } = supervise(endings(codes), { now: () => lives.shift() ?? 142_000 });

    expect(await supervisor.run()).toBe(0);
    // However long each of those took to give up.
    expect(pauses).toEqual([250, 500, 1_000]);
  });

  it.each([
    ["is away", undefined],
    ["answers", "monday"],
  ])(
    "that can't use its folder ends a first start, with a code of its own, while PostgreSQL %s",
    async (_, seen) => {
      const { supervisor, pauses } = supervise(endings([PassingBootError.exitCode]), {
        probe: async () => seen,
      });

      expect(await supervisor.run()).toBe(74);
      expect(pauses).toEqual([]);
    },
  );

  it("that a signal kills is started again", async () => {
    const { supervisor, lines } = supervise(
      `${COUNT} if (starts < 3) process.kill(process.pid, "SIGKILL"); else process.exit(1);`,
    );

    expect(await supervisor.run()).toBe(1);
    expect(starts()).toBe(3);
    expect(lines).toEqual([
      "Ponder ended by SIGKILL; starting it again in 0.25 s.",
      "Ponder ended by SIGKILL; starting it again in 0.5 s.",
    ]);
  });

  it("that can't be started, as while an update replaces the packages with their Node, is started again", async () => {
    const node = join(folder, "node");
    const { supervisor, pauses, lines } = supervise(endings([3]), {
      command: node,
      pause: async (ms) => {
        pauses.push(ms);
        if (pauses.length === 2) symlinkSync(process.execPath, node);
      },
    });

    expect(await supervisor.run()).toBe(3);
    expect(pauses).toEqual([250, 500]);
    expect(lines[0]).toMatch(/^Ponder can't be started \(spawn .*\/node ENOENT\)\.$/);
  });

  it("that finds no packages, as while an update replaces them, is started again once it has run", async () => {
    const script = join(folder, "ponder.mjs");
    writeFileSync(script, 'import { rmSync } from "node:fs"; rmSync(process.argv[1]); process.exit(75);');
    const [lives, scripts] = [
      [0, 20_000],
      [
        'import "no-such-package";',
        // As Ponder reports one of ours, with --log-format json.
        `console.log('{"level":50,"error":{"stack":"Error: Cannot find package \\'viem\\'"}}'); process.exit(1);`,
        "process.exit(3);",
      ],
    ];
    const { supervisor, pauses } = supervise("", {
      args: [script],
      now: () => lives.shift() ?? 20_000,
      pause: async (ms) => {
        pauses.push(ms);
        writeFileSync(script, scripts.shift() ?? "");
      },
    });

    expect(await supervisor.run()).toBe(3);
    expect(pauses).toEqual([250, 500, 1_000]);
  });

  const SENTENCE = "vitrine: PostgreSQL refuses the connection (x); correct DATABASE_URL.";
  const REFUSED = `console.error(${JSON.stringify(SENTENCE)});`;
  const REFUSED_JSON = `console.error(${JSON.stringify(formatLine(SENTENCE, "error", ["--log-format", "json"]))});`;

  it.each([
    ["text", REFUSED],
    ["JSON", REFUSED_JSON],
  ])("whose login PostgreSQL refuses, in %s, is started again once it has run", async (_format, REFUSED) => {
    const lives = [0, 20_000];
    const { supervisor, pauses } = supervise(
      `${COUNT} if (starts > 1 && starts < 4) ${REFUSED} process.exitCode = [75, 1, 1, 3][starts - 1];`,
      { now: () => lives.shift() ?? 20_000 },
    );

    expect(await supervisor.run()).toBe(3);
    expect(pauses).toEqual([250, 500]);
    expect(starts()).toBe(4);
  });

  it("whose login PostgreSQL refuses ends a first start", async () => {
    const { supervisor, pauses } = supervise(`${REFUSED} process.exitCode = 1;`);

    expect(await supervisor.run()).toBe(1);
    expect(pauses).toEqual([]);
  });

  it("that finds no packages ends a first start", async () => {
    const { supervisor } = supervise("", { args: [join(folder, "ponder.mjs")] });

    expect(await supervisor.run()).toBe(1);
  });

  it("that can't be started without memory is started again", async () => {
    let tries = 0;
    const { supervisor, lines } = supervise(endings([3]), {
      // Like what a machine without memory answers, it throws at once.
      prepare: async () => (++tries < 3 ? { NUL: "\0" } : {}),
    });

    expect(await supervisor.run()).toBe(3);
    expect(lines.filter((line) => line.startsWith("Ponder can't be started ("))).toHaveLength(2);
  });

  it("is reported in the log's format, one object per line where that is JSON", async () => {
    const supervisor = await superviseElsewhere(
      endings([75, 3]),
      ["ignore", "inherit", "pipe"],
      ["--log-format", "json"],
    );
    const [said] = await Promise.all([
      supervisor.stderr && text(supervisor.stderr),
      once(supervisor, "exit"),
    ]);

    const lines = String(said)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      {
        level: 40,
        time: expect.any(Number),
        msg: "Ponder ended with exit code 75; starting it again in 0.25 s.",
      },
    ]);
  });

  it("goes on when nobody reads the log any more", async () => {
    const talkative = `${COUNT}
      const talk = () => {
        if (!fs.readFileSync(process.env.JOURNAL, "utf8").includes("gone")) return setTimeout(talk, 20);
        for (let line = 0; line < 5_000; line++) for (const out of [1, 2]) fs.writeSync(out, "x".repeat(100) + "\\n");
        note("said");
        process.exit(3);
      };
      talk();`;
    const supervisor = await superviseElsewhere(talkative, ["ignore", "pipe", "pipe"]);
    const ended = once(supervisor, "exit");
    await untilNoted("start");
    supervisor.stdout?.destroy();
    supervisor.stderr?.destroy();
    await Promise.all([supervisor.stdout, supervisor.stderr].map((each) => each && until(() => each.closed)));

    appendFileSync(journal, "gone\n");

    expect(await ended).toEqual([3, null]);
    expect(notes()).toContain("said");
  });

  it.each([0, 1, 3])("that ends with %i is not started again", async (code) => {
    const { supervisor, lines } = supervise(endings([code]));

    expect(await supervisor.run()).toBe(code);
    expect(starts()).toBe(1);
    expect(lines).toEqual([]);
  });

  const LISTENS = `const listens = () => process.send({ listening: true }, () => process.disconnect());`;
  const failsAfterwards = (text: string, ends: string): string =>
    `${COUNT} ${LISTENS}
     if (starts === 1) { listens(); process.exitCode = 75; }
     else if (starts < 4) { console.error(${JSON.stringify(text)}); process.exitCode = 1; }
     else { ${ends} }`;

  it("whose start fails once it has run is started again, after growing delays, until the fault has passed", async () => {
    const lives = [0, 0, 20_000];
    const { supervisor, pauses, lines } = supervise(
      failsAfterwards("vitrine: Port 42069 is in use.", "process.exitCode = 0;"),
      { now: () => lives.shift() ?? 20_000 },
    );

    expect(await supervisor.run()).toBe(0);
    expect(pauses).toEqual([250, 500]);
    expect(lines).toEqual([
      "Ponder ended with exit code 75; starting it again at once.",
      "Ponder ended with exit code 1; starting it again in 0.25 s.",
      "Ponder ended with exit code 1; starting it again in 0.5 s.",
    ]);
  });

  it("that ends with 1 after it has served is started again at once, though it never ended before", async () => {
    const lives = [0, 500, 10_500];
    const { supervisor, pauses } = supervise(
      `${COUNT} ${LISTENS} if (starts === 1) { listens(); process.exitCode = 1; }`,
      { now: () => lives.shift() ?? 20_000 },
    );

    expect(await supervisor.run()).toBe(0);
    expect(starts()).toBe(2);
    expect(pauses).toEqual([]);
  });

  it("that ends with 1 each time it has served is started again after growing delays", async () => {
    let hours = 0;
    const { supervisor, pauses } = supervise(
      `${COUNT} ${LISTENS} if (starts < 5) { listens(); process.exitCode = 1; }`,
      { now: () => 3_600_000 * hours++ },
    );

    expect(await supervisor.run()).toBe(0);
    expect(pauses).toEqual([250, 500, 1_000]);
  });

  it("whose first start fails is not started again, however long it took to find out", async () => {
    const lives = [0, 25_000];
    const { supervisor } = supervise(endings([1]), { now: () => lives.shift() ?? 25_000 });

    expect(await supervisor.run()).toBe(1);
    expect(starts()).toBe(1);
  });

  it("that has served for a moment only is not started again after an end with 1", async () => {
    const lives = [0, 25_000, 34_999];
    const { supervisor } = supervise(`${COUNT} ${LISTENS} listens(); process.exitCode = 1;`, {
      now: () => lives.shift() ?? 34_999,
    });

    expect(await supervisor.run()).toBe(1);
    expect(starts()).toBe(1);
  });

  it("that finds its schema in use once it has run says so at each try: the other may be its own, killed before", async () => {
    const lives = [0, 0, 20_000];
    const { supervisor, pauses, lines } = supervise(failsAfterwards(IN_USE, "process.exitCode = 0;"), {
      now: () => lives.shift() ?? 20_000,
    });

    expect(await supervisor.run()).toBe(0);
    expect(pauses).toEqual([250, 500]);
    expect(lines.filter((line) => line.includes("is in use by another process; stop that"))).toHaveLength(2);
  });

  it.each([
    ["other code", OTHER_INDEX],
    ["another chain", OTHER_CHAIN],
  ])(
    "that finds an index of %s is not started again, even once it has run: no wait changes what is indexed",
    async (_, text) => {
      const lives = [0, 0, 20_000];
      const { supervisor, pauses } = supervise(failsAfterwards(text, "process.exitCode = 0;"), {
        now: () => lives.shift() ?? 20_000,
      });

      expect(await supervisor.run()).toBe(1);
      expect(starts()).toBe(2);
      expect(pauses).toEqual([]);
    },
  );

  it.each([
    ["stdout", "text", OTHER_INDEX],
    ["stderr", "text", OTHER_INDEX],
    ["stderr", "JSON", formatLine(OTHER_INDEX, "error", ["--log-format=json"])],
    ["stdout", "JSON", JSON.stringify({ level: 50, error: { message: OTHER_INDEX } })],
  ])(
    "that refuses another code's index on %s in %s is explained with the command to run",
    async (stream, _format, text) => {
      const { supervisor, lines } = supervise(says(stream, text));

      expect(await supervisor.run()).toBe(1);
      expect(lines).toEqual([
        'Schema "vitrine_chain" holds an index built by other code or other collections: "npx vitrine index check" says what differs. To build a new one, run "npx vitrine index beside" while the old service goes on, or without one: DATABASE_SCHEMA=vitrine_chain_2 npm start',
      ]);
    },
  );

  it.each([
    ["the schema that was found for a new one", async () => "vitrine_chain_7", "vitrine_chain_7"],
    ["the next name where none was found", async () => undefined, "vitrine_chain_2"],
    ["the next name where nobody could look", () => Promise.reject(new Error("away")), "vitrine_chain_2"],
  ])("that refuses another code's index is explained with %s", async (_which, findNext, next) => {
    const { supervisor, lines } = supervise(says("stdout", OTHER_INDEX), { findNext });

    await supervisor.run();

    expect(lines).toEqual([expect.stringMatching(new RegExp(`: DATABASE_SCHEMA=${next} npm start$`))]);
  });

  it("whose node is behind what the index has finalized is started again until it has those blocks", async () => {
    const behind = 'MigrationError: Finalized block for chain "31337" cannot move backwards';
    const { supervisor, lines, pauses } = supervise(
      `${COUNT} if (starts < 3) { console.log(${JSON.stringify(behind)}); process.exit(1); }`,
    );

    expect(await supervisor.run()).toBe(0);
    expect(pauses).toEqual([250, 500]);
    expect(lines.slice(0, 2)).toEqual([
      "The node of chain 31337 (PONDER_RPC_URL_31337, the first endpoint that answers) is behind the blocks that the chain index has finalized; waiting until it has them.",
      "Ponder ended with exit code 1; starting it again in 0.25 s.",
    ]);
  });

  it.each([
    ["text", OTHER_CHAIN],
    ["JSON", formatLine(OTHER_CHAIN, "error", ["--log-format=json"])],
  ])(
    "that finds the index of another chain is explained with both ways out, in %s",
    async (_format, text) => {
      const { supervisor, lines } = supervise(says("stderr", text));

      expect(await supervisor.run()).toBe(1);
      expect(lines).toEqual([
        "To index the chain that the endpoint has, build a new index: DATABASE_SCHEMA=vitrine_chain_2 npm start. Otherwise set the variable to an endpoint of the indexed chain.",
      ]);
    },
  );

  it("that finds its schema in use is explained with the way out", async () => {
    const { supervisor, lines } = supervise(says("stdout", IN_USE));

    expect(await supervisor.run()).toBe(1);
    expect(lines).toEqual([
      'Schema "vitrine_chain" is in use by another process; stop that process or set DATABASE_SCHEMA to another name.',
    ]);
  });
});

describe("an indexer that lacks a node", () => {
  const LACKS_NODE = NodeAwayError.exitCode;
  const REPLICA = `process.on("SIGINT", () => {}); process.on("message", ({ stop }) => { note("stop " + stop); process.exit(0); }); setInterval(() => {}, 1000); note("serves");`;
  const indexer = (codes: number[]): string =>
    `${COUNT} note("indexes"); process.exit(${JSON.stringify(codes)}[starts - 1]);`;
  const withoutStart = COUNT.replace('note("start");', "");

  it("leaves the port to a replica until the nodes answer, and is then started at once", async () => {
    let answer = (): void => undefined;
    const nodes = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { supervisor, pauses, lines } = supervise(indexer([LACKS_NODE, 0]), {
      replica: { args: ["--eval", `${withoutStart} ${REPLICA}`], untilNodesAnswer: () => nodes },
    });
    const running = supervisor.run();
    await untilNoted("serves");
    answer();

    expect(await running).toBe(0);
    expect(notes()).toEqual(["start", "indexes", "serves", "stop at once", "start", "indexes"]);
    expect(pauses).toEqual([]);
    expect(lines).toEqual([
      "Serving what is indexed, without indexing, until the indexer can go on.",
      "Each chain has a node again; starting the indexer.",
    ]);
  });

  it("whose node is behind what the index has finalized is tried a minute later at the soonest, since a try serves nothing", async () => {
    const behind = 'MigrationError: Finalized block for chain "31337" cannot move backwards';
    const { supervisor, pauses, lines } = supervise(
      `${COUNT} note("indexes"); if (starts === 1) { console.log(${JSON.stringify(behind)}); process.exit(1); }`,
      {
        replica: { args: ["--eval", `${withoutStart} ${REPLICA}`], untilNodesAnswer: async () => {} },
        pause: async (ms) => {
          pauses.push(ms);
          await untilNoted("serves");
        },
      },
    );

    expect(await supervisor.run()).toBe(0);
    expect(pauses).toEqual([60_000]);
    expect(notes()).toEqual(["start", "indexes", "serves", "stop at once", "start", "indexes"]);
    expect(lines[0]).toMatch(/^The node of chain 31337 .* is behind the blocks/);
  });

  it.each([0, 1, 75])("is started again when the replica ends by itself with %i", async (code) => {
    const { supervisor, pauses } = supervise(indexer([LACKS_NODE, LACKS_NODE, 0]), {
      replica: {
        args: ["--eval", `${withoutStart} note("serves"); process.exit(${code});`],
        untilNodesAnswer: (ended) =>
          new Promise((resolve) => ended.addEventListener("abort", () => resolve())),
      },
    });

    expect(await supervisor.run()).toBe(0);
    expect(notes().filter((note) => note !== "start")).toEqual([
      "indexes",
      "serves",
      "indexes",
      "serves",
      "indexes",
    ]);
    expect(pauses).toEqual([250, 500]);
  });

  it.each([
    [9_999, [250, 500]],
    // It has served: what ended it is no reason to serve nothing for longer.
    [10_000, []],
    [10_001, []],
  ])(
    "whose replica lives %i ms waits %j, however long the indexer took to give up",
    async (lifeMs, waited) => {
      let time = 0;
      const { supervisor, pauses } = supervise(indexer([LACKS_NODE, LACKS_NODE, 0]), {
        // The indexer's start, the replica's, and the end of that.
        now: () => {
          const round = Math.floor(time / 3);
          const at = [0, 20_000, 20_000 + lifeMs][time++ % 3] ?? 0;
          return round * 100_000 + at;
        },
        replica: {
          args: ["--eval", `${withoutStart} note("serves");`],
          untilNodesAnswer: (ended) =>
            new Promise((resolve) => ended.addEventListener("abort", () => resolve())),
        },
      });

      expect(await supervisor.run()).toBe(0);
      expect(pauses).toEqual(waited);
    },
  );

  it("leaves its replica as it is when PostgreSQL restarts, and goes on watching it", async () => {
    let startTime = "monday";
    let answer = (): void => undefined;
    let asked = 0;
    const nodes = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { supervisor, lines } = supervise(indexer([LACKS_NODE, 0]), {
      probe: async () => {
        asked++;
        return startTime;
      },
      replica: { args: ["--eval", `${withoutStart} ${REPLICA}`], untilNodesAnswer: () => nodes },
    });
    const running = supervisor.run();
    await untilNoted("serves");
    for (const day of ["tuesday", "wednesday"]) {
      startTime = day;
      const before = asked;
      await until(() => asked > before + 2);
    }
    answer();

    expect(await running).toBe(0);
    expect(notes().filter((note) => note === "serves")).toHaveLength(1);
    expect(lines).toHaveLength(2);
  });

  it("is started again when nobody can look for its nodes", async () => {
    const { supervisor, lines } = supervise(indexer([LACKS_NODE, 0]), {
      replica: {
        args: ["--eval", `${withoutStart} ${REPLICA}`],
        untilNodesAnswer: async () => {
          await untilNoted("serves");
          throw new Error("no such module");
        },
      },
    });

    expect(await supervisor.run()).toBe(0);
    expect(lines.at(-1)).toBe("The nodes can't be watched (no such module); starting the indexer.");
  });

  it("stops with its replica, which drains", async () => {
    const { supervisor, lines } = supervise(indexer([LACKS_NODE]), {
      replica: {
        args: [
          "--eval",
          `${withoutStart} process.on("SIGINT", () => { note("drains"); process.exit(0); }); setInterval(() => {}, 1000); note("serves");`,
        ],
        untilNodesAnswer: (ended) =>
          new Promise((resolve) => ended.addEventListener("abort", () => resolve())),
      },
    });
    const running = supervisor.run();
    await untilNoted("serves");

    supervisor.stop();

    expect(await running).toBe(0);
    expect(notes()).toEqual(["start", "indexes", "serves", "drains"]);
    expect(lines).toHaveLength(1);
  });

  it("without a replica is only started again, with delays", async () => {
    const { supervisor, pauses } = supervise(endings([LACKS_NODE, LACKS_NODE, 0]));

    expect(await supervisor.run()).toBe(0);
    expect(pauses).toEqual([250, 500]);
  });
});

describe("stopping", () => {
  it("passes SIGTERM on as SIGINT, a second one too, and ends with the child's code", async () => {
    const stopped = await superviseElsewhere(
      `${COUNT} process.on("SIGINT", () => note("SIGINT")); process.on("SIGTERM", () => note("SIGTERM"));
       process.on("message", ({ stop }) => setTimeout(() => { note("stop " + stop); process.exit(7); }, 300));
       setInterval(() => {}, 1000); note("ready");`,
    );
    const exited = once(stopped, "exit");
    await untilNoted("ready");

    stopped.kill("SIGTERM");
    await untilNoted("SIGINT");
    await sleep(2 * SAME_SIGNAL_MS);
    stopped.kill("SIGTERM");
    const [code] = await exited;

    expect(code).toBe(7);
    expect(notes()).toEqual(["start", "ready", "SIGINT", "SIGINT", "stop at once"]);
  });

  it("ends its wait at a second signal, although the clock was set back between the two", async () => {
    const { now } = Date;
    let setBackMs = 0;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - setBackMs);
    onTestFinished(() => clock.mockRestore());
    const { supervisor } = supervise(
      `${COUNT} process.on("SIGINT", () => {}); process.on("message", () => process.exit(7)); note("ready");`,
      { drainMs: 20_000 },
    );
    const ended = supervisor.run();
    await untilNoted("ready");

    supervisor.stop();
    setBackMs = 3_600_000;
    await sleep(2 * SAME_SIGNAL_MS);
    supervisor.stop();

    expect(await ended).toBe(7);
  });

  it("stops its child at once when the process that started it is gone", async () => {
    const stopped = await superviseElsewhere(
      `${COUNT} process.on("SIGINT", () => {}); process.on("message", ({ stop }) => { note("stop " + stop); process.exit(0); });
       setInterval(() => {}, 1000); note("ready");`,
      ["ignore", "inherit", "inherit", "ipc"],
    );
    const exited = once(stopped, "exit");
    await untilNoted("ready");

    stopped.disconnect();
    await exited;

    expect(notes()).toEqual(["start", "ready", "stop at once"]);
  });

  it("takes a Ctrl-C that comes twice, from the terminal and from npm, for one", async () => {
    let time = 0;
    const { supervisor } = supervise(
      `${COUNT} process.on("SIGINT", () => { note("SIGINT"); setTimeout(() => process.exit(0), 500); });
       process.on("message", () => note("at once")); setInterval(() => {}, 1000); note("ready");`,
      { now: () => time },
    );
    const running = supervisor.run();
    await untilNoted("ready");

    supervisor.stop();
    await untilNoted("SIGINT");
    time += SAME_SIGNAL_MS - 1;
    supervisor.stop();

    expect(await running).toBe(0);
    expect(notes()).toEqual(["start", "ready", "SIGINT"]);
  });

  it("kills a child that does not end", async () => {
    const { supervisor } = supervise(
      `${COUNT} process.on("SIGINT", () => note("SIGINT")); setInterval(() => {}, 1000); note("ready");`,
      { killAfterMs: 1_000 },
    );
    const running = supervisor.run();
    await untilNoted("ready");

    supervisor.stop();

    expect(await running).toBe(128 + 9);
    expect(notes()).toEqual(["start", "ready", "SIGINT"]);
  });

  it("kills a child that drains only after the time to drain", async () => {
    const { supervisor } = supervise(
      `${COUNT} process.on("SIGINT", () => setTimeout(() => process.exit(0), 1_500)); setInterval(() => {}, 1000); note("ready");`,
      { killAfterMs: 100, drainMs: 30_000 },
    );
    const running = supervisor.run();
    await untilNoted("ready");

    supervisor.stop();

    expect(await running).toBe(0);
  });

  it("ends the wait for the next start", async () => {
    const { supervisor, lines } = supervise(endings([75]), { pause: undefined });
    const running = supervisor.run();
    await until(() => lines.length === 1);

    supervisor.stop();

    expect(await running).toBe(0);
    expect(starts()).toBe(1);
  });
});

describe("a restart of PostgreSQL", () => {
  const untilInterrupted = `process.on("SIGINT", () => process.exit(0)); setInterval(() => {}, 1000);`;

  it("restarts the child once, in order and without a delay", async () => {
    let startTime = "monday";
    let asked = 0;
    const { supervisor, pauses, lines } = supervise(`${COUNT} ${untilInterrupted} note("ready");`, {
      probe: async () => {
        asked += 1;
        return startTime;
      },
    });
    const running = supervisor.run();
    await untilNoted("ready");
    await until(() => asked > 1);

    startTime = "tuesday";
    await until(() => notes().filter((note) => note === "ready").length === 2);
    const askedThen = asked;
    await until(() => asked > askedThen + 5);
    supervisor.stop();
    await running;

    expect(starts()).toBe(2);
    expect(pauses).toEqual([]);
    expect(lines).toEqual([
      "PostgreSQL has restarted; restarting Ponder, which takes up again what the crash may have cost.",
    ]);
  });

  it("is not seen in an outage alone", async () => {
    const answers = ["monday", undefined, undefined, "monday", "monday"];
    let asked = 0;
    const { supervisor, lines } = supervise(`${COUNT} ${untilInterrupted} note("ready");`, {
      probe: async () => answers[Math.min(asked++, answers.length - 1)],
    });
    const running = supervisor.run();

    await untilNoted("ready");
    await until(() => asked > answers.length + 2);
    supervisor.stop();
    await running;

    expect(starts()).toBe(1);
    expect(lines).toEqual([]);
  });
});

describe("a child that asks for a restart", () => {
  it("is asked to stop at once; an operator's signal leaves it the time to drain", async () => {
    const { supervisor } = supervise(
      `${COUNT} process.on("message", ({ stop }) => { note("stop " + stop); process.exit(0); });
       process.on("SIGINT", () => setTimeout(() => { note("drained"); process.exit(0); }, starts === 1 ? 60_000 : 500));
       if (starts === 1) process.send({ restart: "the index stands still" }); else note("ready");`,
    );
    const running = supervisor.run();
    await untilNoted("ready");

    supervisor.stop();

    expect(await running).toBe(0);
    expect(notes()).toEqual(["start", "stop at once", "start", "ready", "drained"]);
  });

  it("is stopped in order and started again at once, with its reason said", async () => {
    const { supervisor, lines, pauses } = supervise(
      `${COUNT} if (starts === 1) { process.on("SIGINT", () => process.exit(0)); setInterval(() => {}, 1000); process.send({ restart: "the index stands still" }); }`,
    );

    expect(await supervisor.run()).toBe(0);
    expect(starts()).toBe(2);
    expect(lines).toEqual(["the index stands still"]);
    expect(pauses).toEqual([]);
  });
});

describe("in development", () => {
  it("a failed child waits for the next change", async () => {
    const { supervisor, lines } = supervise(endings([1, 0]), { isDevelopment: true });
    const running = supervisor.run();
    await until(() => lines.length === 1);

    supervisor.restart("src/api/index.ts has changed; restarting Ponder.");

    expect(await running).toBe(0);
    expect(lines).toEqual([
      "Ponder ended with exit code 1; starting it again after the next change.",
      "src/api/index.ts has changed; restarting Ponder.",
    ]);
  });

  it("a failed child waits for the next change, even once it has run", async () => {
    const lives = [0, 20_000];
    const { supervisor, lines } = supervise(endings([75, 1, 0]), {
      isDevelopment: true,
      now: () => lives.shift() ?? 20_000,
    });
    const running = supervisor.run();
    await until(() => lines.length === 2);

    supervisor.restart("src/api/index.ts has changed; restarting Ponder.");

    expect(await running).toBe(0);
    expect(lines[1]).toBe("Ponder ended with exit code 1; starting it again after the next change.");
  });

  it("another code's index is left for the next schema name", async () => {
    const { supervisor, lines } = supervise(
      `${COUNT} note(process.env.DATABASE_SCHEMA); if (starts === 1) { console.log(${JSON.stringify(OTHER_INDEX)}); process.exit(1); }`,
      { isDevelopment: true },
    );

    expect(await supervisor.run()).toBe(0);
    expect(notes()).toEqual(["start", "vitrine_chain", "start", "vitrine_chain_2"]);
    expect(lines).toEqual([
      'Schema "vitrine_chain" holds an index built by other code; building one in "vitrine_chain_2".',
    ]);
  });

  it("another chain's index is left for the next schema name, as when the development chain was started anew", async () => {
    const { supervisor, lines } = supervise(
      `${COUNT} note(process.env.DATABASE_SCHEMA); if (starts === 1) { console.error(${JSON.stringify(OTHER_CHAIN)}); process.exit(1); }`,
      { isDevelopment: true },
    );

    expect(await supervisor.run()).toBe(0);
    expect(notes()).toEqual(["start", "vitrine_chain", "start", "vitrine_chain_2"]);
    expect(lines).toEqual([
      'Schema "vitrine_chain" holds an index of another chain; building one in "vitrine_chain_2".',
    ]);
  });

  it("a rebuild restarts the child on the next schema name", async () => {
    const { supervisor, lines } = supervise(
      `${COUNT} note(process.env.DATABASE_SCHEMA); if (starts === 1) setInterval(() => {}, 1000);`,
      { isDevelopment: true },
    );
    const running = supervisor.run();
    await untilNoted("vitrine_chain");

    supervisor.rebuild("ponder.schema.ts shapes the index, which must be rebuilt");

    expect(await running).toBe(0);
    expect(notes()).toEqual(["start", "vitrine_chain", "start", "vitrine_chain_2"]);
    expect(lines).toEqual([
      'ponder.schema.ts shapes the index, which must be rebuilt; building a new index in schema "vitrine_chain_2".',
    ]);
  });
});

it.each([
  ["vitrine_chain", "vitrine_chain_2"],
  ["vitrine_chain_2", "vitrine_chain_3"],
  ["vitrine_chain_9", "vitrine_chain_10"],
  ["x".repeat(45), `${"x".repeat(43)}_2`],
  ["vitrine_20261201120000", "vitrine_20261201120001"],
  ["vitrine_999999999999999", "vitrine_1000000000000000"],
  ["vitrine_1000000000000000", "vitrine_1000000000000000_2"],
  ["vitrine_20261201120000124", "vitrine_20261201120000124_2"],
  [`vitrine_${"1".repeat(37)}`, `vitrine_${"1".repeat(35)}_2`],
])("the schema name after %s is %s", (name, next) => {
  expect(nextSchema(name)).toBe(next);
});

/** Starts every child script: `starts` counts the children so far, including this one, and `note` writes a line. */
const COUNT = `
  const fs = require("node:fs");
  const note = (text) => fs.appendFileSync(process.env.JOURNAL, text + "\\n");
  note("start");
  const starts = fs.readFileSync(process.env.JOURNAL, "utf8").split("\\n").filter((line) => line === "start").length;
`;

const endings = (codes: number[]): string => `${COUNT} process.exit(${JSON.stringify(codes)}[starts - 1]);`;

const says = (stream: string, text: string): string =>
  `${COUNT} process.${stream}.write(${JSON.stringify(text)}); process.exitCode = 1;`;

function supervise(script: string, options: Partial<SupervisorOptions> = {}) {
  const pauses: number[] = [];
  const lines: string[] = [];
  const supervisor = createSupervisor({
    command: process.execPath,
    args: ["--eval", script],
    env: { ...process.env, JOURNAL: journal, DATABASE_SCHEMA: "vitrine_chain" },
    probe: async () => "monday",
    probeEveryMs: 20,
    onLine: (line) => lines.push(line),
    pause: async (ms) => {
      pauses.push(ms);
    },
    ...options,
  });
  return { supervisor, pauses, lines };
}

/** The supervisor in a separate process, to which a test can send signals. */
async function superviseElsewhere(
  script: string,
  stdio: StdioOptions = ["ignore", "inherit", "inherit"],
  args: readonly string[] = [],
) {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const supervising = `
    import { createSupervisor } from ${JSON.stringify(new URL("../../bin/supervisor.ts", import.meta.url).href)};
    const supervisor = createSupervisor({
      command: process.execPath,
      args: ["--eval", ${JSON.stringify(script)}],
      env: process.env,
      probe: async () => "monday",
    });
    process.exit(await supervisor.run());
  `;
  return spawn(
    process.execPath,
    ["--import", tsx, "--input-type=module", "--eval", supervising, "--", ...args],
    {
      stdio,
      env: { ...process.env, JOURNAL: journal },
    },
  );
}

const notes = (): string[] => readFileSync(journal, "utf8").split("\n").filter(Boolean);

const starts = (): number => notes().filter((note) => note === "start").length;

const untilNoted = (note: string): Promise<void> => until(() => notes().includes(note));

async function until(holds: () => boolean): Promise<void> {
  for (const start = Date.now(); !holds(); await sleep(20)) {
    if (Date.now() - start > 30_000) throw new Error("what the test waits for did not happen");
  }
}
