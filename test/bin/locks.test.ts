import { Command } from "commander";
import { afterEach, expect, it } from "vitest";
import { addLockCommands } from "../../bin/vitrine/locks.ts";

afterEach(() => {
  process.exitCode = undefined;
});

const DRIFT = {
  token_id: "7",
  standard: "erc721x",
  indexed: { lock_count: "0", locked: false },
  on_chain: { lock_count: "1", locked: true },
  likely_cause: "missed",
  explanation: "an event is missing",
};

interface Compared {
  readonly checked: number;
  readonly unreadable: number;
  readonly drift: readonly object[];
}

/** Runs `npx vitrine locks reconcile` over an answer of the service, or one per collection. */
async function reconcile(...answers: readonly (Compared | Error)[]) {
  const printed: string[] = [];
  let asked = 0;
  const program = new Command("vitrine").exitOverride();
  const compared = [{ function: "lockCount", standards: ["erc721x"] }];
  const page = {
    collection: "1:0xab",
    block: 5,
    compared_with: compared,
    next_after: null,
    next_collection: null,
  };
  addLockCommands(program, {
    connect: () => ({
      open: () => Promise.reject(new Error("not of this command")),
      call: async <Answer>() => {
        const answer = answers[asked++];
        if (answer instanceof Error) throw answer;
        const next = asked < answers.length ? { next_collection: `1:0x${asked}` } : {};
        return { ...page, ...answer, ...next } as Answer;
      },
    }),
    print: (_result, lines) => void printed.push(...lines),
    progress: () => undefined,
  });
  const failure = await program.parseAsync(["locks", "reconcile"], { from: "user" }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { printed: printed.at(-1), failure, exitCode: process.exitCode };
}

it.each([
  [{ checked: 9, unreadable: 0, drift: [] }, "9 tokens compared with lockCount: all agree", false, undefined],
  [
    { checked: 8, unreadable: 1, drift: [] },
    "8 tokens compared with lockCount, 1 without an answer: all others agree",
    true,
    undefined,
  ],
  [
    { checked: 0, unreadable: 9, drift: [] },
    "0 tokens compared with lockCount, 9 without an answer: not determined",
    true,
    undefined,
  ],
  [
    { checked: 8, unreadable: 1, drift: [DRIFT] },
    "8 tokens compared with lockCount, 1 without an answer: 1 differ",
    false,
    2,
  ],
])("locks agree only if every token was compared: %o", async (answer, line, isUndetermined, exitCode) => {
  const ended = await reconcile(answer);

  expect(ended.printed).toBe(`1:0xab  ${line}`);
  expect(ended.failure !== undefined).toBe(isUndetermined);
  expect(ended.exitCode).toBe(exitCode);
});

it("prints what was compared before a later collection failed, and names that one", async () => {
  const ended = await reconcile({ checked: 8, unreadable: 0, drift: [DRIFT] }, new Error("no answer"));

  expect(ended.printed).toBe("1:0xab  8 tokens compared with lockCount: 1 differ");
  expect(ended.failure).toBe("not compared: 1:0x1 and what follows: no answer");
});
