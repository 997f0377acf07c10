import { describe, expect, it } from "vitest";
import { createCipher, deriveKey } from "../../../src/api/access/keys/encryption.ts";

const OLD = "the-old-secret-with-enough-characters";
const NEW = "the-new-secret-with-enough-characters";
const cipher = (current: string, previous?: string) => createCipher({ current, previous }, "api-key");

describe("a ciphertext", () => {
  it("opens to the same text, under the name it was encrypted with", () => {
    const encrypted = cipher(NEW).encrypt("vk_text äöü", "api_key:1");

    expect(cipher(NEW).open(encrypted, "api_key:1")).toBe("vk_text äöü");
    expect(encrypted.includes(Buffer.from("vk_text"))).toBe(false);
  });

  it("moved to another row opens to nothing", () => {
    expect(cipher(NEW).open(cipher(NEW).encrypt("text", "api_key:1"), "api_key:2")).toBeUndefined();
  });

  it("with any one byte changed, cut off or added opens to nothing", () => {
    const encrypted = cipher(NEW).encrypt("text", "row");
    const changed = Array.from(encrypted, (byte, at) => {
      const copy = Buffer.from(encrypted);
      copy[at] = byte ^ 1;
      return copy;
    });

    for (const each of [
      ...changed,
      encrypted.subarray(0, -1),
      Buffer.concat([encrypted, Buffer.of(0)]),
      Buffer.of(),
    ]) {
      expect(cipher(NEW).open(each, "row")).toBeUndefined();
    }
  });

  it("is never the same twice", () => {
    const ciphertexts = Array.from({ length: 100 }, () => cipher(NEW).encrypt("text", "row").toString("hex"));

    expect(new Set(ciphertexts).size).toBe(100);
  });
});

describe("a rotation of the secret", () => {
  it("opens what the previous secret encrypted, and encrypts with the current one", () => {
    const encrypted = cipher(OLD).encrypt("text", "row");
    const rotated = cipher(NEW, OLD);

    expect(rotated.open(encrypted, "row")).toBe("text");
    expect(cipher(NEW).open(rotated.encrypt("text", "row"), "row")).toBe("text");
    expect(cipher(OLD).open(rotated.encrypt("text", "row"), "row")).toBeUndefined();
  });

  it("never keeps a replica from reading what another has encrypted, if all know the new secret first", () => {
    const steps = [cipher(OLD), cipher(OLD, NEW), cipher(NEW, OLD), cipher(NEW)];
    for (const [step, before] of steps.slice(0, -1).entries()) {
      const after = steps[step + 1] ?? before;
      expect(before.open(after.encrypt("text", "row"), "row")).toBe("text");
      expect(after.open(before.encrypt("text", "row"), "row")).toBe("text");
    }
  });

  it("is over when the previous secret is unset: what it encrypted does not open", () => {
    expect(cipher(NEW).open(cipher(OLD).encrypt("text", "row"), "row")).toBeUndefined();
  });

  it("is recognised by the mark at the start of every ciphertext of a secret", () => {
    const encrypted = cipher(OLD).encrypt("text", "row");

    expect(encrypted.subarray(0, cipher(OLD).mark.length)).toEqual(cipher(OLD).mark);
    expect(cipher(NEW).mark).not.toEqual(cipher(OLD).mark);
  });
});

it("derives another key for each use and each secret", () => {
  const keys = [OLD, NEW].flatMap((secret) =>
    (["api-key", "session-cookie", "mark"] as const).map((use) => deriveKey(secret, use).toString("hex")),
  );

  expect(new Set(keys).size).toBe(keys.length);
});
