/** The demo's chain: ready when it claims to be, explicit about failures, and gone when it should be. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";

let chain: Chain;
let heroes: Contract;

beforeAll(async () => {
  chain = await startChain();
  heroes = await chain.deploy("VitrineHeroes", ["http://host/"]);
});
afterAll(() => chain.close());

const answers = async (rpcUrl: string): Promise<boolean> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" });
  const headers = { "content-type": "application/json" };
  return fetch(rpcUrl, { method: "POST", headers, body }).then(
    (response) => response.ok,
    () => false,
  );
};

it("throws the contract's own reason when a transaction reverts", async () => {
  await expect(chain.write(heroes, "lockId", [1n])).rejects.toThrow("Token !exist");
});

it("sends many transactions of one account at once without losing any", async () => {
  const before = await chain.blockNumber();

  await Promise.all(
    Array.from({ length: 20 }, (_, id) => chain.write(heroes, "emitMetadataUpdate", [BigInt(id)])),
  );

  expect(await chain.blockNumber()).toBe(before + 20n);
});

it("goes on sending after a transaction was refused", async () => {
  const [refused, sent] = await Promise.allSettled([
    chain.write(heroes, "lockId", [1n]),
    chain.write(heroes, "emitMetadataUpdate", [1n]),
  ]);

  expect([refused.status, sent.status]).toEqual(["rejected", "fulfilled"]);
});

it("returns to a snapshot", async () => {
  const before = await chain.blockNumber();
  const snapshot = await chain.snapshot();
  await chain.mine(5);
  const between = await chain.blockNumber();

  await chain.revert(snapshot);

  expect(between).toBe(before + 5n);
  expect(await chain.blockNumber()).toBe(before);
});

it("mines on a clock when asked to", async () => {
  const clocked = await startChain({ blockTimeSeconds: 1 });
  try {
    const before = await clocked.blockNumber();

    await expect.poll(() => clocked.blockNumber(), { timeout: 10_000 }).toBeGreaterThan(before + 1n);
  } finally {
    await clocked.close();
  }
});

it("stops answering once closed", async () => {
  const other = await startChain();
  const before = await answers(other.rpcUrl);

  await other.close();

  expect([before, await answers(other.rpcUrl)]).toEqual([true, false]);
});

it("names the reason when the node refuses to start", async () => {
  await expect(startChain({ extraArgs: ["--no-such-flag"] })).rejects.toThrow("--no-such-flag");
});

it.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("dies with its parent, ended by %s", async (signal) => {
  const source = `import { startAnvil } from ${JSON.stringify(new URL("../../demo/anvil.ts", import.meta.url).href)};
    startAnvil(["--port=0"]).then(({ rpcUrl }) => { console.log(rpcUrl); setInterval(() => {}, 1000); });`;
  const parent = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [rpcUrl] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
  const before = await answers(rpcUrl.trim());

  parent.kill(signal);
  await once(parent, "exit");
  await sleep(100);

  expect(before).toBe(true);
  await expect.poll(() => answers(rpcUrl.trim()), { timeout: 5_000 }).toBe(false);
});
