import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { addCollectionCommands } from "../../bin/vitrine/collections.ts";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import { loadIndexConfig } from "../../src/config.ts";
import { deployTestContract } from "../support/chain/test-contracts.ts";
import { startRpcProxy } from "../support/servers/rpc-proxy.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-collections-"));
const file = join(folder, "collections.json");
const WALLET = `0x${"ab".repeat(20)}`;
const BEFORE = `[\n    {"chainId":31337,  "address": "0x00000000000000000000000000000000000000aa", "startBlock": 1}\n]\n`;
const contracts: Record<string, Contract> = {};
let chain: Chain;
let proxy: string;

/** A contract with this code, which a constructor of ten bytes returns. */
async function deployCode(runtime: string): Promise<string> {
  const length = (runtime.length / 2).toString(16).padStart(2, "0");
  const data = `0x3d60${length}80600a3d3981f3${runtime}`;
  const hash = await chain.walletClient.sendTransaction({ data } as never);
  return (await chain.receiptOf(hash)).contractAddress ?? "";
}

beforeAll(async () => {
  chain = await startChain();
  process.env[`PONDER_RPC_URL_${chain.chainId}`] = chain.rpcUrl;
  process.env.COLLECTIONS_FILE = file;
  contracts.heroes = await chain.deploy("VitrineHeroes", ["http://127.0.0.1:9/"]);
  contracts.items = await chain.deploy("VitrineItems", ["http://127.0.0.1:9/{id}"]);
  contracts.soulbound = await deployTestContract(chain, "Soulbound");
  contracts.lockable = await deployTestContract(chain, "Lockable");
  contracts.lockers = await deployTestContract(chain, "LockerHeroes");
  contracts.registry = await chain.deploy("DelegateRegistryV2");
  contracts.silent = await deployTestContract(chain, "SilentHeroes", ["http://127.0.0.1:9/"]);
  const implementation = contracts.soulbound.address.slice(2);
  proxy = await deployCode(`363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3`);
}, 120_000);
afterAll(() => chain.close());
beforeEach(() => writeFileSync(file, BEFORE));

/** Runs `npx vitrine collections add` in this process. */
async function add(...args: readonly string[]) {
  // biome-ignore lint/suspicious/noExplicitAny: results are checked field by field
  const out: { result: any; lines: readonly string[] } = { result: undefined, lines: [] };
  const program = new Command("vitrine").exitOverride().configureOutput({ writeErr: () => undefined });
  addCollectionCommands(program, {
    connect: () => {
      throw new Error("needs no service");
    },
    print: (result, lines) => Object.assign(out, { result, lines }),
    progress: () => undefined,
  });
  await program.parseAsync(["collections", "add", ...args], { from: "user" });
  return out;
}
const of = (name: string): Contract => contracts[name] as Contract;

it("a contract is added with its deployment block and name, and the rest of the file stays as it was", async () => {
  const heroes = of("heroes");
  const { lines, result } = await add(heroes.address, "--slug", "heroes", "--yes");

  expect(result).toMatchObject({
    added: true,
    standard: "erc721",
    locks: expect.arrayContaining(["erc721x"]),
  });
  expect(lines.join("\n")).toMatch(
    /about \d+ logs \(counted\); at the \d+ logs\/s that this endpoint gave and at most 9000 logs\/s .*: about 1 minute,/,
  );
  const text = readFileSync(file, "utf8");
  expect(text.startsWith(BEFORE.trimEnd().slice(0, -2))).toBe(true);
  expect(loadIndexConfig(process.env).collections[1]).toEqual({
    chainId: chain.chainId,
    address: heroes.address.toLowerCase(),
    startBlock: Number(heroes.deployedAtBlock),
    name: result.name,
    slug: "heroes",
  });

  const again = await add(heroes.address.toUpperCase().replace("0X", "0x"), "--yes");
  expect(again.lines[0]).toContain("already; nothing is changed");
  expect(readFileSync(file, "utf8")).toBe(text);
});

it("standards, locks, proxies and what has no events are found", async () => {
  expect((await add(of("items").address, "--dry-run")).result).toMatchObject({ standard: "erc1155" });
  const soulbound = (await add(of("soulbound").address, "--standard", "erc721", "--dry-run")).result;
  expect(soulbound).toMatchObject({ standard: "erc721", locks: ["erc5192"] });
  expect((await add(proxy, "--standard", "erc721", "--dry-run")).result).toMatchObject({
    standard: "erc721",
    locks: ["erc5192"],
    implementation: of("soulbound").address,
  });
  // Both have the same unlock.
  for (const [name, lock] of [
    ["lockable", "erc5753"],
    ["lockers", "erc7066"],
  ] as const) {
    const { result } = await add(of(name).address, "--standard", "erc721", "--dry-run");
    expect(result.locks, name).toEqual([lock]);
  }
  const silent = (await add(of("silent").address, "--dry-run")).result;
  expect(silent.silent[0]).toMatch(/^metadata: /);
  expect(readFileSync(file, "utf8")).toBe(BEFORE);
});

it.each([
  ["ERC-7511", "365f5f375f5f365f73", "5af43d5f5f3e5f3d91602a57fd5bf3"],
  ["Solady", "3d3d3d3d363d3d37363d73", "5af43d3d93803e602a57fd5bf3"],
  ["Solady with PUSH0", "5f5f365f5f37365f73", "5af43d5f5f3e6029573d5ffd5b3d5ff3"],
])("a clone as %s writes it is followed to its implementation", async (_layout, before, after) => {
  const { address } = of("soulbound");
  const clone = await deployCode(before + address.slice(2) + after);

  expect((await add(clone, "--standard", "erc721", "--dry-run")).result).toMatchObject({
    locks: ["erc5192"],
    implementation: address,
    isPartlyUnread: false,
  });
});

it("of a contract that forwards to code that was not found, nothing is said to be absent", async () => {
  // Solady's clone one byte further on, so that its layout is none that is known.
  const forwarding = `5b5f5f365f5f37365f73${of("soulbound").address.slice(2)}5af43d5f5f3e602a573d5ffd5b3d5ff3`;
  const { lines, result } = await add(await deployCode(forwarding), "--standard", "erc721", "--dry-run");

  expect(result).toMatchObject({ implementation: null, isPartlyUnread: true, locks: [], silent: [] });
  expect(lines).toContain("lock standards: unknown");
  expect(lines.join("\n")).toContain("forwards to code that was not found (DELEGATECALL)");
  expect(lines.join("\n")).not.toContain("without events");
});

it("a token's own code is read whole, though it may forward calls to itself as Multicall does", async () => {
  const { lines, result } = await add(of("heroes").address, "--dry-run");

  expect(result).toMatchObject({ implementation: null, isPartlyUnread: false });
  expect(lines.join("\n")).not.toContain("DELEGATECALL");
});

it("bytes of DELEGATECALL in what is pushed or in the compiler's metadata forward nothing", async () => {
  const pushed = await deployCode(`73${"f4".repeat(20)}00`);
  const metadata = await deployCode(`00a1f4f40003`);

  for (const address of [pushed, metadata]) {
    const { lines, result } = await add(address, "--standard", "erc721", "--dry-run");
    expect(result).toMatchObject({ isPartlyUnread: false });
    expect(lines.join("\n")).not.toContain("unknown");
  }
});

it("a wallet, another contract, a malformed address and a used slug are refused, and the file stays", async () => {
  await expect(add(WALLET, "--yes")).rejects.toThrow("has no code on chain");
  await expect(add(of("registry").address, "--yes")).rejects.toThrow("0x80ac58cd");
  await expect(add("0x12", "--yes")).rejects.toThrow('"0x12" is not an address');
  // Before the endpoint, which may take minutes, is asked anything.
  await expect(add(of("heroes").address, "--rpc", "http://127.0.0.1:9")).rejects.toThrow("--yes");
  await expect(add(of("heroes").address, "--chain", "5", "--yes")).rejects.toThrow("PONDER_RPC_URL_5");
  await expect(add(of("heroes").address, "--chain", "5", "--rpc", chain.rpcUrl, "--yes")).rejects.toThrow(
    "serves chain",
  );
  vi.stubEnv("PONDER_RPC_URL_6", `${chain.rpcUrl},ws://127.0.0.1:9`);
  await expect(add(of("heroes").address, "--chain", "6", "--yes")).rejects.toThrow("entry 2 is not one");
  vi.unstubAllEnvs();
  expect(readFileSync(file, "utf8")).toBe(BEFORE);
});

it("a slug that no path accepts is refused before anything is asked, and one in the file before it is changed", async () => {
  for (const [slug, says] of [
    ["0xface", "must not look like an address"],
    ["No Slug", "must be of a-z, 0-9, - and _"],
    ["a".repeat(201), "must have at most 200 characters"],
  ] as const)
    await expect(
      add(of("heroes").address, "--slug", slug, "--rpc", "http://127.0.0.1:9", "--yes"),
    ).rejects.toThrow(says);
  expect(readFileSync(file, "utf8")).toBe(BEFORE);

  const wrong = BEFORE.replace(/"startBlock"/, '"slug": "0xface", "startBlock"');
  writeFileSync(file, wrong);
  await expect(add(of("heroes").address, "--yes")).rejects.toThrow(`${file}[0].slug: must not look like`);
  expect(readFileSync(file, "utf8")).toBe(wrong);
});

it("an endpoint without old state is asked for a start block, and one is enough", async () => {
  const pruned = await startRpcProxy(chain.rpcUrl);
  pruned.reset(({ calls: [call] }, response) => {
    if (call?.method !== "eth_getCode" || call.params[1] === "latest") return false;
    const error = { code: -32000, message: "missing trie node" };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, error }));
    return true;
  });
  const rpc = `http://127.0.0.1:${pruned.port}`;

  await expect(add(of("heroes").address, "--rpc", rpc, "--yes")).rejects.toThrow("--start-block");
  const { result } = await add(of("heroes").address, "--rpc", rpc, "--start-block", "0", "--yes");
  expect(result.entry.startBlock).toBe(0);
  await pruned.close();
});

it.each([
  ["eth_blockNumber", ""],
  ["eth_getCode", ""],
  ["eth_getStorageAt", ""],
  ["eth_call", " of the name", "0x06fdde03"],
])("an endpoint that refuses %s%s is said to, without its URL", async (method, _which, data = "") => {
  const refusing = await startRpcProxy(chain.rpcUrl);
  refusing.reset(({ calls: [call] }, response) => {
    if (call?.method !== method || !JSON.stringify(call).includes(data)) return false;
    response.writeHead(403).end("over quota");
    return true;
  });
  const rpc = `http://127.0.0.1:${refusing.port}/v2/a-key`;

  const refused = await add(of("heroes").address, "--rpc", rpc, "--yes").catch((error: Error) => error);
  await refusing.close();

  expect((refused as Error).message).toContain("over quota");
  expect((refused as Error).message).not.toMatch(/a-key|\n/);
});

it("of two runs at once neither loses the other's entry, and no lock stays", async () => {
  const added = await Promise.all([
    add(of("heroes").address, "--yes"),
    add(of("items").address, "--yes"),
    add(of("items").address, "--yes"),
  ]);

  expect(added.map(({ result }) => result.added).filter(Boolean)).toHaveLength(2);
  const listed = loadIndexConfig(process.env).collections.map(({ address }) => address);
  expect(listed.slice(1).sort()).toEqual(
    [of("heroes").address.toLowerCase(), of("items").address.toLowerCase()].sort(),
  );
  expect(readdirSync(folder)).toEqual(["collections.json"]);
});

it("a file that would not pass at the next start is refused, and stays", async () => {
  const broken = BEFORE.replace('"startBlock": 1', '"startBlock": -1');
  writeFileSync(file, broken);

  await expect(add(of("heroes").address, "--yes")).rejects.toThrow(`${file}[0].startBlock`);
  expect(readFileSync(file, "utf8")).toBe(broken);
  expect(readdirSync(folder)).toEqual(["collections.json"]);

  writeFileSync(file, "[");
  await expect(add(of("heroes").address, "--yes")).rejects.toThrow("not valid JSON");
});

it("a file that doesn't exist yet is created", async () => {
  process.env.COLLECTIONS_FILE = join(folder, "new.json");
  await add(of("items").address, "--yes");
  expect(loadIndexConfig(process.env).collections).toHaveLength(1);
  process.env.COLLECTIONS_FILE = file;
});

it("a file in a folder that doesn't exist is refused before the chain is asked, but for a report", async () => {
  const absent = join(folder, "absent", "collections.json");
  vi.stubEnv("COLLECTIONS_FILE", absent);
  onTestFinished(() => void vi.unstubAllEnvs());

  await expect(add(of("heroes").address, "--yes", "--rpc", "http://127.0.0.1:9")).rejects.toThrow(
    new Error(`${absent} can't be created: its folder doesn't exist; create that, or set COLLECTIONS_FILE.`),
  );
  expect((await add(of("heroes").address, "--dry-run")).result).toMatchObject({ added: false });
});
