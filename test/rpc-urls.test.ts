/** PONDER_RPC_URL_<chainId>, as the service and its commands read it. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { configuredChains, loadIndexConfig, rpcUrlsOf } from "../src/config.ts";

const CHAIN_ID = 2020;

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-rpc-urls-"));
  file = join(folder, "collections.json");
  const address = "0xabcdef0123456789abcdef0123456789abcdef01";
  writeFileSync(file, JSON.stringify([{ chainId: CHAIN_ID, address, startBlock: 0 }]));
});
afterAll(() => rmSync(folder, { recursive: true }));

function outcome(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as Error).message;
  }
}

const serviceReads = (value: string): unknown =>
  outcome(
    () =>
      loadIndexConfig({ COLLECTIONS_FILE: file, [`PONDER_RPC_URL_${CHAIN_ID}`]: value }).chains[0]?.rpcUrls,
  );

it.each([
  ["http://127.0.0.1:8545", ["http://127.0.0.1:8545"]],
  [" https://a.example/key , ,http://b.example,", ["https://a.example/key", "http://b.example"]],
  [" , ", expect.stringMatching(/^PONDER_RPC_URL_2020 must be .*; it lists none\.$/)],
  ["ws://a.example", expect.stringMatching(/; entry 1 is not one\.$/)],
  ["https://a.example,b.example/key", expect.stringMatching(/; entry 2 is not one\.$/)],
  ["https://a.example https://b.example", expect.stringMatching(/; entry 1 is not one\.$/)],
])("%j is read as the service reads it", (value, expected) => {
  const read = outcome(() => rpcUrlsOf(CHAIN_ID, { [`PONDER_RPC_URL_${CHAIN_ID}`]: value }));

  expect(read).toEqual(expected);
  expect(read).toEqual(serviceReads(value));
});

it("an empty variable is not set", () => {
  const environment = { PONDER_RPC_URL_1: "", PONDER_RPC_URL_5: "http://a.example", PONDER_RPC_URL_05: "x" };

  expect(configuredChains(environment)).toEqual([5]);
  expect(rpcUrlsOf(1, environment)).toBeUndefined();
  expect(rpcUrlsOf(2, environment)).toBeUndefined();
});
