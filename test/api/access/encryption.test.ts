import { describe, expect, it } from "vitest";
import { createSealer, deriveKey } from "../../../src/api/access/keys/encryption.ts";

const OLD = "the-old-secret-with-enough-characters";
const NEW = "the-new-secret-with-enough-characters";
const sealer = (current: string, previous?: string) => createSealer({ current, previous }, "api-key");

describe("a seal", () => {
  it("opens to the same text, under the name it was sealed with", () => {
    const sealed = sealer(NEW).seal("vk_text äöü", "api_key:1");

    expect(sealer(NEW).open(sealed, "api_key:1")).toBe("vk_text äöü");
    expect(sealed.includes(Buffer.from("vk_text"))).toBe(false);
  });

  it("moved to another row opens to nothing", () => {
    expect(sealer(NEW).open(sealer(NEW).seal("text", "api_key:1"), "api_key:2")).toBeUndefined();
  });

  it("with any one byte changed, cut off or added opens to nothing", () => {
    const sealed = sealer(NEW).seal("text", "row");
    const changed = Array.from(sealed, (byte, at) => {
      const copy = Buffer.from(sealed);
      copy[at] = byte ^ 1;
      return copy;
    });

    for (const each of [
      ...changed,
      sealed.subarray(0, -1),
      Buffer.concat([sealed, Buffer.of(0)]),
      Buffer.of(),
    ]) {
      expect(sealer(NEW).open(each, "row")).toBeUndefined();
    }
  });

  it("is never the same twice", () => {
    const seals = Array.from({ length: 100 }, () => sealer(NEW).seal("text", "row").toString("hex"));

    expect(new Set(seals).size).toBe(100);
  });
});

describe("a rotation of the secret", () => {
  it("opens what the previous secret sealed, and seals with the current one", () => {
    const sealed = sealer(OLD).seal("text", "row");
    const rotated = sealer(NEW, OLD);

    expect(rotated.open(sealed, "row")).toBe("text");
    expect(sealer(NEW).open(rotated.seal("text", "row"), "row")).toBe("text");
    expect(sealer(OLD).open(rotated.seal("text", "row"), "row")).toBeUndefined();
  });

  it("is over when the previous secret is unset: what it sealed does not open", () => {
    expect(sealer(NEW).open(sealer(OLD).seal("text", "row"), "row")).toBeUndefined();
  });

  it("is told by the mark that every seal of a secret starts with", () => {
    const sealed = sealer(OLD).seal("text", "row");

    expect(sealed.subarray(0, sealer(OLD).mark.length)).toEqual(sealer(OLD).mark);
    expect(sealer(NEW).mark).not.toEqual(sealer(OLD).mark);
  });
});

it("derives another key for each use and each secret", () => {
  const keys = [OLD, NEW].flatMap((secret) =>
    (["api-key", "session-cookie", "mark"] as const).map((use) => deriveKey(secret, use).toString("hex")),
  );

  expect(new Set(keys).size).toBe(keys.length);
});
