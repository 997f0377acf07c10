import { Command } from "commander";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { AdminError, createAdminClient } from "../../bin/admin-client.ts";
import {
  describeRefresh as describeProgress,
  followRefresh,
  type Progress,
} from "../../bin/vitrine/follow-refresh.ts";
import { addRefreshCommand } from "../../bin/vitrine/refresh.ts";
import { createStatusLine } from "../../bin/vitrine/status-line.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { createTestApp, FAR_CHAIN_ID } from "../support/processes/app.ts";
import { createWorkerSetup } from "../support/processes/worker.ts";
import { COLLECTION, emptyTables, failed, found } from "../support/refresh/refresh.ts";
import { createTriggerSetup } from "../support/refresh/triggers.ts";
import { startLocalServer } from "../support/servers/local-server.ts";
import { OPERATOR_TOKEN } from "../support/service-key.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const setup = createWorkerSetup(test);
const NAME = `31337:${COLLECTION}`;

const service = await startLocalServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await api.app.request(request.url ?? "/", {
    method: request.method ?? "GET",
    headers: request.headers as Record<string, string>,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});
afterAll(() => service.close());

beforeEach(async () => {
  await emptyTables(test.database);
  for (const id of ["1", "2"]) api.existing.add(id);
});

/** Runs `npx vitrine refresh` in this process and returns its output and exit code. */
async function refresh(...args: readonly string[]) {
  const out: { result: unknown; lines: readonly string[]; said: string[]; code: unknown } = {
    result: undefined,
    lines: [],
    said: [],
    code: 0,
  };
  const program = new Command("vitrine").exitOverride();
  addRefreshCommand(program, {
    connect: () => createAdminClient({ BASE_URL: service.url, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN }),
    print: (result, lines) => Object.assign(out, { result, lines }),
    progress: (text) => out.said.push(text),
  });
  try {
    await program.parseAsync(["refresh", ...args], { from: "user" });
    out.code = process.exitCode ?? 0;
  } finally {
    process.exitCode = undefined;
  }
  return out;
}

/** A worker that polls continuously, as if notified all the time. */
function startWorker(script: Parameters<typeof setup.start>[0]) {
  const { worker } = setup.start(script);
  const timer = setInterval(() => worker.wake(), 50);
  onTestFinished(() => clearInterval(timer));
}
const document = { name: "Hero", image: "https://img.example/1.png" };

describe("npx vitrine refresh", () => {
  it("waits for its tokens and prints what became of them: 0 when all were read", async () => {
    startWorker(() => found(document));

    const { lines, result, code } = await refresh(COLLECTION, "1", "2");

    expect(lines).toEqual([expect.stringMatching(new RegExp(`^${NAME}  refresh [0-9a-f-]{36}: 2 updated$`))]);
    expect(result).toMatchObject({ done: true, tokens: { updated: 2 } });
    expect(code).toBe(0);
  });

  it("lists failures by reason and exits with 2", async () => {
    await setup.knowTokens("1", "2", "3");
    startWorker(({ tokenId }) =>
      tokenId === "9" ? failed("token_reverted") : tokenId === "1" ? found(document) : failed("invalid_json"),
    );

    const { lines, code } = await refresh(NAME, "1", "2", "3", "9");

    expect(lines).toEqual([
      "failed 2  token 2  invalid_json: so it was",
      expect.stringMatching(/: 1 updated, 2 failed, 1 not found$/),
    ]);
    expect(code).toBe(2);
  });

  it("goes through a whole collection without ids", async () => {
    await setup.knowTokens("1", "2", "3");
    const sweeps = createTriggerSetup(test).sweeps();
    const timer = setInterval(() => void sweeps.advance(), 50);
    onTestFinished(() => clearInterval(timer));
    startWorker(() => found(document));

    const { lines, result, code } = await refresh(COLLECTION);

    expect(lines).toEqual([expect.stringMatching(/: 3 updated$/)]);
    expect(result).toMatchObject({ sweep: { asked: 3, known: 3 } });
    expect(code).toBe(0);
  });

  it("leaves it to the service with --detach, on the chain and with the acceptance that were asked for", async () => {
    const { lines, result } = await refresh(
      COLLECTION,
      "1",
      "--detach",
      "--accept",
      "--chain",
      String(FAR_CHAIN_ID),
    );

    expect(result).toMatchObject({ collection: `${FAR_CHAIN_ID}:${COLLECTION}`, token_count: 1 });
    expect(lines).toEqual([(result as { refresh_id: string }).refresh_id]);
    expect(await test.database.query("select chain_id::int as chain, accept from vitrine.refresh")).toEqual([
      { chain: FAR_CHAIN_ID, accept: true },
    ]);
  });

  it("is left to the service by Ctrl-C, and says so", async () => {
    const others = process.listeners("SIGINT");
    const running = refresh(COLLECTION, "1");
    const added = await expect
      .poll(async () => (await test.database.query("select from vitrine.receipt")).length)
      .toBe(1)
      .then(() => process.listeners("SIGINT").filter((listener) => !others.includes(listener)));
    for (const listener of added) listener("SIGINT");

    const { said, lines, code } = await running;

    expect(said).toEqual([
      expect.stringMatching(
        /^the service continues in the background; GET \/admin\/refreshes\/[0-9a-f-]{36} shows/,
      ),
    ]);
    expect([lines, code]).toEqual([[], 130]);
    expect(process.listeners("SIGINT")).toEqual(others);
  });

  it.each([
    [["0x12", "1"], /collection_address: "0x12" is neither an address \(0x and 40 hex digits\) nor a slug/],
    [[COLLECTION, "1", "x"], /token_ids\[1\]: "x" is not a token id/],
    [[NAME, "--chain", "7"], /--chain is 7 and the collection is on 31337/],
    [[COLLECTION, "--chain", "x"], /must be a whole number from 1 to 999999999999999\./],
  ])("says what is wrong with %j", async (args, message) => {
    await expect(refresh(...args)).rejects.toThrow(message);
  });
});

const progress = (over: Partial<Progress> = {}): Progress => ({
  refresh_id: "1",
  collection: NAME,
  created_at: "2026-01-01T00:00:00.000Z",
  done: false,
  tokens: { waiting: 5, updated: 3, unchanged: 1, failed: 1, not_found: 0 },
  failures: [],
  sweep: null,
  ...over,
});

describe("following a refresh", () => {
  it("goes on while the service is away for a moment, and gives up when it stays away", async () => {
    const answers = [
      () => progress(),
      () => Promise.reject(new Error("nothing answers.")),
      () => progress({ done: true }),
    ];
    const said: string[] = [];
    const deps = {
      onText: (text: string) => said.push(text),
      signal: new AbortController().signal,
      pollMs: 1,
    };

    const end = await followRefresh({ ...deps, read: async () => answers.shift()?.() as Promise<Progress> });

    expect(end?.done).toBe(true);
    expect(said).toEqual([expect.stringContaining("5 of 10"), "nothing answers. Trying again"]);
    const away = { ...deps, read: () => Promise.reject(new Error("nothing answers.")), awayMs: 5 };
    await expect(followRefresh(away)).rejects.toThrow("nothing answers.");
  });

  it("ends at once where the service refuses", async () => {
    const read = () => Promise.reject(new AdminError(404, "Not found"));
    const deps = { read, onText: () => undefined, signal: new AbortController().signal };

    await expect(followRefresh(deps)).rejects.toThrow("Not found");
  });

  it("draws a bar once it is known how many tokens there are", () => {
    expect(describeProgress(progress())).toBe(
      "[############............] 50% 5 of 10, 1 failed or not found, 5 waiting",
    );
    const sweep = { asked: 10, known: 40, counted: true, finished: false };
    expect(describeProgress(progress({ sweep }))).toBe(
      "[###.....................] 12% 5 of 40, 1 failed or not found, 10 asked for, 5 waiting",
    );
    const none = { waiting: 0, updated: 0, unchanged: 0, failed: 0, not_found: 0 };
    const unstarted = progress({
      tokens: none,
      sweep: { asked: 0, known: 0, counted: false, finished: false },
    });
    expect(describeProgress(unstarted)).toBe("waiting to start");
    expect(describeProgress(progress({ sweep: { ...sweep, counted: false } }))).toBe(
      "5 of 40 or more, 1 failed or not found, 10 asked for, 5 waiting",
    );
  });

  it("is one line on a terminal, cut to its width, and elsewhere a line every five seconds", () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const terminal = createStatusLine({ isTTY: true, columns: 10, write });
    for (const text of ["one", "one", "two and three"]) terminal.show(text);
    terminal.end();
    expect(written.splice(0)).toEqual(["\rone\u001b[K", "\rtwo and t\u001b[K", "\n"]);

    let now = 0;
    const log = createStatusLine({ write }, () => now);
    for (const at of [0, 4_999, 5_000]) {
      now = at;
      log.show(`at ${at}`);
    }
    log.end();
    expect(written).toEqual(["vitrine: at 0\n", "vitrine: at 5000\n"]);
  });
});
