/** The client's exports over answers that are whole, cut and refused. */

import { afterEach, expect, it } from "vitest";
import { refusal, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;
afterEach(() => service?.close());

/** The text in pieces of a few bytes; `isCut` breaks the connection behind them. */
const rows =
  (text: string, isCut = false): Step =>
  async (_request, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (isCut) response.destroy();
    else response.end();
  };
const line = (id: number): string => `${JSON.stringify({ token_id: String(id), name: "🦄 é" })}\n`;
const HEROES = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

it("yields every row of what was asked for", async () => {
  service = await startScriptedService(rows(line(1) + line(2)), rows('{"owner":"0x1","quantity":"2"}\n'));
  const client = service.client();
  const tokens: unknown[] = [];
  const asked = { after: 0n, fromTokenId: "1", toTokenId: 2n ** 256n - 1n, chainId: 5 };
  for await (const token of client.exportTokens("heroes", asked)) tokens.push(token);
  const owners: unknown[] = [];
  for await (const owner of client.exportOwners(HEROES, { atBlock: 0 })) owners.push(owner);

  expect(tokens).toEqual([1, 2].map((id) => JSON.parse(line(id))));
  expect(owners).toEqual([{ owner: "0x1", quantity: "2" }]);
  const path = "GET /market/collections";
  expect(service.requests).toEqual([
    `${path}/heroes/export?format=ndjson&what=tokens&chain_id=5&after=0&from_token_id=1&to_token_id=${2n ** 256n - 1n}`,
    `${path}/${HEROES}/export?format=ndjson&what=owners&at_block=0`,
  ]);
  expect(service.headers[0]).toMatchObject({ accept: "application/x-ndjson", "x-api-key": "vk_test" });
});

it("throws what a refusal says, and NETWORK for an answer that is cut, after its whole rows", async () => {
  const text = line(1) + line(2);
  service = await startScriptedService(
    rows(text.slice(0, -5), true),
    rows(text.slice(0, -5)),
    refusal(404, "COLLECTION_NOT_FOUND"),
  );
  const client = service.client();
  for (const _ of ["cut", "ended within a row"]) {
    const ids: string[] = [];
    const reading = (async () => {
      for await (const { token_id } of client.exportTokens("heroes")) ids.push(token_id);
    })();
    await expect(reading).rejects.toMatchObject({ code: "NETWORK" });
    expect(ids).toEqual(["1"]);
  }
  await expect(client.exportTokens("villains")[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: "COLLECTION_NOT_FOUND",
  });
});

it.each(["{cut", "null", '"text"'])("throws UNEXPECTED_RESPONSE for the row %s", async (row) => {
  service = await startScriptedService(rows(`${line(1)}${row}\n`));
  const ids: string[] = [];
  const reading = (async () => {
    for await (const { token_id } of service.client().exportTokens("heroes")) ids.push(token_id);
  })();

  await expect(reading).rejects.toMatchObject({
    name: "VitrineError",
    code: "UNEXPECTED_RESPONSE",
    status: 200,
  });
  expect(ids).toEqual(["1"]);
});

it("ends the request when the loop is left, and by its signal", async () => {
  const endless: Step = (_request, response) => {
    response.writeHead(200).write(line(1));
    response.on("close", () => closed.push(true));
  };
  const closed: boolean[] = [];
  service = await startScriptedService(endless, endless);
  const client = service.client();
  for await (const token of client.exportTokens("heroes")) {
    expect(token.token_id).toBe("1");
    break;
  }
  const stop = new AbortController();
  const reading = (async () => {
    for await (const _ of client.exportTokens("heroes", { signal: stop.signal }))
      stop.abort(new Error("enough"));
  })();
  await expect(reading).rejects.toThrow("enough");
  await expect.poll(() => closed.length).toBe(2);
});

it("throws where a proxy's page is answered in its place", async () => {
  const page: Step = (_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end("<p>\nSign in\n</p>\n");
  };
  service = await startScriptedService(page);

  await expect(service.client().exportTokens("heroes")[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    name: "VitrineError",
    code: "UNEXPECTED_RESPONSE",
    status: 200,
  });
});
