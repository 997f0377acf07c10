import fc from "fast-check";
import { encodeAbiParameters, pad, toEventSelector, toHex } from "viem";
import { describe, expect, it } from "vitest";
import { tokenEventsAbi } from "../../abis/token-events.ts";
import { asAddress, firstWords, readArguments, readUsual } from "../../src/domain/event-log.ts";
import { UINT256_MAX } from "../../src/domain/token-ref.ts";

const TOPIC = pad("0xf8");
const word = (id: bigint) => toHex(id, { size: 32 });
const words = (...ids: bigint[]) =>
  encodeAbiParameters(
    ids.map(() => ({ type: "uint256" })),
    ids,
  );

it("are watched for under the topics of ERC-4906", () => {
  const topicOf = (name: string) => {
    const event = tokenEventsAbi.find((each) => each.name.startsWith(name));
    return event && toEventSelector(event);
  };

  expect(topicOf("MetadataUpdate")).toBe(toEventSelector("event MetadataUpdate(uint256 _tokenId)"));
  expect(topicOf("BatchMetadataUpdate")).toBe(
    toEventSelector("event BatchMetadataUpdate(uint256 _fromTokenId, uint256 _toTokenId)"),
  );
});

describe("the ids of a log", () => {
  it.each([
    ["in the final layout", [TOPIC], words(7n), 1, [7n]],
    ["in the draft's layout", [TOPIC, word(7n)], "0x", 1, [7n]],
    ["of a range in the final layout", [TOPIC], words(0n, UINT256_MAX), 2, [0n, UINT256_MAX]],
    ["of a range in the draft's layout", [TOPIC, word(9n), word(2n)], "0x", 2, [9n, 2n]],
    ["of a range with its first id indexed", [TOPIC, word(1n)], words(5n), 2, [1n, 5n]],
    ["with topics that the store filled up", [TOPIC, word(7n), null, null], "0x", 1, [7n]],
    ["in the final layout, filled up", [TOPIC, null, null, null], words(3n), 1, [3n]],
    ["of a log that fits both layouts, once", [TOPIC, word(4n)], words(4n), 1, [4n]],
    ["before surplus data", [TOPIC], words(1n, 2n, 3n), 1, [1n]],
    ["of nothing at all", [TOPIC], "0x", 1, undefined],
    ["of a word cut short", [TOPIC], words(1n).slice(0, -2), 1, undefined],
    ["of half a range", [TOPIC], words(1n), 2, undefined],
    ["of half a range in a topic", [TOPIC, word(1n)], "0x", 2, undefined],
  ])("%s", (_name, topics, data, count, ids) => {
    expect(firstWords({ topics, data }, count)).toEqual(ids);
  });

  it("are exact for any uint256, wherever they stand", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, UINT256_MAX), fc.bigInt(0n, UINT256_MAX), fc.nat(2), (from, to, indexed) => {
        const ids = [from, to];
        const topics = [TOPIC, ...ids.slice(0, indexed).map(word)];
        const data = words(...ids.slice(indexed));
        expect(firstWords({ topics, data }, 2)).toEqual(ids);
      }),
    );
  });
});

describe("the arguments of a Transfer", () => {
  const FROM = 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266n;
  const TO = 0x70997970c51812dc3a010c7d01b50e0d17dc79c8n;
  const TRANSFER = ["address", "address", "uint256"] as const;
  const names = ["from", "to", "id"] as const;
  type Name = (typeof names)[number];
  const read = (values: Record<Name, bigint>, indexed: readonly Name[]) =>
    readArguments(
      {
        topics: [TOPIC, ...indexed.map((name) => word(values[name]))],
        data: words(...names.filter((name) => !indexed.includes(name)).map((name) => values[name])),
      },
      TRANSFER,
    );
  const transfer = { from: FROM, to: TO, id: 7n };
  const mint = { from: 0n, to: TO, id: 7n };
  const burn = { from: FROM, to: 0n, id: 7n };

  it.each<[string, readonly Name[]]>([
    ["of ERC-721", ["from", "to", "id"]],
    ["of AxieCore", ["from", "to"]],
    ["of CryptoKitties", []],
    ["with the id indexed", ["id"]],
    ["with the sender indexed", ["from"]],
  ])("are the same in the layout %s", (_name, indexed) => {
    for (const values of [transfer, mint, burn, { ...transfer, id: 0n }, { ...transfer, id: UINT256_MAX }]) {
      expect(read(values, indexed)).toEqual([values.from, values.to, values.id]);
    }
  });

  it("are those of the usual layout without a doubt, whatever the id looks like", () => {
    const DEAD = 0xdeadn;
    const addresses = [0n, DEAD, FROM, TO];
    const usual = (from: bigint, to: bigint, id: bigint) =>
      readUsual({ topics: [TOPIC, word(from), word(to)], data: words(id) }, TRANSFER, [0, 1]);
    for (const from of addresses) {
      for (const to of addresses) {
        for (const id of [0n, 7n, DEAD, TO, FROM << 8n, UINT256_MAX]) {
          expect(usual(from, to, id)).toEqual({ words: [from, to, id], isDoubtful: false });
        }
      }
    }
    // Any address may receive a token.
    expect(usual(FROM, 1n, 7n)).toEqual({ words: [FROM, 1n, 7n], isDoubtful: false });
  });

  it("are in doubt if a number stands for an address, and another layout fits better", () => {
    const log = { topics: [TOPIC, word(FROM), word(7n)], data: words(TO) };
    expect(readUsual(log, TRANSFER, [0, 1])).toEqual({ words: [FROM, 7n, TO], isDoubtful: true });
  });

  it("are not in the usual layout if they are more or fewer, or don't fit", () => {
    const usual = (topics: bigint[], ...data: bigint[]) =>
      readUsual({ topics: [TOPIC, ...topics.map(word)], data: words(...data) }, TRANSFER, [0, 1]);
    expect(usual([FROM], TO, 7n)).toBeUndefined();
    expect(usual([FROM, TO, 7n])).toBeUndefined();
    expect(usual([FROM, UINT256_MAX], TO)).toBeUndefined();
  });

  it("are not guessed where two layouts fit alike", () => {
    expect(read(transfer, ["from", "id"])).toBeUndefined();
  });

  it("are nothing where words are missing, are no addresses, or are one too many", () => {
    expect(readArguments({ topics: [TOPIC, word(FROM), word(TO)], data: "0x" }, TRANSFER)).toBeUndefined();
    expect(readArguments({ topics: [TOPIC], data: words(UINT256_MAX, TO, 7n) }, TRANSFER)).toBeUndefined();
    expect(readArguments({ topics: [TOPIC, word(1n), word(2n)], data: "0x" }, ["uint256"])).toBeUndefined();
  });

  it("read a flag as 0 or 1 only", () => {
    const locked = (flag: bigint) =>
      readArguments({ topics: [TOPIC, word(7n)], data: words(flag) }, ["uint256", "bool"]);
    expect([locked(0n), locked(1n)]).toEqual([
      [7n, 0n],
      [7n, 1n],
    ]);
    expect(locked(7n)).toBeUndefined();
  });

  it("write addresses as Ponder does", () => {
    expect(asAddress(FROM)).toBe("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
    expect(asAddress(0n)).toBe("0x0000000000000000000000000000000000000000");
  });
});
