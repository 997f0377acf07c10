/** IPFS content is fetched from one gateway after the other until one has it. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type HostAnswer, type ResolveHarness, startResolveHarness } from "./resolve-harness.ts";

const CID = "QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco";
const SOUND = '{"name": "Hero", "image": "https://host.example/1.png"}';

const sound: HostAnswer = (response) => response.end(SOUND);
const status =
  (code: number, headers = {}): HostAnswer =>
  (response) =>
    response.writeHead(code, headers).end();

let harness: ResolveHarness;
beforeAll(async () => {
  harness = await startResolveHarness();
});
beforeEach(() => {
  harness.answers.splice(0, 3, sound, sound, sound);
});
afterAll(() => harness.close());

it("are asked in order, and the first document ends it", async () => {
  const before = harness.asked();
  harness.answers[0] = (response, path) => response.end(path === `/ipfs/${CID}/1.json` ? SOUND : "");

  expect(await harness.resolveUri(`ipfs://${CID}/1.json`)).toMatchObject({
    kind: "document",
    uri: `ipfs://${CID}/1.json`,
  });
  expect(harness.asked()).toEqual([(before[0] ?? 0) + 1, before[1], before[2]]);
});

it.each([500, 429, 404, 403])("give way to the next after a %d", async (code) => {
  harness.answers[0] = status(code);

  expect(await harness.resolveUri(`ipfs://${CID}`)).toMatchObject({ kind: "document" });
});

it("give the content of another gateway that fails", async () => {
  harness.answers[2] = status(410);

  expect(await harness.resolveUri(`${harness.urlOf(2)}/ipfs/${CID}/1.json`)).toMatchObject({
    kind: "document",
  });
});

it.each([
  { first: status(404), second: status(404), transient: false, says: "404" },
  { first: status(404), second: status(503), transient: true, says: "503" },
  { first: status(429, { "retry-after": "9" }), second: status(404), transient: true, says: "429" },
])(
  "leave the question open while one of them could not answer: $says",
  async ({ first, second, transient, says }) => {
    harness.answers.splice(0, 2, first, second);

    expect(await harness.resolveUri(`ipfs://${CID}`)).toMatchObject({
      reason: "http_status",
      transient,
      message: `the host answered ${says}`,
    });
  },
);

it("ends with the caller's signal, whoever still has to be asked", async () => {
  const controller = new AbortController();
  harness.answers[0] = () => controller.abort();

  expect(await harness.resolveUri(`ipfs://${CID}`, "erc721", controller.signal)).toMatchObject({
    kind: "failed",
    transient: true,
  });
});

describe("a gateway that fails three times in a row", () => {
  /** Which of the two gateways each fetch tried, such as `01`: the first, then the second. */
  async function asked(resolver: ReturnType<ResolveHarness["createResolver"]>, signal?: AbortSignal) {
    const order: number[] = [];
    for (const index of [0, 1]) {
      const answer = harness.answers[index];
      harness.answers[index] = (response, path) => {
        order.push(index);
        answer?.(response, path);
      };
    }
    await resolver(`ipfs://${CID}`, signal);
    return order.join("");
  }
  const reset = (first: HostAnswer) => harness.answers.splice(0, 2, first, sound);

  it.each([
    { what: "a status of 503", first: status(503), last: "1" },
    { what: "a broken connection", first: ((response) => response.destroy()) as HostAnswer, last: "1" },
    { what: "a 404", first: status(404), last: "01" },
    {
      what: "a document that is none",
      first: ((response) => response.end("<html>")) as HostAnswer,
      last: "0",
    },
  ])("by $what is then asked in the order $last", async ({ first, last }) => {
    const resolver = harness.createResolver();
    for (let time = 0; time < 3; time++) {
      reset(first);
      await asked(resolver);
    }
    reset(first);

    expect(await asked(resolver)).toBe(last);
  });

  it("is asked all the same when the others can't answer either, and comes back by its answer", async () => {
    const resolver = harness.createResolver();
    for (let time = 0; time < 3; time++) {
      reset(status(503));
      await asked(resolver);
    }
    harness.answers.splice(0, 2, sound, status(503));
    expect(await asked(resolver)).toBe("10");

    reset(sound);
    expect(await asked(resolver)).toBe("0");
  });

  it("is not judged by fetches that were called off", async () => {
    const resolver = harness.createResolver();
    for (let time = 0; time < 3; time++) {
      const controller = new AbortController();
      reset(() => controller.abort());
      await asked(resolver, controller.signal);
    }
    reset(sound);
    // The other one is certainly healthy: it has just answered.
    await resolver(`${harness.urlOf(1)}/ipfs/${CID}`);

    expect(await asked(resolver)).toBe("0");
  });
});

describe("a gateway on a private address", () => {
  it("is asked for content, by either spelling", async () => {
    for (const uri of [`ipfs://${CID}/1.json`, `${harness.urlOf(0)}/ipfs/${CID}/1.json`]) {
      expect(await harness.resolveGuarded(uri)).toMatchObject({ kind: "document" });
    }
  });

  it("is not asked for anything else that a contract names on it", async () => {
    const before = harness.asked();

    for (const path of [
      "/",
      "/ipfs/status",
      `/ipfs/${CID}/..%2f..%2fapi`,
      "/api/v0/shutdown",
      "/ipfs/../api/v0/shutdown",
      "/ipfs/%2e%2e/api",
    ]) {
      expect(await harness.resolveGuarded(`${harness.urlOf(0)}${path}`)).toMatchObject({
        reason: "host_refused",
      });
    }
    expect(harness.asked()).toEqual(before);
  });
});

describe("a gateway on a private address", () => {
  const OTHER = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";

  it.each([
    ["another page of it", "/admin/secrets"],
    ["a page that climbs out of its content", `/ipfs/${CID}/../../admin/secrets`],
    ["a page that climbs out behind an encoded slash", `/ipfs/${CID}/..%2f..%2fadmin`],
    ["a page of another private host", () => `${harness.urlOf(2)}/ipfs/${CID}`],
    ["its own port by another name", () => `${harness.urlOf(0).replace("127.0.0.1", "localhost")}/admin`],
  ])("never leads to %s by a redirect", async (_name, target) => {
    const location = typeof target === "string" ? target : target();
    const secret: HostAnswer = (response, path) =>
      path === `/ipfs/${CID}`
        ? response.writeHead(302, { location }).end()
        : response.end('{"name": "secret", "image": "https://host.example/1.png"}');
    harness.answers.splice(0, 3, secret, secret, secret);
    const before = harness.asked();

    expect(await harness.resolveGuarded(`ipfs://${CID}`)).toMatchObject({ reason: "host_refused" });
    expect(harness.asked()).toEqual([(before[0] ?? 0) + 1, (before[1] ?? 0) + 1, before[2]]);
  });

  it("may redirect to other content of its own", async () => {
    harness.answers[0] = (response, path) =>
      path === `/ipfs/${CID}`
        ? response.writeHead(302, { location: `/ipfs/${OTHER}/1.json` }).end()
        : response.end(SOUND);

    expect(await harness.resolveGuarded(`ipfs://${CID}`)).toMatchObject({ kind: "document" });
  });
});
