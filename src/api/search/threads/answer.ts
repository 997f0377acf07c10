/** Asks one collection's answers by kind of question. */

import { randomUUID } from "node:crypto";
import type { CollectionAnswers } from "../collection-search.ts";
import type { CountedFacets } from "../query.ts";
import { packFacets } from "./packed-facets.ts";
import type { Answered, Asked, FacetsAnswer, Kind } from "./questions.ts";

/** Facets never change once they are counted: those that are kept are the same object the next time. */
const stamps = new WeakMap<CountedFacets, string>();

function answerFacets(counted: CountedFacets, known: string | undefined): FacetsAnswer {
  const stamp = stamps.get(counted) ?? randomUUID();
  stamps.set(counted, stamp);
  return { stamp, packed: stamp === known ? null : packFacets(counted) };
}

type Answers = {
  readonly [K in Kind]: (from: CollectionAnswers, asked: Asked[K]) => Promise<Answered[K]>;
};

const answers: Answers = {
  page: (from, query) => from.page(query),
  facets: async (from, { filter, known }) => answerFacets(await from.facets(filter), known),
  panel: async (from, { filter, known }) => answerFacets(await from.panel(filter), known),
  countTraits: (from, question) => from.countTraits(question),
  countsStamp: (from) => from.countsStamp(),
  completeValues: (from, asked) => from.completeValues(asked),
  findNamed: (from, asked) => from.findNamed(asked),
  shownTypes: (from, names) => from.shownTypes(names),
  warm: async () => null,
};

export const answer = <K extends Kind>(
  from: CollectionAnswers,
  kind: K,
  asked: Asked[K],
): Promise<Answered[K]> => answers[kind](from, asked);
