import { describe, expect, it } from "vitest";
import { cacheByText } from "../../../src/api/graphql/gateway/document-cache.ts";

function createCounted(isLasting: (length: number) => boolean = () => true) {
  const prepared: string[] = [];
  const lookUp = cacheByText((text) => {
    prepared.push(text);
    return text.length;
  }, isLasting);
  return { prepared, lookUp };
}

describe("cacheByText", () => {
  it("prepares a text once", () => {
    const { prepared, lookUp } = createCounted();

    expect([lookUp("a"), lookUp("a")]).toEqual([1, 1]);
    expect(prepared).toEqual(["a"]);
  });

  it("keeps 500 texts and forgets the one least recently used", () => {
    const { prepared, lookUp } = createCounted();
    for (let n = 0; n < 500; n += 1) lookUp(`text ${n}`);

    lookUp("text 0");
    lookUp("one more");
    prepared.length = 0;
    lookUp("text 0");
    lookUp("text 1");

    expect(prepared).toEqual(["text 1"]);
  });

  it("keeps 200 000 characters at most, so that long texts fill no memory", () => {
    const { prepared, lookUp } = createCounted();
    const texts = Array.from({ length: 21 }, (_, n) => String.fromCharCode(97 + n).repeat(10_000));
    for (const text of texts) lookUp(text);

    prepared.length = 0;
    lookUp(texts.at(-1) ?? "");
    lookUp(texts[1] ?? "");
    lookUp(texts[0] ?? "");

    expect(prepared).toEqual([texts[0]]);
  });

  it("does not keep a text over 10 000 characters", () => {
    const { prepared, lookUp } = createCounted();
    const long = "a".repeat(10_001);

    lookUp(long);
    lookUp(long);

    expect(prepared).toHaveLength(2);
  });

  it("does not keep a result that will not last", () => {
    const { prepared, lookUp } = createCounted(() => false);

    lookUp("a");
    lookUp("a");

    expect(prepared).toHaveLength(2);
  });
});
