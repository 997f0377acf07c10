/** The environment that shapes the chain index: the values read, and that every refusal says what to fix. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BootError } from "../src/boot-error.ts";
import { loadIndexConfig } from "../src/config.ts";

const ADDRESS = "0xabcdef0123456789abcdef0123456789abcdef01";
const entry = { chainId: 2020, address: ADDRESS, startBlock: 0 };
const RPC = { PONDER_RPC_URL_2020: "http://127.0.0.1:8545" };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function collectionsFile(content: unknown): string {
  const file = join(folder, "collections.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const load = (content: unknown, environment: Record<string, string> = RPC) =>
  loadIndexConfig({ ...environment, COLLECTIONS_FILE: collectionsFile(content) });

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(BootError);
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

describe("what is read", () => {
  it("keeps collections in the file's order, with addresses in lower case", () => {
    const first = { ...entry, address: "0xABCDEF0123456789abcdef0123456789abcdef01", standard: "erc721" };
    const second = {
      ...entry,
      address: ADDRESS.replace("01", "02"),
      name: "Heroes",
      slug: "heroes-1",
      locks: "boolean",
    };

    expect(load([first, second]).collections).toEqual([{ ...first, address: ADDRESS }, second]);
  });

  it("lets one address stand on two chains", () => {
    const environment = { ...RPC, PONDER_RPC_URL_1: "https://rpc.example" };

    const { collections } = load([entry, { ...entry, chainId: 1 }], environment);

    expect(collections.map(({ chainId }) => chainId)).toEqual([2020, 1]);
  });

  it("reads chains by ascending id, each with its endpoints in order of preference", () => {
    const { chains } = load([entry], {
      PONDER_RPC_URL_2020: " https://a.example/rpc , http://b.example,, ",
      PONDER_RPC_URL_1: "https://c.example",
      PONDER_RPC_URL_5: "",
      PONDER_RPC_URL_x: "https://d.example",
    });

    expect(chains).toEqual([
      { id: 1, rpcUrls: ["https://c.example"] },
      { id: 2020, rpcUrls: ["https://a.example/rpc", "http://b.example"] },
    ]);
  });
});

describe("entries that are refused", () => {
  it.each([
    {
      fault: "no chain id",
      content: [{ ...entry, chainId: undefined }],
      says: "[0].chainId: must be a whole number; it is missing",
    },
    {
      fault: "a chain id in quotes",
      content: [{ ...entry, chainId: "2020" }],
      says: "[0].chainId: must be a whole number; it is a string",
    },
    {
      fault: "chain id 0",
      content: [{ ...entry, chainId: 0 }],
      says: "[0].chainId: must be more than 0; it is 0",
    },
    {
      fault: "no address",
      content: [entry, { ...entry, address: undefined }],
      says: "[1].address: must be a string; it is missing",
    },
    {
      fault: "a short address",
      content: [{ ...entry, address: "0xabc" }],
      says: '[0].address: "0xabc" is not',
    },
    { fault: "no start block", content: [{ ...entry, startBlock: undefined }], says: "[0].startBlock" },
    {
      fault: "a negative start block",
      content: [{ ...entry, startBlock: -1 }],
      says: "[0].startBlock: must be at least 0; it is -1",
    },
    {
      fault: "a broken start block",
      content: [{ ...entry, startBlock: 1.5 }],
      says: "[0].startBlock: must be a whole number; it is 1.5",
    },
    {
      fault: "another standard",
      content: [{ ...entry, standard: "ERC721" }],
      says: '[0].standard: must be erc721 or erc1155; it is "ERC721"',
    },
    { fault: "an empty name", content: [{ ...entry, name: "" }], says: "[0].name: must not be empty" },
    ...["  ", "a\0b", "a\ud800"].map((name) => ({
      fault: `the name ${JSON.stringify(name)}`,
      content: [{ ...entry, name }],
      says: "[0].name: must have a visible character, and neither U+0000 nor half of a surrogate pair",
    })),
    {
      fault: "a slug with a slash",
      content: [{ ...entry, slug: "a/b" }],
      says: '[0].slug: must be of a-z, 0-9, - and _; it is "a/b"',
    },
    {
      fault: "another reading of locks",
      content: [{ ...entry, locks: "switch" }],
      says: '[0].locks: must be count or boolean; it is "switch"',
    },
    {
      fault: "an unknown key",
      content: [{ ...entry, startblock: 5 }],
      says: '[0]: has no field "startblock"',
    },
    { fault: "an entry that is no object", content: [entry, ADDRESS], says: "[1]: " },
    {
      fault: "an object instead of a list",
      content: { collections: [entry] },
      says: ": must be an array; it is an object",
    },
  ])("names the place of $fault and where the format is documented", ({ content, says }) => {
    const message = refusal(() => load(content));

    expect(message).toContain(`${join(folder, "collections.json")}`);
    expect(message).toContain(says);
    expect(message).toContain('see README "Collections"');
  });

  it("names the address that is listed twice, however it is spelt", () => {
    const upper = `0x${ADDRESS.slice(2).toUpperCase()}`;

    const message = refusal(() => load([entry, { ...entry, address: upper }]));

    expect(message).toContain(`lists ${ADDRESS} on chain 2020 twice; remove one`);
  });
});

describe("slugs of the collections file", () => {
  const requireAll = (...slugs: readonly string[]) =>
    load(slugs.map((slug, nth) => ({ ...entry, address: `0x${String(nth).padStart(40, "0")}`, slug })));

  it.each([
    { fault: "looks like an address", slug: "0xface", says: "must not look like an address" },
    {
      fault: "looks like an address without 0x",
      slug: ADDRESS.slice(2),
      says: "must not look like an address",
    },
    {
      fault: "is longer than any path takes",
      slug: "a".repeat(201),
      says: "must have at most 200 characters",
    },
  ])("are refused, naming the entry, where one $fault", ({ slug, says }) => {
    const message = refusal(() => requireAll("heroes", slug));

    expect(message).toContain(`${join(folder, "collections.json")}[1].slug: ${says}`);
    expect(message).toContain(`it is "${slug.slice(0, 80)}`);
    expect(message).toContain('see README "Collections"');
  });

  it("may be anything that a path takes, and be missing", () => {
    expect(requireAll("heroes", "0xfacet", "a".repeat(200), "-").collections).toHaveLength(4);
    expect(load([entry]).collections[0]?.slug).toBeUndefined();
  });
});

describe("files that are refused", () => {
  it.each([
    { fault: "an empty list", content: [], says: "add at least one entry" },
    { fault: "an empty file", content: "", says: "is not valid JSON" },
    { fault: "a file that is not JSON", content: "[{,}]", says: "is not valid JSON" },
  ])("says what to do about $fault", ({ content, says }) => {
    const message = refusal(() => load(content));

    expect(message).toContain(join(folder, "collections.json"));
    expect(message).toContain(says);
  });

  it("says which variable points to a file that is not there", () => {
    const missing = join(folder, "missing.json");

    const message = refusal(() => loadIndexConfig({ ...RPC, COLLECTIONS_FILE: missing }));

    expect(message).toContain(`${missing} can't be read`);
    expect(message).toContain("COLLECTIONS_FILE");
  });
});

describe("endpoints that are refused", () => {
  it("names the variable that a collection's chain lacks", () => {
    const message = refusal(() => load([entry, { ...entry, chainId: 1 }]));

    expect(message).toContain("collections.json[1] is on chain 1");
    expect(message).toContain("set it to an RPC endpoint");
    expect(message).toContain("PONDER_RPC_URL_1 ");
  });

  it("counts an empty variable as unset", () => {
    expect(refusal(() => load([entry], { PONDER_RPC_URL_2020: "" }))).toContain(
      "PONDER_RPC_URL_2020 is not set",
    );
  });

  it.each([
    { value: "wss://rpc.example/SECRET", says: "entry 1 is not one" },
    { value: "https://rpc.example/SECRET,rpc.example/SECRET", says: "entry 2 is not one" },
    { value: "https://rpc.example/SECRET https://b.example:port", says: "entry 1 is not one" },
    { value: " , ", says: "it lists none" },
  ])("names the variable and the place of a bad URL, never the URL, which may hold a key: $says", (each) => {
    const message = refusal(() => load([entry], { PONDER_RPC_URL_2020: each.value }));

    expect(message).toContain("PONDER_RPC_URL_2020 must be http(s) URLs");
    expect(message).toContain(each.says);
    expect(message).not.toContain("SECRET");
  });
});

describe("the delegate registry", () => {
  const registry = (text: string | undefined) =>
    load([{ ...entry, startBlock: 7 }], {
      ...RPC,
      ...(text !== undefined && { DELEGATE_REGISTRY_2020: text }),
    }).registries;

  it.each([
    [undefined, [{ chainId: 2020, address: "0x00000000000000447e69651d841bd8d104bed493", startBlock: 7 }]],
    ["", [{ chainId: 2020, address: "0x00000000000000447e69651d841bd8d104bed493", startBlock: 7 }]],
    [ADDRESS.toUpperCase().replace("0X", "0x"), [{ chainId: 2020, address: ADDRESS, startBlock: 7 }]],
    [`${ADDRESS}@0`, [{ chainId: 2020, address: ADDRESS, startBlock: 0 }]],
    ["off", []],
  ])("of DELEGATE_REGISTRY_2020=%s is %j", (text, expected) => {
    expect(registry(text)).toEqual(expected);
  });

  it.each(["OFF", "0x1", `${ADDRESS}@`, `${ADDRESS}@-1`, `${ADDRESS}@1.5`])(
    "refuses %s, naming the variable",
    (text) => {
      expect(refusal(() => registry(text))).toContain(
        "DELEGATE_REGISTRY_2020 must be address[@startBlock] or off",
      );
    },
  );

  it("is not looked for on a chain without collections", () => {
    const { registries } = load([entry], { ...RPC, PONDER_RPC_URL_2021: "http://127.0.0.1:8546" });

    expect(registries.map(({ chainId }) => chainId)).toEqual([2020]);
  });
});
