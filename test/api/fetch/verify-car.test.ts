/** The content in a CAR is read only from blocks that have the hashes of the CID that was asked for. */

import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { balanced } from "ipfs-unixfs-importer/layout";
import { base16 } from "multiformats/bases/base16";
import { base32 } from "multiformats/bases/base32";
import { base36 } from "multiformats/bases/base36";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { describe, expect, it } from "vitest";
import { carBytesMax, verifiableCid, verifyCar } from "../../../src/api/fetch/ipfs/verify-car.ts";
import {
  type Block,
  Blocks,
  type CborNode,
  carOf,
  cborOf,
  entityBlocks,
  tampered,
} from "../../support/servers/ipfs-gateway.ts";

const LIMIT = { bytesMax: 100_000 };
const TEXT = '{"name":"Hero"}';
const blocks = new Blocks();
const small = { chunker: fixedSize({ chunkSize: 512 }) };

/** Reads `path` below the CID out of the CAR that an honest gateway sends, changed by `change`. */
async function read(
  cid: string,
  path: readonly string[] = [],
  { limit = LIMIT, change = (given: readonly Block[]) => given, asked = cid } = {},
) {
  const entity = await entityBlocks(blocks, [CID.parse(cid), ...path].join("/"));
  const answer = await verifyCar(
    await carOf(CID.parse(cid).toString(), change(entity)),
    { cid: asked, path },
    limit,
  );
  return answer.kind === "content" ? answer.body.toString() : answer.kind;
}

function blockOf(codec: number, bytes: Uint8Array): Block {
  return { cid: CID.createV1(codec, createDigest(0x12, createHash("sha256").update(bytes).digest())), bytes };
}

/** A field of a protobuf message. */
const field = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag]), varintOf(content.length), content]);

function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Buffer.from([...bytes, value]);
}

const linkTo = (cid: CID, name = ""): Buffer =>
  field(0x12, Buffer.concat([field(0x0a, cid.bytes), field(0x12, Buffer.from(name))]));
const NOTHING = CID.createV1(0x55, createDigest(0, new Uint8Array()));
const IS_DIRECTORY = Buffer.from([0x08, 1]);
const IS_FILE = Buffer.from([0x08, 2]);

/** A node of UnixFS out of its links and its message, which begins with the type. */
const nodeOf = (links: readonly Buffer[], unixfs: Buffer): Block =>
  blockOf(0x70, Buffer.concat([...links, field(0x0a, unixfs)]));

/** Reads `path` below the last block out of a CAR of these. */
async function readBlocks(all: readonly Block[], path: readonly string[] = [], isStartEnough = false) {
  const cid = all.at(-1)?.cid.toString() ?? "";
  return verifyCar(await carOf(cid, all), { cid, path }, { ...LIMIT, isStartEnough });
}

describe("a file", () => {
  it.each([
    ["of one raw block", {}],
    ["of CIDv0", { cidVersion: 0, rawLeaves: false }],
    ["of one block that is no raw leaf", { rawLeaves: false, reduceSingleLeafToSelf: true }],
  ] as const)("%s is read", async (_what, options) => {
    expect(await read(await blocks.add({ "": TEXT }, options))).toBe(TEXT);
  });

  it("of many chunks is read, whatever order and number its blocks come in", async () => {
    const content = randomBytes(40_000).toString("base64");
    const cid = await blocks.add({ "": content }, small);

    expect(await read(cid)).toBe(content);
    expect(await read(cid, [], { change: (all) => all.toReversed() })).toBe(content);
    expect(await read(cid, [], { change: (all) => [...all, ...all] })).toBe(content);
  });

  it("that repeats one block is read as often as it is named", async () => {
    const content = "x".repeat(5_120);

    expect(await read(await blocks.add({ "": content }, small))).toBe(content);
  });

  it("is read by its CID in every base", async () => {
    const cid = CID.parse(await blocks.add({ "": TEXT }));
    for (const asked of [
      cid.toString(base36),
      cid.toString(base16),
      cid.toString(base16).toUpperCase(),
      cid.toString().toUpperCase(),
      cid.toString(base36).toUpperCase(),
    ])
      expect(await read(cid.toString(), [], { asked })).toBe(TEXT);
  });

  it("may be empty", async () => {
    expect(await read(await blocks.add({ "": "" }, { rawLeaves: false }))).toBe("");
  });

  it("of JSON in a block of its own is read, whatever its text", async () => {
    for (const [codec, text] of [
      [0x0200, TEXT],
      [0x0129, TEXT],
      [0x0129, '{"name":'],
    ] as const) {
      const bytes = Buffer.from(text);
      const { cid } = blockOf(codec, bytes);
      const car = await carOf(cid.toString(), [{ cid, bytes }]);
      expect(await verifyCar(car, { cid: cid.toString(), path: [] }, LIMIT)).toMatchObject({
        kind: "content",
        body: bytes,
      });
    }
  });
});

describe("a path", () => {
  const NAMES = ["1.json", "a b.json", "100%.json", "é?#.json", "back\\slash", "..json", "%2e%2e"];
  const files = Object.fromEntries(
    NAMES.map((name) => [`deep/er/${name}`, `{"name":${JSON.stringify(name)}}`]),
  );

  it.each(NAMES)("leads to a file by the name %j", async (name) => {
    expect(await read(await blocks.add(files), ["deep", "er", name])).toBe(files[`deep/er/${name}`]);
  });

  it("leads through shards", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, id) => [`all/${id}.json`, `{"name":"${id}"}`]),
    );
    const cid = await blocks.add(many, { shardSplitThresholdBytes: 1_000, shardFanoutBits: 4 });

    for (const id of [0, 7, 99, 311, 599])
      expect(await read(cid, ["all", `${id}.json`])).toBe(`{"name":"${id}"}`);
    expect(await read(cid, ["all"])).toBe("directory");
  });

  it.each([
    [["none"]],
    [["deep", "none"]],
    [["deep", "er", "1.json", "below"]],
    [["..", "deep"]],
    [["."]],
    [["deep", "..", "deep"]],
  ])("that the directory doesn't have is missing: %j", async (path) => {
    const cid = await blocks.add(files);
    const all = [...blocks.all].map(([digest, bytes]) => ({
      cid: CID.createV1(0x70, createDigest(0x12, Buffer.from(digest, "hex"))),
      bytes,
    }));
    const car = await carOf(cid, all);

    expect(await verifyCar(car, { cid, path }, LIMIT)).toMatchObject({ kind: "missing" });
  });

  it("to a directory is one", async () => {
    expect(await read(await blocks.add(files), ["deep"])).toBe("directory");
  });
});

describe("a path through DAG-CBOR", () => {
  const leaf = blockOf(0x55, Buffer.from(TEXT));
  const unlinked = "the content can't be read as a file (a path through CBOR without a link)";
  const nodeIn = (node: CborNode): Block => blockOf(0x71, cborOf(node));
  const inner = nodeIn({ files: ["first", { "a b.json": leaf.cid }] });
  const node = nodeIn({
    "metadata.json": leaf.cid,
    name: "Hero",
    below: inner.cid,
  });
  const all = [leaf, inner, node];

  it.each([[["metadata.json"]], [["below", "files", "1", "a b.json"]]])(
    "leads to a file by the links of maps and lists: %j",
    async (path) => {
      expect(await readBlocks(all, path)).toEqual({ kind: "content", body: leaf.bytes });
    },
  );

  it("leads into a directory", async () => {
    const cid = await blocks.add({ "d/1.json": TEXT });
    const entity = await entityBlocks(blocks, `${cid}/d/1.json`);
    const directory = entity[0]?.cid ?? leaf.cid;

    expect(await readBlocks([...entity, nodeIn({ all: directory })], ["all", "d", "1.json"])).toEqual({
      kind: "content",
      body: leaf.bytes,
    });
  });

  it.each([
    ["to nothing", ["none"]],
    ["to a text", ["name"]],
    ["to a part of a text", ["name", "0"]],
    ["to what every object has", ["constructor", "name"]],
    ["to the length of a list", ["below", "files", "length"]],
    ["to a list", ["below", "files"]],
    ["to a map", ["below", "files", "1"]],
  ])("is never missing: one %s may be read unverified", async (_what, path) => {
    expect(await readBlocks(all, path)).toEqual({ kind: "unverifiable", message: unlinked });
  });

  it("ends below a file", async () => {
    expect(await readBlocks(all, ["metadata.json", "name"])).toEqual({ kind: "missing" });
  });

  it("can't be verified where it ends at a node, or the node is none", async () => {
    const broken = blockOf(0x71, Buffer.from([0xff]));

    expect(await readBlocks(all, ["below"])).toMatchObject({ kind: "unverifiable" });
    expect(await readBlocks([broken], ["name"])).toMatchObject({ kind: "unverifiable" });
    expect(await readBlocks([blockOf(0x51, cborOf({}))], ["name"])).toMatchObject({ kind: "unverifiable" });
  });

  it("is incomplete without a block on it", async () => {
    const { cid } = node;
    expect(await verifyCar(Buffer.alloc(0), { cid: `${cid}`, path: ["metadata.json"] }, LIMIT)).toMatchObject(
      {
        kind: "incomplete",
      },
    );
    expect(await readBlocks([leaf, node], ["below", "files"])).toMatchObject({ kind: "incomplete" });
  });

  it("is followed through nodes of up to 64 KiB, however deep", async () => {
    const longest = 65_536 - cborOf({ "metadata.json": leaf.cid, text: "x".repeat(300) }).length + 300;
    const withText = (length: number) => nodeIn({ "metadata.json": leaf.cid, text: "x".repeat(length) });
    const deep = blockOf(0x71, Buffer.alloc(65_536, 0x81));

    expect(withText(longest).bytes).toHaveLength(65_536);
    expect(await readBlocks([leaf, withText(longest)], ["metadata.json"])).toMatchObject({ kind: "content" });
    expect(await readBlocks([leaf, withText(longest + 1)], ["metadata.json"])).toEqual({
      kind: "unverifiable",
      message: "the content can't be read as a file (65537 bytes of CBOR)",
    });
    expect(await readBlocks([deep], ["0"])).toMatchObject({ kind: "unverifiable" });
  });
});

describe("a CAR that lies", () => {
  it("is a mismatch: one bit differs", async () => {
    const cid = await blocks.add({ "1.json": TEXT, "2.json": "other" });

    expect(await read(cid, ["1.json"], { change: tampered })).toBe("mismatch");
  });

  it("is a mismatch: the CAR of other content, whatever root its header names", async () => {
    const cid = await blocks.add({ "": TEXT });
    const other = await entityBlocks(blocks, await blocks.add({ "": "something else" }));

    expect(await read(cid, [], { change: () => other })).toBe("mismatch");
  });

  it("never gives other content than that of the path", async () => {
    const cid = await blocks.add({ "1.json": TEXT, "2.json": "other" });
    const other = await entityBlocks(blocks, `${cid}/2.json`);

    expect(await read(cid, ["1.json"], { change: () => other })).toBe("incomplete");
  });
});

describe("a CAR that lacks something", () => {
  it.each(["first", "middle", "last"])("is incomplete without the %s block of a deep file", async (which) => {
    const cid = await blocks.add({ "": randomBytes(90_000) }, { chunker: fixedSize({ chunkSize: 128 }) });
    const without = (all: readonly Block[]): Block[] => {
      const at = { first: 1, middle: all.length >> 1, last: all.length - 1 }[which];
      const gone = all[at ?? 0];
      return all.filter(({ bytes }) => bytes !== gone?.bytes);
    };

    expect(await read(cid, [], { change: without })).toBe("incomplete");
  });

  it("is incomplete or whole wherever it is cut, and never wrong", async () => {
    const content = randomBytes(3_000);
    const cid = await blocks.add({ "d/f": content }, small);
    const car = await carOf(cid, await entityBlocks(blocks, `${cid}/d/f`));

    await fc.assert(
      fc.asyncProperty(fc.nat({ max: car.length - 1 }), async (length) => {
        const answer = await verifyCar(car.subarray(0, length), { cid, path: ["d", "f"] }, LIMIT);
        expect(answer.kind).toBe("incomplete");
      }),
    );
  });

  it("or has any byte changed gives the content or none", async () => {
    const content = randomBytes(3_000);
    const cid = await blocks.add({ "d/f": content }, small);
    const car = await carOf(cid, await entityBlocks(blocks, `${cid}/d/f`));

    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: car.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const other = Buffer.from(car);
          other[at] = (other[at] ?? 0) ^ change;
          const answer = await verifyCar(other, { cid, path: ["d", "f"] }, LIMIT);
          if (answer.kind === "content") expect(answer.body.equals(content)).toBe(true);
        },
      ),
    );
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("<html>no CAR</html>")],
    ["zeros", Buffer.alloc(5_000)],
  ])("is incomplete: %s", async (_what, car) => {
    const cid = await blocks.add({ "": TEXT });

    expect(await verifyCar(car, { cid, path: [] }, LIMIT)).toMatchObject({ kind: "incomplete" });
  });
});

describe("content over the limit", () => {
  it("is too large by its own blocks, or read up to there", async () => {
    const content = randomBytes(9_000);
    const cid = await blocks.add({ "": content }, small);

    expect(await read(cid, [], { limit: { bytesMax: 8_999 } })).toBe("too_large");
    expect(await read(cid, [], { limit: { bytesMax: 9_000 } })).toBe(content.toString());
    expect(await read(cid, [], { limit: { bytesMax: 700, isStartEnough: true } as typeof LIMIT })).toBe(
      content.subarray(0, 700).toString(),
    );
  });

  it("is read up to there without a block beyond it", async () => {
    const content = randomBytes(9_000);
    const cid = await blocks.add({ "": content }, small);
    const limit = { bytesMax: 1_024, isStartEnough: true };
    const change = (all: readonly Block[]) => all.slice(0, 3);

    expect(await read(cid, [], { limit, change })).toBe(content.subarray(0, 1_024).toString());
  });

  it("of 64 MiB in a few blocks is too large without being built", async () => {
    const bomb = new Blocks();
    const zeros = Buffer.alloc(1024 * 1024);
    const cid = await bomb.add(
      { "": Buffer.concat(Array.from({ length: 64 }, () => zeros)) },
      { chunker: fixedSize({ chunkSize: 65_536 }) },
    );
    const unique = new Map((await entityBlocks(bomb, cid)).map((block) => [block.cid.toString(), block]));
    const car = await carOf(cid, [...unique.values()]);

    expect(car.length).toBeLessThan(200_000);
    expect(await verifyCar(car, { cid, path: [] }, LIMIT)).toMatchObject({ kind: "too_large" });
    const start = await verifyCar(car, { cid, path: [] }, { ...LIMIT, isStartEnough: true });
    expect(start).toMatchObject({ kind: "content", body: Buffer.alloc(LIMIT.bytesMax) });
  });

  it("in a CAR over its own limit is not taken from the gateway's word", async () => {
    const cid = await blocks.add({ "1.json": TEXT });
    const car = await carOf(cid, (await entityBlocks(blocks, `${cid}/1.json`)).slice(0, 1));

    expect(await verifyCar(car, { cid, path: ["1.json"] }, LIMIT, true)).toMatchObject({
      kind: "incomplete",
      message: expect.stringContaining("over"),
    });
    expect(carBytesMax(LIMIT.bytesMax)).toBeGreaterThan(LIMIT.bytesMax);
  });
});

describe("a CAR that would take seconds to decode", () => {
  const leaf = blockOf(0x55, Buffer.from(TEXT));
  const leafCid = leaf.cid.toString();
  const first = linkTo(leaf.cid);
  const content = { kind: "content", body: leaf.bytes };

  describe("by its header", () => {
    /** CARv2: its own header, then a CARv1 with another. */
    const version2 = (car: Buffer): Buffer => {
      const header = Buffer.alloc(40);
      header.writeBigUInt64LE(51n, 16);
      header.writeBigUInt64LE(BigInt(car.length), 24);
      return Buffer.concat([Buffer.from("0aa16776657273696f6e02", "hex"), header, car]);
    };

    it.each([
      ["version 1", (car: Buffer) => car],
      ["version 2", version2],
    ])("is read with up to 4 KiB of roots, and incomplete with more: %s", async (_version, wrap) => {
      const withRoots = async (count: number) =>
        verifyCar(
          wrap(
            await carOf(
              Array.from({ length: count }, () => leafCid),
              [leaf],
            ),
          ),
          { cid: leafCid, path: [] },
          LIMIT,
        );

      expect(await withRoots(90)).toMatchObject(content);
      expect(await withRoots(110)).toMatchObject({
        kind: "incomplete",
        message: "the gateway's CAR was cut short",
      });
    });
  });

  describe("by the links of a directory", () => {
    const directoryOf = (count: number): Block =>
      nodeOf(
        Array.from({ length: count }, (_, id) => linkTo(leaf.cid, `${id}`)),
        IS_DIRECTORY,
      );

    it("is read up to 32,768 of them", async () => {
      expect(await readBlocks([leaf, directoryOf(32_768)], ["32767"])).toMatchObject(content);
    });

    it("is too large with more", async () => {
      expect(await readBlocks([leaf, directoryOf(32_769)], ["0"])).toEqual({ kind: "too_large" });
    });
  });

  describe("by the links of a file", () => {
    it("is read up to 8,192 of them where the start is enough", async () => {
      const bytes = randomBytes(8_192 * 128);
      const cid = await blocks.add(
        { "": bytes },
        { chunker: fixedSize({ chunkSize: 128 }), layout: balanced({ maxChildrenPerNode: 8_192 }) },
      );
      const limit = { bytesMax: 700, isStartEnough: true };
      const change = (all: readonly Block[]) => all.slice(0, 20);

      expect(await read(cid, [], { limit, change })).toBe(bytes.subarray(0, 700).toString());
    });

    it("is too large with more than 32,768 in a block", async () => {
      const start = blockOf(0x55, Buffer.alloc(LIMIT.bytesMax));
      const fileOf = (count: number): Block =>
        nodeOf([linkTo(start.cid), ...Array.from({ length: count - 1 }, () => linkTo(NOTHING))], IS_FILE);

      expect(await readBlocks([start, fileOf(32_768)], [], true)).toMatchObject({ kind: "content" });
      expect(await readBlocks([start, fileOf(32_769)], [], true)).toEqual({ kind: "too_large" });
    });

    it("is too large with more in all than its bytes could have, for each has a hash", async () => {
      const links = Array.from({ length: 20_000 }, () => linkTo(NOTHING));
      const whole = Buffer.alloc(LIMIT.bytesMax);
      const start = blockOf(0x55, whole);
      /** Each node leads to the next by its first link. */
      const chainOf = (nodes: number): Block[] => {
        const chain = [start];
        for (let last = start; chain.length <= nodes; chain.push(last))
          last = nodeOf([linkTo(last.cid), ...links], IS_FILE);
        return chain;
      };

      expect(await readBlocks(chainOf(6), [], true)).toMatchObject({ kind: "content", body: whole });
      expect(await readBlocks(chainOf(7), [], true)).toEqual({ kind: "too_large" });
    });
  });

  describe("by what UnixFS says of a file", () => {
    const KIB_64 = 65_536;
    const fileOf = (...unixfs: Buffer[]): Block => nodeOf([first], Buffer.concat([IS_FILE, ...unixfs]));
    const repeated = (bytes: number[], length: number): Buffer => Buffer.alloc(length, Buffer.from(bytes));

    it("is read up to 64 KiB beside the file's own bytes", async () => {
      const own = Buffer.alloc(70_000, "a");
      const file = fileOf(field(0x12, own), repeated([0x20, 0], KIB_64));

      expect(await readBlocks([leaf, file])).toMatchObject({
        kind: "content",
        body: Buffer.concat([own, leaf.bytes]),
      });
    });

    it.each([
      ["blocksizes", repeated([0x20, 0], KIB_64 + 2)],
      ["blocksizes inside another field", field(0x22, repeated([0x20, 0], KIB_64))],
      ["times", repeated([0x42, 0], KIB_64 + 2)],
      ["bytes of no length", repeated([0x12, 0], KIB_64 + 4)],
    ])("is too large with more: %s", async (_what, unixfs) => {
      expect(await readBlocks([leaf, fileOf(unixfs)], [], true)).toEqual({ kind: "too_large" });
    });
  });

  it.each([
    [
      "a tag of two bytes",
      Buffer.from([0x92, 0x00, 8, 0x0a, 4, 1, 0x55, 0, 0, 0x12, 0]),
      "a node's field 146",
    ],
    [
      "a length of more bytes than it needs",
      Buffer.from([0x12, 0x88, 0x00, 0x0a, 4, 1, 0x55, 0, 0, 0x12, 0]),
      "not minimally encoded",
    ],
  ])("by links that no encoder writes can't be read: %s", async (_what, link, message) => {
    expect(await readBlocks([leaf, nodeOf([link], IS_FILE)])).toMatchObject({
      kind: "unverifiable",
      message: expect.stringContaining(message),
    });
  });

  it("by fields behind bytes whose length has 33 bits can't be read", async () => {
    const unixfs = Buffer.concat([IS_FILE, Buffer.from([0x12]), varintOf(2 ** 32), Buffer.from([0x20, 0])]);

    expect(await readBlocks([leaf, nodeOf([first], unixfs)])).toMatchObject({ kind: "unverifiable" });
  });

  it("by CBOR is not decoded", async () => {
    expect(await readBlocks([blockOf(0x71, Buffer.from([0xff]))])).toMatchObject({
      kind: "unverifiable",
      message: "the content can't be read as a file (codec 71)",
    });
  });

  it("by a link with more than 64 KiB of content in itself can't be read", async () => {
    const inline = (length: number) => linkTo(CID.createV1(0x55, createDigest(0, Buffer.alloc(length, "a"))));

    expect(await readBlocks([nodeOf([inline(65_536)], IS_FILE)])).toMatchObject({ kind: "content" });
    expect(await readBlocks([nodeOf([inline(65_537)], IS_FILE)])).toMatchObject({
      kind: "unverifiable",
      message: "the content can't be read as a file (hash 0 of 65537 bytes)",
    });
  });
});

it.each([
  ["no CID", "bafynonsense"],
  ["another hash", CID.createV1(0x55, createDigest(0x1b, Buffer.alloc(32))).toString()],
  ["a short hash", CID.createV1(0x55, createDigest(0x12, Buffer.alloc(20))).toString()],
])("what has %s can't be verified", async (_what, cid) => {
  expect(await verifyCar(Buffer.alloc(0), { cid, path: [] }, LIMIT)).toMatchObject({ kind: "unverifiable" });
});

describe("a CID of many digits", () => {
  // Content in the CID itself (identity).
  const cid = CID.createV1(0x55, createDigest(0, Buffer.alloc(5_000, "a")));

  it.each([
    ["base 58", base58btc],
    ["base 36", base36],
  ])("is not decoded in %s, which takes the square of their number", (_, base) => {
    expect(verifiableCid(cid.toString(base))).toBeUndefined();
    expect(
      verifiableCid(CID.createV1(0x55, createDigest(0, Buffer.alloc(100, "a"))).toString(base)),
    ).toBeDefined();
  });

  it("is decoded up to 256 characters in base 36", () => {
    const textOf = (bytes: number) =>
      CID.createV1(0x55, createDigest(0, Buffer.alloc(bytes, "a"))).toString(base36);
    let bytes = 100;
    while (textOf(bytes + 1).length <= 256) bytes++;

    expect(textOf(bytes).length).toBeGreaterThan(254);
    expect(verifiableCid(textOf(bytes))).toBeDefined();
    expect(verifiableCid(textOf(bytes + 1))).toBeUndefined();
  });

  it("is decoded in base 32", () => {
    expect(verifiableCid(cid.toString(base32))?.equals(cid)).toBe(true);
  });
});
