import { describe, expect, it } from "vitest";
import { renderAtMostEvery } from "../../../../src/api/http/server/render-metrics.ts";

/** A registry that counts its renderings. */
function createRegistry() {
  let rendered = 0;
  let fails = false;
  return {
    failNext: () => {
      fails = true;
    },
    async metrics(): Promise<string> {
      rendered++;
      if (fails) {
        fails = false;
        throw new Error("a collector failed");
      }
      return `rendered ${rendered}`;
    },
  };
}

describe("metrics that are rendered at most once a second", () => {
  it("are the same for all who ask meanwhile, and new afterwards", async () => {
    const registry = createRegistry();
    let now = 5_000;
    renderAtMostEvery(registry, 1_000, () => now);

    const asked = await Promise.all(Array.from({ length: 5 }, () => registry.metrics()));
    now += 999;
    expect([...asked, await registry.metrics()]).toEqual(Array(6).fill("rendered 1"));
    now += 1;
    expect(await registry.metrics()).toBe("rendered 2");
  });

  it("are rendered again at once after a failure", async () => {
    const registry = createRegistry();
    registry.failNext();
    renderAtMostEvery(registry, 1_000, () => 0);

    await expect(registry.metrics()).rejects.toThrow("a collector failed");
    expect(await registry.metrics()).toBe("rendered 2");
  });
});
