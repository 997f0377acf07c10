/** What is asked of a search index and how it answers, in a form that crosses threads cheaply. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
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

export interface FacetsQuestion {
  readonly filter: TokenFilter;
  /** The stamp of the answer that the asker has. */
  readonly known?: string | undefined;
}

export interface FacetsAnswer {
  /** As long as it is the same, the facets of this filter are too. */
  readonly stamp: string;
  /** Null if the asker has them. */
  readonly packed: PackedFacets | null;
}

/** The questions by kind. */
export interface Asked {
  readonly page: TokenQuery;
  readonly facets: FacetsQuestion;
  readonly panel: FacetsQuestion;
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
  readonly facets: FacetsAnswer;
  readonly panel: FacetsAnswer;
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
