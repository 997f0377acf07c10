/** Asks one collection's answers by kind of question. */

import type { CollectionAnswers } from "../collection-search.ts";
import { packFacets } from "./packed-facets.ts";
import type { Answered, Asked, Kind } from "./questions.ts";

type Answers = {
  readonly [K in Kind]: (from: CollectionAnswers, asked: Asked[K]) => Promise<Answered[K]>;
};

const answers: Answers = {
  page: (from, query) => from.page(query),
  facets: async (from, filter) => packFacets(await from.facets(filter)),
  panel: async (from, filter) => packFacets(await from.panel(filter)),
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
