import fc from "fast-check";
import { encodeAbiParameters, pad, toEventSelector, toHex } from "viem";
import { describe, expect, it } from "vitest";
import { tokenEventsAbi } from "../../abis/token-events.ts";
import { updatedIds } from "../../src/domain/metadata-update-log.ts";
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
    ["of nothing at all", [TOPIC], "0x", 1, []],
    ["of a word cut short", [TOPIC], words(1n).slice(0, -2), 1, []],
    ["of half a range", [TOPIC], words(1n), 2, []],
    ["of half a range in a topic", [TOPIC, word(1n)], "0x", 2, []],
  ])("%s", (_name, topics, data, count, ids) => {
    expect(updatedIds({ topics, data }, count)).toEqual(ids);
  });

  it("are exact for any uint256, wherever they stand", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, UINT256_MAX), fc.bigInt(0n, UINT256_MAX), fc.nat(2), (from, to, indexed) => {
        const ids = [from, to];
        const topics = [TOPIC, ...ids.slice(0, indexed).map(word)];
        const data = words(...ids.slice(indexed));
        expect(updatedIds({ topics, data }, 2)).toEqual(ids);
      }),
    );
  });
});
