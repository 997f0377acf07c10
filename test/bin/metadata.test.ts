import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createAdminClient } from "../../bin/admin-client.ts";
import { addMetadataCommands, describeRenormalise as describeProgress } from "../../bin/vitrine/metadata.ts";
import { NORMALISER } from "../../src/api/metadata/document/normalise.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { createTestApp } from "../support/processes/app.ts";
import { emptyTables, found, recordOne, ref } from "../support/refresh/refresh.ts";
import { startLocalServer } from "../support/servers/local-server.ts";
import { OPERATOR_TOKEN } from "../support/service-key.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const service = await startLocalServer(async (request, response) => {
  const answer = await api.app.request(request.url ?? "/", {
    method: request.method ?? "GET",
    headers: request.headers as Record<string, string>,
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});
afterAll(() => service.close());

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.renormalise");
  for (const tokenId of ["1", "2", "3"])
    await database.transaction((tx) =>
      recordOne(
        api.metadata,
        tx,
        ref(tokenId),
        "rest",
        found({ name: tokenId, image: "https://i.example/1.png" }),
      ),
    );
  await database.query("update vitrine.version set normaliser = $1, metadata = '{}'", [NORMALISER - 1]);
});

/** Runs `npx vitrine metadata renormalise` in this process and returns its output and exit code. */
async function renormalise(...args: readonly string[]) {
  const out: { result: unknown; lines: readonly string[]; said: string[]; code: unknown } = {
    result: undefined,
    lines: [],
    said: [],
    code: 0,
  };
  const program = new Command("vitrine").exitOverride();
  addMetadataCommands(program, {
    connect: () => createAdminClient({ BASE_URL: service.url, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN }),
    print: (result, lines) => Object.assign(out, { result, lines }),
    progress: (text) => out.said.push(text),
  });
  try {
    await program.parseAsync(["metadata", "renormalise", ...args], { from: "user" });
    out.code = process.exitCode ?? 0;
  } finally {
    process.exitCode = undefined;
  }
  return out;
}

/** A process that does the work. */
function startWorker(): void {
  let isOver = false;
  const working = (async () => {
    for (; !isOver; await sleep(20)) await api.renormaliser.advance();
  })();
  onTestFinished(async () => {
    isOver = true;
    await working;
  });
}

/** Asked to start once it is over, the service would start anew: the second question comes after that answer. */
async function renormaliseBefore(work: () => void) {
  const before = service.requests.length;
  const running = renormalise();
  await expect.poll(() => service.requests.length).toBeGreaterThan(before + 1);
  work();
  return running;
}

describe("npx vitrine metadata renormalise", () => {
  it("waits for the end and prints what came of it: 0, documents that are gone included", async () => {
    await database.query(
      "delete from vitrine.document where hash = (select content_hash from vitrine.version where token_id = 3)",
    );
    const { lines, result, code } = await renormaliseBefore(startWorker);

    expect(lines).toEqual([`rules ${NORMALISER}: 3 read again, 2 changed, 1 no longer stored`]);
    expect(result).toMatchObject({ total: 3, done: 3, changed: 2, missing: 1, running: false });
    expect(code).toBe(0);
  });

  it("exits with 2 when some could not be recorded", async () => {
    await database.query(
      "insert into vitrine.renormalise (normaliser, total, done, failed, cursor) values ($1, 1, 1, 1, 1000000)",
      [NORMALISER],
    );

    const { lines, code } = await renormaliseBefore(startWorker);

    expect(lines).toEqual([`rules ${NORMALISER}: 1 read again, 0 changed, 1 failed`]);
    expect(code).toBe(2);
  });

  it("leaves it to the service with --detach", async () => {
    const { lines, result, code } = await renormalise("--detach");

    expect(lines).toEqual(["counting tokens read by older rules"]);
    expect(result).toMatchObject({ normaliser: NORMALISER, total: null, finished_at: null });
    expect(code).toBe(0);
  });

  it("is left to the service by Ctrl-C, and says so", async () => {
    const others = process.listeners("SIGINT");
    const running = renormalise();
    const added = await expect
      .poll(async () => (await database.query("select from vitrine.renormalise")).length)
      .toBe(1)
      .then(() => process.listeners("SIGINT").filter((listener) => !others.includes(listener)));
    for (const listener of added) listener("SIGINT");

    const { said, lines, code } = await running;

    expect(said).toEqual([
      expect.stringMatching(/^the service continues in the background; GET \/admin\/metadata/),
    ]);
    expect([lines, code]).toEqual([[], 130]);
    expect(process.listeners("SIGINT")).toEqual(others);
  });

  it("draws a bar, and says when nobody works at it", () => {
    const progress = {
      normaliser: 2,
      total: 200,
      done: 100,
      changed: 7,
      rejected: 1,
      missing: 2,
      failed: 0,
      running: true,
      started_at: null,
      finished_at: null,
    };

    expect(describeProgress(progress)).toBe(
      "[############............] 50% 100 of 200, 7 changed, 1 rejected, 2 no longer stored",
    );
    expect(
      describeProgress({
        ...progress,
        total: 0,
        done: 0,
        changed: 0,
        rejected: 0,
        missing: 0,
        running: false,
      }),
    ).toBe("[........................] 0% 0 of 0, 0 changed, waiting for a process that fetches");
  });
});
