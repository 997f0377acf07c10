/** What is asked of a search index and how it answers, in a form that crosses threads cheaply. */

import type { CollectionRef } from "../../metadata/traits/trait-type-store.ts";
import type { CountsStamp, TraitCounts, TraitQuestion } from "../collection-search.ts";
import type {
  CompletedValues,
  FoundToken,
  NameQuery,
  TokenFilter,
  TokenPage,
  TokenQuery,
  ValuePrefix,
} from "../query.ts";
import type { PackedFacets } from "./packed-facets.ts";

/** The questions by kind. */
export interface Asked {
  readonly page: TokenQuery;
  readonly facets: TokenFilter;
  readonly panel: TokenFilter;
  readonly countTraits: TraitQuestion;
  readonly countsStamp: null;
  readonly shownTypes: readonly string[];
  readonly completeValues: ValuePrefix;
  readonly findNamed: NameQuery;
  /** Only brings the search index up to date. */
  readonly warm: null;
}

/** Their answers. */
export interface Answered {
  readonly page: TokenPage;
  readonly facets: PackedFacets;
  readonly panel: PackedFacets;
  readonly countTraits: TraitCounts;
  readonly countsStamp: CountsStamp;
  readonly shownTypes: ReadonlySet<string>;
  readonly completeValues: CompletedValues;
  readonly findNamed: readonly FoundToken[];
  readonly warm: null;
}

export type Kind = keyof Asked;

export interface Question<K extends Kind = Kind> {
  readonly collection: CollectionRef;
  readonly kind: K;
  readonly asked: Asked[K];
}

/** Hears of a search index that was loaded, or has changed its size by much. */
export type OnSize = (collection: CollectionRef, bytes: number) => void;

/** Where search indexes live: another thread, or this one. */
export interface SearchHost {
  /** Loads the collection's search index on first use. */
  ask<K extends Kind>(question: Question<K>): Promise<Answered[K]>;
  /** Forgets a collection's search index. */
  drop(collection: CollectionRef): void;
  /** Answers what was asked, then ends. */
  close(): Promise<void>;
}
