/** Names that strangers chose are resolved by themselves: slow ones hold up neither each other nor the system's resolver. */

import { type LookupAddress, lookup } from "node:dns";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createForeignLookup } from "../../../src/api/fetch/foreign-names.ts";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { eventually } from "../../support/eventually.ts";
import { type DnsAnswer, type DnsServer, startDnsServer } from "../../support/servers/dns-server.ts";

const V4 = [45, 33, 32, 10];
const V6 = [0x26, 0, 0x3c, 0, ...Array(11).fill(0), 1];

// By the first label of the name.
const zone: Readonly<Record<string, { readonly 4?: DnsAnswer; readonly 6?: DnsAnswer }>> = {
  both: { 4: [V4, [45, 33, 32, 11]], 6: [V6] },
  four: { 4: [V4] },
  six: { 6: [V6] },
  half: { 4: [V4], 6: "silent" },
  other: { 4: "failure", 6: [V6] },
  slow: { 4: "silent", 6: "silent" },
  none: { 4: "no such name", 6: "no such name" },
  empty: {},
  broken: { 4: "failure", 6: "failure" },
};

let dns: DnsServer;
let resolve: (name: string) => Promise<LookupAddress[]>;
beforeAll(async () => {
  dns = await startDnsServer((name, family) => zone[name.split(".")[0] ?? ""]?.[family] ?? []);
  const foreign = createForeignLookup([dns.server]);
  resolve = (name) =>
    new Promise((done, fail) => {
      foreign(name, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses)));
    });
});
afterAll(() => dns.close());

describe("a name", () => {
  const [four, six] = [
    { address: "45.33.32.10", family: 4 },
    { address: "2600:3c00::1", family: 6 },
  ];
  it.each([
    ["both", [four, { address: "45.33.32.11", family: 4 }, six]],
    ["four", [four]],
    ["six", [six]],
    ["half", [four]],
    ["other", [six]],
  ])(
    "%s has its addresses, IPv4 first, and needs no answer about the other family",
    async (name, addresses) => {
      // On a busy machine, the second family's answer may come too late.
      const found = await eventually(
        () => resolve(`${name}.test`),
        ({ length }) => length >= addresses.length,
      );

      expect(found).toEqual(addresses);
    },
  );

  it.each([
    ["none", "ENOTFOUND"],
    ["empty", "ENOTFOUND"],
    ["broken", "EAI_AGAIN"],
    ["slow", "EAI_AGAIN"],
  ])("%s ends with %s, as with the system's resolver", async (name, code) => {
    await expect(resolve(`${name}.test`)).rejects.toMatchObject({ code });
  });
});

it("has its IPv4 addresses on a machine without IPv6, though the first question about them was lost", async () => {
  const lossy = await startDnsServer((name, family) => {
    if (family === 6) return [V6];
    return lossy.questions.filter((question) => question === `${name} 4`).length > 1 ? [V4] : "silent";
  });
  onTestFinished(() => lossy.close());
  const lookUp = promisify(createForeignLookup([lossy.server], () => false));

  expect(await lookUp("lost.test", { all: true })).toContainEqual({ address: "45.33.32.10", family: 4 });
});

it.each([
  ["none", "the host can't be reached (ENOTFOUND)"],
  ["empty", "the host can't be reached (ENOTFOUND)"],
  ["broken", "the host can't be reached (EAI_AGAIN)"],
  ["slow", "the host can't be reached (EAI_AGAIN)"],
])("%s fails a fetch, which may be tried again: %s", async (name, message) => {
  const fetch = createGuardedFetch(new Set(), "test", { lookup: createForeignLookup([dns.server]) });

  expect(
    await fetch(`http://${name}.test/`, { bytesMax: 1, timeoutMs: 20_000, accept: "*/*" }),
  ).toMatchObject({ kind: "failed", reason: "unreachable", transient: true, message });
});

it("that no server answers for holds up no other name, and not the system's resolver", async () => {
  const ended: string[] = [];
  const note = (what: string) => () => void ended.push(what);
  const slow = Array.from({ length: 50 }, (_, nth) => resolve(`slow.${nth}.test`).catch(note("slow")));

  await Promise.all([
    resolve("both.test").then(note("other")),
    promisify(lookup)("localhost").then(note("system")),
  ]);

  expect(ended.toSorted()).toEqual(["other", "system"]);
  await Promise.all(slow);
  expect(ended).toHaveLength(52);
});
