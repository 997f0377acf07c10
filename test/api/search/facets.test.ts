import { expect, it } from "vitest";
import { createYield, runSteps } from "../../../src/api/async/yield-to-event-loop.ts";
import {
  type CollectionIndex,
  createCollectionIndex,
} from "../../../src/api/search/index/collection-index.ts";
import { facetSteps } from "../../../src/api/search/index/facets.ts";
import type { CountedFacets } from "../../../src/api/search/query.ts";

// Counted in several steps.
const TOKENS = 40_000;

/** Every `rare`th token has a value of its own; the others share one. */
async function createIndex(rare: number): Promise<CollectionIndex> {
  const index = createCollectionIndex();
  index.documents.begin();
  index.documents.end();
  index.table.addType({ id: 1, key: "=Kind", name: "Kind", displayType: "string", highest: null });
  for (const [nth, text] of ["rare", "common"].entries()) {
    index.table.addValue({
      id: 10 + nth,
      typeId: 1,
      displayType: "string",
      text,
      longKey: null,
      number: null,
    });
  }
  const rest = { name: null, description: null, servedAt: null, sinceBlock: null, document: null };
  for (let id = 0; id < TOKENS; id++)
    index.append({ ...rest, tokenId: String(id), traits: [id % rare === 0 ? 10 : 11] });
  await index.finish(createYield());
  return index;
}

it("facets that are counted in steps hold their own counts, whatever else is counted between the steps", async () => {
  const [index, other] = [await createIndex(4), await createIndex(5)];
  const count = (of: CollectionIndex) => facetSteps(of, evenSlots(of), TOKENS);
  const alone = runSteps(count(index));
  expect(shown(alone)).toEqual({ common: TOKENS / 4, rare: TOKENS / 4 });

  const stepped = count(index);
  let steps = 0;
  let found: CountedFacets | undefined;
  while (!found) {
    const step = stepped.next();
    if (step.done) found = step.value;
    else expect(shown(runSteps(count(other)))).toEqual({ common: (TOKENS * 2) / 5, rare: TOKENS / 10 });
    steps++;
  }
  expect(steps).toBeGreaterThan(2);
  expect(found).toEqual(alone);
});

function evenSlots({ present }: CollectionIndex): Uint32Array<ArrayBuffer> {
  return present.map((word) => word & 0x5555_5555);
}

const shown = ({ traits }: CountedFacets): Record<string, number> =>
  Object.fromEntries(
    traits.flatMap(({ values, counts }) => values.map((value, nth) => [value, counts[nth]] as const)),
  );
