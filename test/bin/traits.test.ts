import { Command } from "commander";
import { afterAll, expect, it } from "vitest";
import { createAdminClient } from "../../bin/admin-client.ts";
import { addTraitCommands } from "../../bin/vitrine/traits.ts";
import { createTraitsHarness, number, text } from "../api/metadata/traits-harness.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { createTestApp } from "../support/processes/app.ts";
import { COLLECTION } from "../support/refresh/refresh.ts";
import { startLocalServer } from "../support/servers/local-server.ts";
import { OPERATOR_TOKEN } from "../support/service-key.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const { record } = createTraitsHarness(test);
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

/** Runs `npx vitrine traits` in this process and returns its output. */
async function traits(...args: readonly string[]) {
  const out: { result: unknown; lines: readonly string[] } = { result: undefined, lines: [] };
  const program = new Command("vitrine").exitOverride();
  addTraitCommands(program, {
    connect: () => createAdminClient({ BASE_URL: service.url, VITRINE_OPERATOR_TOKEN: OPERATOR_TOKEN }),
    print: (result, lines) => Object.assign(out, { result, lines }),
    progress: () => undefined,
  });
  await program.parseAsync(["traits", ...args], { from: "user" });
  return out;
}

it("npx vitrine traits lists what waits, approves it, and says why it does not", async () => {
  await record("1", [text("Level Up", "five")]);
  await record("2", [number("Level Up", 5)]);

  const waiting = await traits("pending", "--collection", COLLECTION);
  expect(waiting.lines).toEqual([
    expect.stringMatching(
      new RegExp(`^${NAME}  "Level Up"  known as string  1 token says number  since 2\\d{3}-.*Z$`),
    ),
  ]);
  expect(waiting.result).toMatchObject([{ trait_type: "Level Up", tokens: 1 }]);

  const approved = await traits("approve", COLLECTION, "Level Up", "number");
  expect(approved.lines).toEqual([
    `${NAME}  "Level Up" is known as number now; entries of string are hidden`,
  ]);
  expect((await traits("pending")).result).toMatchObject([{ wanted_display_type: "string", tokens: 1 }]);

  await expect(traits("approve", NAME, "Level Up", "number")).rejects.toThrow(
    'Not found; display_type: "Level Up" is known as number already',
  );
});
