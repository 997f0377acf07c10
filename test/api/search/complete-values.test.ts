/** The completion of a trait with many numbers, which goes on in steps. */
import { expect, it, vi } from "vitest";
import { createYield, runSteps } from "../../../src/api/async/yield-to-event-loop.ts";
import { createCollectionIndex } from "../../../src/api/search/index/collection-index.ts";
import { completeSteps } from "../../../src/api/search/index/complete-values.ts";

const VALUES = 24_000;

async function withNumbers() {
  const index = createCollectionIndex();
  index.table.addType({ id: 1, key: "=Serial", name: "Serial", displayType: "number", highest: null });
  for (let n = 0; n < VALUES; n++) {
    const text = JSON.stringify(n === 0 ? 1e21 : n);
    index.table.addValue({
      id: n + 1,
      typeId: 1,
      displayType: "number",
      text,
      longKey: null,
      number: Number(text),
    });
    const none = { name: null, description: null, servedAt: null, sinceBlock: null, document: null };
    index.append({ ...none, tokenId: String(n), traits: [n + 1] });
  }
  await index.finish(createYield());
  return { index, listed: { counts: index.table.counts.slice(), total: VALUES } };
}

it("takes a step for every few thousand values, and folds none of them", async () => {
  const { index, listed } = await withNumbers();
  const folds = vi.spyOn(String.prototype, "normalize");
  const steps = completeSteps(index, { name: "Serial", prefix: "12", limit: 3 }, listed);
  let count = 1;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(4);
  expect(folds.mock.calls.length).toBeLessThan(10);
  folds.mockRestore();
});

it.each(["", "12", "1E+2", "x"])(
  "lists the numbers whose text begins with %j, in any case",
  async (prefix) => {
    const { index, listed } = await withNumbers();
    const { total, values } = runSteps(completeSteps(index, { name: "Serial", prefix, limit: 2 }, listed));
    const fitting = [...Array.from({ length: VALUES - 1 }, (_, n) => n + 1), 1e21].filter((number) =>
      String(number).startsWith(prefix.toLowerCase()),
    );
    expect(total).toBe(fitting.length);
    expect(values.map(({ value }) => value)).toEqual(fitting.slice(0, 2));
  },
);
