/** The demo's token contracts emit what real collections emit, and lock like ERC721x. */
import { type Log, maxUint256, zeroAddress } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";

// Public constants of the standards, not computed from our sources.
const TOPIC = {
  metadataUpdate: "0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7",
  batchMetadataUpdate: "0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c",
  uri: "0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b",
  tokenLocked: "0x9ecfd70e9ff36df72989324a49559383d39f9290d700b10cf5ac10dcb68d2643",
  tokenUnlocked: "0x0fe7d9801197f79ef3b1595d19379eb58f0fff5f98b0f6d6f34c03cae5306c37",
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
};

const word = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, "0");
const indexed = (value: bigint | string): string => `0x${word(value)}`;
const shape = (logs: readonly Log[]) => logs.map(({ topics, data }) => ({ topics, data }));

let chain: Chain;
let heroes: Contract;
let items: Contract;

beforeAll(async () => {
  chain = await startChain();
});
afterAll(() => chain.close());

beforeEach(async () => {
  heroes = await chain.deploy("VitrineHeroes", ["http://host/heroes/"]);
  items = await chain.deploy("VitrineItems", ["http://host/items/{id}.json"]);
});

describe("events", () => {
  it("announces one changed token with its id unindexed", async () => {
    const { logs } = await chain.write(heroes, "emitMetadataUpdate", [7n]);

    expect(shape(logs)).toEqual([{ topics: [TOPIC.metadataUpdate], data: indexed(7n) }]);
  });

  it("announces a range with both ends unindexed, inverted ones included", async () => {
    const { logs } = await chain.write(heroes, "emitBatchMetadataUpdate", [9n, 2n]);

    expect(shape(logs)).toEqual([{ topics: [TOPIC.batchMetadataUpdate], data: `0x${word(9n)}${word(2n)}` }]);
  });

  it("announces the whole collection when the base URI changes", async () => {
    await chain.write(heroes, "mint", [chain.account(1).address, 5n]);

    const { logs } = await chain.write(heroes, "setBaseURI", ["http://other/"]);

    expect(shape(logs)).toEqual([
      { topics: [TOPIC.batchMetadataUpdate], data: `0x${word(0n)}${word(maxUint256)}` },
    ]);
    expect(await chain.read(heroes, "tokenURI", [5n])).toBe("http://other/5");
  });

  it("announces the one token that gets a URI of its own", async () => {
    await chain.write(heroes, "mint", [chain.account(1).address, 5n]);

    const { logs } = await chain.write(heroes, "setTokenURI", [5n, "ipfs://cid/5"]);

    expect(shape(logs)).toEqual([{ topics: [TOPIC.metadataUpdate], data: indexed(5n) }]);
    expect(await chain.read(heroes, "tokenURI", [5n])).toBe("ipfs://cid/5");
  });

  it("emits locks and unlocks with both parameters indexed, raw ones alike", async () => {
    const locker = chain.account(5);
    await chain.write(heroes, "mint", [chain.account(1).address, 1n]);
    await chain.write(heroes, "updateApprovedContracts", [[locker.address], [true]]);

    const receipts = [
      await chain.write(heroes, "lockId", [1n], locker),
      await chain.write(heroes, "unlockId", [1n], locker),
      await chain.write(heroes, "emitRawLock", [1n, locker.address]),
      await chain.write(items, "emitRawUnlock", [1n, locker.address]),
    ];

    const rest = [indexed(1n), indexed(locker.address)];
    expect(receipts.flatMap(({ logs }) => shape(logs))).toEqual([
      { topics: [TOPIC.tokenLocked, ...rest], data: "0x" },
      { topics: [TOPIC.tokenUnlocked, ...rest], data: "0x" },
      { topics: [TOPIC.tokenLocked, ...rest], data: "0x" },
      { topics: [TOPIC.tokenUnlocked, ...rest], data: "0x" },
    ]);
    expect(await chain.read(heroes, "lockCount", [1n])).toBe(0n);
  });

  it("emits one Transfer per hero of a range, from nobody", async () => {
    const holder = chain.account(1).address;

    const { logs } = await chain.write(heroes, "mintRange", [holder, 1n, 3n]);

    expect(logs.map(({ topics }) => topics)).toEqual(
      [1n, 2n, 3n].map((id) => [TOPIC.transfer, indexed(zeroAddress), indexed(holder), indexed(id)]),
    );
  });

  it("emits single and batch transfers for items, and URI with the id indexed", async () => {
    const holder = chain.account(1);

    const receipts = [
      await chain.write(items, "mint", [holder.address, 1n, 5n]),
      await chain.write(items, "mintBatch", [holder.address, [2n, 3n], [1n, 1n]]),
      await chain.write(items, "burn", [holder.address, 1n, 2n], holder),
      await chain.write(items, "setTokenURI", [3n, "http://host/own.json"]),
    ];

    const topics = receipts.flatMap(({ logs }) => logs.map((log) => log.topics[0]));
    expect(topics).toEqual([TOPIC.transferSingle, TOPIC.transferBatch, TOPIC.transferSingle, TOPIC.uri]);
    expect(receipts[3]?.logs[0]?.topics[1]).toBe(indexed(3n));
    expect(await chain.read(items, "uri", [3n])).toBe("http://host/own.json");
    expect(await chain.read(items, "uri", [2n])).toBe("http://host/items/{id}.json");
  });

  it.each(["0x01ffc9a7", "0x80ac58cd", "0x5b5e139f", "0x49064906", "0x706e8489"])(
    "says that heroes support the interface %s",
    async (id) => {
      expect(await chain.read(heroes, "supportsInterface", [id])).toBe(true);
    },
  );
});

describe("locks", () => {
  const holder = () => chain.account(1);
  const game = () => chain.account(5);
  const market = () => chain.account(6);

  beforeEach(async () => {
    await chain.write(heroes, "mintRange", [holder().address, 1n, 3n]);
    const lockers = [game().address, market().address];
    await chain.write(heroes, "updateApprovedContracts", [lockers, [true, true]]);
  });

  const transfer = (id: bigint) => {
    const args = [holder().address, chain.account(2).address, id];
    return chain.write(heroes, "safeTransferFrom", args, holder());
  };

  it("keeps a hero locked until the last of two lockers lets go", async () => {
    await chain.write(heroes, "lockId", [1n], game());
    await chain.write(heroes, "lockId", [1n], market());

    await chain.write(heroes, "unlockId", [1n], game());
    const between = await chain.read(heroes, "isUnlocked", [1n]);
    await chain.write(heroes, "unlockId", [1n], market());

    expect(between).toBe(false);
    expect(await chain.read(heroes, "isUnlocked", [1n])).toBe(true);
  });

  it("refuses to transfer a locked hero and lets the others go", async () => {
    await chain.write(heroes, "lockId", [1n], game());

    await expect(transfer(1n)).rejects.toThrow("Token is locked");

    await transfer(2n);
    expect(await chain.read(heroes, "ownerOf", [2n])).toBe(chain.account(2).address);
  });

  it("lets only approved lockers lock, each once", async () => {
    await chain.write(heroes, "lockId", [1n], game());

    await expect(chain.write(heroes, "lockId", [1n], game())).rejects.toThrow("ID already locked by caller");
    await expect(chain.write(heroes, "lockId", [1n], holder())).rejects.toThrow("Cannot update map");
    await expect(chain.write(heroes, "lockId", [99n], game())).rejects.toThrow("Token !exist");
    await expect(chain.write(heroes, "unlockId", [1n], market())).rejects.toThrow("ID not locked by caller");
  });

  it("burns a locked hero without an unlock, and mints it again as locked as before", async () => {
    await chain.write(heroes, "lockId", [1n], game());

    const { logs } = await chain.write(heroes, "burn", [1n], holder());
    await chain.write(heroes, "mint", [holder().address, 1n]);

    expect(logs.map(({ topics }) => topics[0])).toEqual([TOPIC.transfer]);
    expect(await chain.read(heroes, "lockCount", [1n])).toBe(1n);
  });

  it("lets anyone free the lock of a contract that lost its approval, in that contract's name", async () => {
    await chain.write(heroes, "lockId", [1n], game());
    await chain.write(heroes, "lockId", [1n], market());
    const { logs: silent } = await chain.write(heroes, "updateApprovedContracts", [
      [game().address],
      [false],
    ]);

    const { logs } = await chain.write(heroes, "freeId", [1n, game().address], holder());

    expect(silent).toEqual([]);
    expect(logs[0]?.topics).toEqual([TOPIC.tokenUnlocked, indexed(1n), indexed(game().address)]);
    expect(await chain.read(heroes, "lockMap", [1n, 1n])).toBe(market().address);
  });
});
