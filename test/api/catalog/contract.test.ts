import { encodeFunctionResult, type Hex, parseAbi, toEventSelector, toFunctionSelector } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { readFields, royaltyOf } from "../../../src/api/catalog/contract/contract-fields.ts";
import { createContractPass } from "../../../src/api/catalog/contract/contract-loop.ts";
import { createContractReader } from "../../../src/api/catalog/contract/contract-reader.ts";
import type { ChainCalls } from "../../../src/api/chain/contract/batched-calls.ts";
import type { ChainClients } from "../../../src/api/chain/rpc/clients.ts";
import type { GuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp, GATEWAY } from "../../support/processes/app.ts";
import { createBarrier, createMemoryLogger } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";

const RECEIVER = `0x${"be".repeat(20)}`;
const OTHER = `0x${"ef".repeat(20)}`;
const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";
const abi = parseAbi([
  "function contractURI() view returns (string)",
  "function supportsInterface(bytes4 id) view returns (bool)",
  "function royaltyInfo(uint256 id, uint256 price) view returns (address, uint256)",
]);

describe("the fields of a contract's document", () => {
  const nothing = { name: null, description: null, avatar: null, banner: null, website: null };

  it.each([
    [
      {
        name: " Heroes ",
        description: "Brave ones",
        image: `ipfs://${CID}`,
        banner_image: "https://img.example/b.png",
        external_link: "https://heroes.example",
      },
      {
        name: "Heroes",
        description: "Brave ones",
        avatar: `${GATEWAY}/ipfs/${CID}`,
        banner: "https://img.example/b.png",
        website: "https://heroes.example/",
      },
    ],
    [
      {
        name: 7,
        description: ["x"],
        image: "javascript:alert(1)",
        external_link: "https://a:b@evil.example",
      },
      nothing,
    ],
    [
      {
        name: "",
        image: "data:image/png;base64,AAAA",
        external_link: `https://e.example/${"x".repeat(3_000)}`,
      },
      nothing,
    ],
    [[], nothing],
    [null, nothing],
    ["text", nothing],
  ])("%#: are what pages can use of it", (document, fields) => {
    expect(readFields(document, [GATEWAY])).toEqual(fields);
  });

  it.each([
    [`ipfs://${CID}/My Logo.png`, `${GATEWAY}/ipfs/${CID}/My%20Logo.png`],
    [`ipfs://${CID}/Logo #1.png`, `${GATEWAY}/ipfs/${CID}/Logo%20%231.png`],
    [`ipfs://${CID}/Größe 100%.png`, `${GATEWAY}/ipfs/${CID}/Gr%C3%B6%C3%9Fe%20100%25.png`],
    [`ipfs://${CID}/My%20Logo.png`, `${GATEWAY}/ipfs/${CID}/My%20Logo.png`],
    ["https://img.example/My Logo.png", "https://img.example/My%20Logo.png"],
  ])("link to %s as browsers write it", (image, url) => {
    expect(readFields({ image, banner_image: image }, [GATEWAY])).toMatchObject({ avatar: url, banner: url });
  });

  it("are cut to the length that creators may submit, at a character", () => {
    const { name, description } = readFields({ name: "😀".repeat(200), description: "d".repeat(5_000) }, []);
    expect([...(name ?? "")].length).toBe(100);
    expect(name?.isWellFormed()).toBe(true);
    expect(description).toHaveLength(1_000);
  });
});

describe("the royalty of a collection", () => {
  it.each([
    ["none without an answer", [], null],
    ["in hundredths of a percent", [[RECEIVER, 750n]], { receiver: RECEIVER, percent: 7.5 }],
    ["0 percent is a value", [[RECEIVER, 0n]], { receiver: RECEIVER, percent: 0 }],
    ["all of the price", [[RECEIVER, 10_000n]], { receiver: RECEIVER, percent: 100 }],
    ["none of more than the price", [[RECEIVER, 10_001n]], null],
    ["none of a huge lie", [[RECEIVER, 2n ** 256n - 1n]], null],
    ["none without a receiver", [[`0x${"0".repeat(40)}`, 500n]], null],
    [
      "that of most tokens",
      [
        [OTHER, 1_000n],
        [RECEIVER, 500n],
        [RECEIVER, 500n],
      ],
      { receiver: RECEIVER, percent: 5 },
    ],
  ] as const)("%s", (_title, answers, royalty) => {
    expect(royaltyOf(answers.map(([receiver, amount]) => ({ receiver, amount })))).toEqual(royalty);
  });
});

describe("a collection's answer", async () => {
  const test = await createTestDatabase();
  const { database } = test;
  const api = createTestApp(test);
  const key = await api.createKey();
  const { logger, entries } = createMemoryLogger();

  interface Script {
    uri?: string;
    royalty?: readonly [string, bigint];
    raw?: Hex;
    isAway?: boolean;
  }
  let script: Script = {};
  let document: string | undefined = "{}";
  let status = 200;
  let head = 100;
  let logs: readonly unknown[] = [];
  let fetches = 0;

  const result = (functionName: "contractURI" | "supportsInterface" | "royaltyInfo", value: never): Hex =>
    encodeFunctionResult({ abi, functionName, result: value });
  const calls: ChainCalls = new Map([
    [
      CHAIN_ID,
      async (_contract, data) => {
        if (script.isAway) return { kind: "unavailable", because: "silence" };
        if (script.raw !== undefined) return { kind: "answered", data: script.raw };
        const answers = {
          contractURI: script.uri === undefined ? undefined : result("contractURI", script.uri as never),
          supportsInterface: result("supportsInterface", (script.royalty !== undefined) as never),
          royaltyInfo: script.royalty && result("royaltyInfo", script.royalty as never),
        };
        const name = abi.find((each) => data.startsWith(toFunctionSelector(each)))?.name;
        const answer = name && answers[name];
        return answer
          ? { kind: "answered", data: answer }
          : { kind: "reverted", revert: { data: undefined, message: "no such function" } };
      },
    ],
  ]);
  /** Until then a host holds its answer back. */
  let answered: Promise<void> = Promise.resolve();
  const fetch: GuardedFetch = async (url) => {
    fetches++;
    const body = document;
    await answered;
    if (status !== 200)
      return { kind: "failed", reason: "http_status", message: `${status}`, transient: false, status };
    return body === undefined
      ? { kind: "failed", reason: "timeout", message: "no answer", transient: true }
      : { kind: "fetched", body: Buffer.from(body), url, contentType: "application/json" };
  };
  /** The code in a block; undefined for one whose state the node doesn't have. */
  let codeAt: (block: number) => string | undefined;
  const isIn = (log: unknown, range: unknown): boolean => {
    const { blockNumber, topic } = log as { blockNumber?: string; topic?: Hex };
    const { fromBlock, toBlock, topics } = range as { fromBlock: string; toBlock: string; topics: [Hex[]] };
    if (topic !== undefined && !topics[0].includes(topic)) return false;
    if (blockNumber === undefined) return true;
    return Number(blockNumber) >= Number(fromBlock) && Number(blockNumber) <= Number(toBlock);
  };
  const client = {
    async request({ method, params }: { method: string; params: readonly unknown[] }) {
      if (method !== "eth_getCode") return logs.filter((log) => isIn(log, params[0]));
      const found = codeAt(Number(params[1]));
      if (found === undefined) throw new Error("missing trie node");
      return found;
    },
  };
  let tokens: readonly string[] = ["1", "2"];
  let collections = [{ chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 }];
  let registries: typeof collections = [];
  const open = () =>
    createContractPass({
      database,
      logger,
      clients: new Map([[CHAIN_ID, client]]) as unknown as ChainClients,
      latestBlock: async () => head,
      readBlock: async (_chainId, minBlock) => Math.max(head, minBlock),
      readContract: createContractReader({ fetch, fetchFromGateway: fetch, gateways: [GATEWAY] }, calls),
      sampleTokens: async () => tokens,
      collections,
      registries,
      hours: 6,
      isOn: true,
    });
  const contracts = open();
  const pass = () => contracts.pass(new AbortController().signal);
  const makeDue = () => database.query("update vitrine.contract_metadata set due_at = now()");
  const read = async () =>
    (await api.call(`/market/collections/${COLLECTION}?chain_id=${CHAIN_ID}`, { key })).body;

  beforeEach(async () => {
    await emptyTables(database);
    await database.query("truncate vitrine.contract_metadata, vitrine.collection_information");
    [script, document, status, head, logs, fetches] = [{}, "{}", 200, 100, [], 0];
    [codeAt, registries] = [() => "0x60", []];
  });

  it("shows what the contract says where its creators wrote nothing, and where each field is from", async () => {
    expect(await read()).toMatchObject({ information: null, royalty: null });
    script = { uri: "https://meta.example/contract.json", royalty: [RECEIVER, 250n] };
    document = '{"name":"Heroes of old","description":"Brave","external_link":"https://heroes.example/"}';
    await pass();

    expect(await read()).toMatchObject({
      name: "Heroes",
      information: {
        name: "Heroes of old",
        description: "Brave",
        website: "https://heroes.example/",
        banner: null,
      },
      information_source: {
        name: "configuration",
        slug: "configuration",
        description: "contract",
        website: "contract",
        banner: null,
        discord: null,
      },
      royalty: { receiver: RECEIVER, percent: 2.5 },
    });

    const graphql = await api.call("/graphql", { body: { query: "{ __typename }" } });
    expect(graphql.status).toBe(200);
  });

  it("lets the creators' fields win, and fills only those that they left empty", async () => {
    script = { uri: "https://meta.example/contract.json" };
    document =
      '{"name":"Of the contract","description":"Of the contract","external_link":"https://c.example/"}';
    await pass();
    await api.call(`/market-partner/collections/${COLLECTION}/information?chain_id=${CHAIN_ID}`, {
      key,
      method: "PUT",
      body: { name: "Of the makers", description: "Of the makers" },
    });

    expect(await read()).toMatchObject({
      information: { name: "Of the makers", description: "Of the makers", website: "https://c.example/" },
      information_source: { description: "maker", website: "contract" },
    });
  });

  it("is read again after ContractURIUpdated, and not before it is due", async () => {
    script = { uri: "https://meta.example/contract.json" };
    document = '{"description":"Old"}';
    await pass();
    document = '{"description":"New"}';
    head = 110;
    await pass();
    expect((await read()).information.description).toBe("Old");

    logs = [{ address: COLLECTION.toUpperCase().replace("0X", "0x"), topics: ["0xab"], data: "0xnonsense" }];
    head = 120;
    await pass();
    expect((await read()).information.description).toBe("New");
    expect(fetches).toBe(2);
  });

  it.each([
    ["ContractURIUpdated()", 2],
    ["ContractURIUpdated(string)", 2],
    ["ContractURIUpdated(string,string)", 2],
    ["BaseURIUpdated(string)", 1],
  ])("is read after a log of %s: %i reads", async (signature, reads) => {
    script = { uri: "https://meta.example/contract.json" };
    await pass();

    logs = [{ address: COLLECTION, topic: toEventSelector(signature), blockHash: signature }];
    head = 110;
    await pass();

    expect(fetches).toBe(reads);
  });

  it.each([
    [63, 2],
    [64, 1],
  ])(
    "is read after an event that is found %i blocks below the last one searched: %i reads",
    async (below, reads) => {
      script = { uri: "https://meta.example/contract.json" };
      head = 200;
      await pass();

      logs = [
        {
          address: COLLECTION,
          blockNumber: `0x${(head - below).toString(16)}`,
          blockHash: "0xb1",
          logIndex: "0x0",
        },
      ];
      head++;
      await pass();

      expect(fetches).toBe(reads);
    },
  );

  it("is read again, once, after an event in a block that a reorganisation put below the last one searched", async () => {
    script = { uri: "https://meta.example/contract.json" };
    document = '{"description":"Old"}';
    await pass();
    head = 110;
    await pass();
    document = '{"description":"New"}';

    logs = [{ address: COLLECTION, blockNumber: "0x6d", blockHash: "0xb109", logIndex: "0x0" }];
    head = 111;
    await pass();
    expect((await read()).information.description).toBe("New");
    head = 112;
    await pass();
    expect(fetches).toBe(2);
    logs = [{ address: COLLECTION, blockNumber: "0x6d", blockHash: "0xc109", logIndex: "0x0" }];
    head = 113;
    await pass();
    expect(fetches).toBe(3);
  });

  it("stays as another process has read it after an event, though an earlier read ends later", async () => {
    script = { uri: "https://meta.example/contract.json" };
    document = '{"description":"Old"}';
    const slow = createBarrier();
    answered = slow.opened;
    const earlier = pass();
    await eventually(
      () => fetches,
      (count) => count === 1,
    );
    answered = Promise.resolve();
    document = '{"description":"New"}';
    logs = [{ address: COLLECTION, blockNumber: "0x6d", blockHash: "0xb109", logIndex: "0x0" }];
    head = 110;
    await open().pass(new AbortController().signal);

    slow.open();
    await earlier;

    expect((await read()).information.description).toBe("New");
    expect(fetches).toBe(2);
  });

  it("is read again by a refresh of the whole collection", async () => {
    script = { uri: "https://meta.example/contract.json" };
    await pass();
    document = '{"description":"New"}';
    const path = `/market-partner/collections/${COLLECTION}/refresh_collection?chain_id=${CHAIN_ID}`;
    expect((await api.call(path, { key, method: "POST" })).status).toBe(200);
    await pass();

    expect((await read()).information.description).toBe("New");
  });

  it("keeps what it knows while host or node are away, and drops what the contract removed", async () => {
    script = { uri: "https://meta.example/contract.json", royalty: [RECEIVER, 100n] };
    document = '{"description":"Here"}';
    await pass();

    document = undefined;
    await makeDue();
    await pass();
    script = { ...script, isAway: true };
    await makeDue();
    await pass();
    expect(await read()).toMatchObject({ information: { description: "Here" }, royalty: { percent: 1 } });

    script = {};
    await makeDue();
    await pass();
    expect(await read()).toMatchObject({ information: null, royalty: null });
  });

  it.each([
    ["404", 404, "", "https://meta.example/contract.json"],
    ["404 to another URI", 404, "", "https://meta.example/other.json"],
    ["a page", 200, "<html>", "https://meta.example/contract.json"],
    ["another JSON value", 200, "[]", "https://meta.example/contract.json"],
    ["an object without any of its fields", 200, '{"error":"busy"}', "https://meta.example/contract.json"],
    ["nothing, at a URI that can't be asked for", 200, "{}", "ftp://meta.example/contract.json"],
  ])("stays as last read where its host answers %s, until the next read within the hour", async (...row) => {
    const [_name, code, body, uri] = row;
    script = { uri: "https://meta.example/contract.json" };
    document = '{"name":"Heroes of old","description":"Here","image":"https://img.example/a.png"}';
    await pass();
    const before = await read();
    expect(before.information).toMatchObject({ description: "Here", avatar: "https://img.example/a.png" });

    [script, status, document] = [{ uri }, code, body];
    await makeDue();
    await pass();
    expect(await read()).toEqual(before);

    [script, status, document] = [{ uri: "https://meta.example/third.json" }, 200, '{"description":"Back"}'];
    await database.query("update vitrine.contract_metadata set due_at = due_at - interval '1 hour'");
    await pass();
    expect((await read()).information).toMatchObject({ description: "Back", avatar: null });

    [script, status] = [{ uri: "" }, 404];
    await makeDue();
    await pass();
    expect((await read()).information).toBeNull();
  });

  it("is explained by the collection's health: which document was read last, when, and why it isn't used", async () => {
    const health = async () => {
      const path = `/market-partner/collections/${COLLECTION}/health?chain_id=${CHAIN_ID}`;
      return (await api.call(path, { key })).body.contract_document;
    };
    expect(await health()).toBeNull();

    script = { uri: "https://meta.example/contract.json" };
    document = '{"name":"Heroes of old"}';
    await pass();
    const readAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await health()).toEqual({ uri: script.uri, reason: null, read_at: readAt });

    script = { uri: "https://meta.example/other.json" };
    status = 404;
    await makeDue();
    await pass();
    expect(await health()).toEqual({ uri: script.uri, reason: "http_status: 404", read_at: readAt });

    [status, document] = [200, '{"error":"busy"}'];
    await makeDue();
    await pass();
    expect((await health()).reason).toBe(
      "no_fields: the document has none of the fields that collections show",
    );

    script = { isAway: true };
    await makeDue();
    await pass();
    expect((await health()).uri).toBe("https://meta.example/other.json");

    script = {};
    await makeDue();
    await pass();
    expect(await health()).toEqual({ uri: null, reason: null, read_at: readAt });
  });

  it.each([
    ["random bytes", "0x1234"],
    ["nothing", "0x"],
    ["a string without end", `0x${"f".repeat(128)}`],
  ] as const)("survives a contract that answers %s", async (_what, raw) => {
    script = { raw };
    await pass();

    expect(await read()).toMatchObject({ information: null, royalty: null });
    expect(entries.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });

  it.each([
    ["no contract at its address", 0, "0x", "there is no contract at its address"],
    [
      "a start block that the chain has not reached",
      101,
      "0x60",
      "its startBlock, 101, is above the chain's head, 100",
    ],
  ])(
    "of a collection without tokens is explained once in the log: %s",
    async (_name, startBlock, found, reason) => {
      [tokens, collections] = [[], [{ chainId: CHAIN_ID, address: COLLECTION, startBlock }]];
      codeAt = (block) => (block >= startBlock ? found : "0x");
      entries.length = 0;
      const { pass: passOver } = open();
      for (let round = 0; round < 2; round++) {
        await passOver(new AbortController().signal);
        await makeDue();
      }

      expect(entries.filter(({ level }) => level === "warn")).toEqual([
        expect.objectContaining({
          msg: "A collection has no tokens",
          collection: `${CHAIN_ID}:${COLLECTION}`,
          reason,
        }),
      ]);
    },
  );

  const DEPLOYED = 40;
  const sinceDeployment = (block: number): string => (block >= DEPLOYED ? "0x60" : "0x");

  it("of a collection whose contract is older than the chain's index is a warning, once", async () => {
    const other = `0x${"cd".repeat(20)}`;
    [tokens, codeAt] = [["1"], sinceDeployment];
    collections = [
      { chainId: CHAIN_ID, address: COLLECTION, startBlock: DEPLOYED + 30 },
      { chainId: CHAIN_ID, address: other, startBlock: DEPLOYED + 1 },
    ];
    entries.length = 0;
    const { pass: passOver } = open();
    for (let round = 0; round < 2; round++) {
      await passOver(new AbortController().signal);
      await makeDue();
    }

    const warnings = entries.filter(({ level }) => level === "warn");
    expect(warnings.map(({ contract }) => contract).sort()).toEqual([
      `${CHAIN_ID}:${COLLECTION}`,
      `${CHAIN_ID}:${other}`,
    ]);
    expect(warnings[0]).toMatchObject({
      msg: "A collection is older than its index",
      reason: `it existed in block ${DEPLOYED}, and is indexed from block ${DEPLOYED + 1}: what it emitted before is missing; set its startBlock to the block of its deployment`,
    });
  });

  it("names a delegate registry that is older than its index once, and none that begins with it or can't be asked about", async () => {
    [tokens, codeAt] = [["1"], sinceDeployment];
    collections = [{ chainId: CHAIN_ID, address: COLLECTION, startBlock: DEPLOYED }];
    const registry = `0x${"de".repeat(20)}`;
    const warningsFor = async (startBlock: number): Promise<unknown[]> => {
      registries = [{ chainId: CHAIN_ID, address: registry, startBlock }];
      entries.length = 0;
      const { pass: passOver } = open();
      for (let round = 0; round < 2; round++) {
        await makeDue();
        await passOver(new AbortController().signal);
      }
      return entries.filter(({ level }) => level === "warn");
    };

    expect(await warningsFor(DEPLOYED)).toEqual([]);
    expect(await warningsFor(DEPLOYED + 1)).toEqual([
      expect.objectContaining({
        msg: "A delegate registry is older than its index",
        contract: `${CHAIN_ID}:${registry}`,
        reason: `it existed in block ${DEPLOYED}, and is indexed from block ${DEPLOYED + 1}: what it emitted before is missing; name the block of its deployment in DELEGATE_REGISTRY_${CHAIN_ID}, as in ${registry}@${DEPLOYED + 1}`,
      }),
    ]);
    codeAt = () => undefined;
    expect(await warningsFor(DEPLOYED + 1)).toEqual([]);
  });

  it.each([
    ["the block of its deployment", [DEPLOYED], sinceDeployment],
    ["an earlier block", [DEPLOYED - 1], sinceDeployment],
    ["a later block than another of its chain", [DEPLOYED + 1, DEPLOYED], sinceDeployment],
    ["block 0", [0], sinceDeployment],
    ["a block before which the node has no state", [DEPLOYED + 1], () => undefined],
  ])("of a collection that starts at %s is no warning", async (_name, startBlocks, found) => {
    [tokens, codeAt] = [["1"], found];
    collections = startBlocks.map((startBlock, nth) => ({
      chainId: CHAIN_ID,
      address: nth === 0 ? COLLECTION : `0x${"cd".repeat(20)}`,
      startBlock,
    }));
    entries.length = 0;
    await open().pass(new AbortController().signal);

    expect(entries.filter(({ level }) => level === "warn")).toEqual([]);
  });

  it.each([
    ["whose contract has minted nothing yet", [], "0x60", 0],
    ["whose start block is the head", [], "0x60", 100],
    ["that has tokens", ["1"], "0x", 0],
  ])("of a collection %s is no warning", async (_name, listed, found, startBlock) => {
    [tokens, collections] = [listed, [{ chainId: CHAIN_ID, address: COLLECTION, startBlock }]];
    codeAt = (block) => (block >= startBlock ? found : "0x");
    entries.length = 0;
    await open().pass(new AbortController().signal);

    expect(entries.filter(({ level }) => level === "warn")).toEqual([]);
  });

  it("survives a document that is none", async () => {
    script = { uri: "https://meta.example/contract.json" };
    for (document of ["[1]", "no json", '{"description":{"a":1},"image":[]}']) {
      await makeDue();
      await pass();
      expect((await read()).information).toBeNull();
    }
  });
});
