/** The documents that Ponder is answering, so that it need not parse them again, nor validate one more than once. */

import type { DocumentNode } from "graphql";

/** A query of requests, and the same parsed. */
export interface SentDocument {
  readonly text: string;
  /** A copy, with which Yoga keeps the errors that it found. */
  readonly document: DocumentNode;
  /** Has the next request validate it anew: up to a hundred errors take six times the memory of the document. */
  forgetErrors(): void;
}

export function createSentDocument(text: string, parsed: DocumentNode): SentDocument {
  let document = { ...parsed };
  return {
    text,
    get document() {
      return document;
    },
    forgetErrors() {
      document = { ...parsed };
    },
  };
}

interface Cache<Value> {
  get(text: string): Value | undefined;
  set(text: string, value: Value): void;
}

/** GraphQL Yoga's option of this name; Ponder's `graphql()` takes it as patched (patches/). */
export interface ParserAndValidationCache {
  readonly documentCache: Cache<DocumentNode>;
  readonly errorCache: Cache<unknown>;
}

export interface SentDocuments {
  /**
   * Has the documents that are being sent, and stores none. What validating one found, Yoga keeps as long as the document
   * lives.
   */
  readonly cache: ParserAndValidationCache;
  /** Sends a document, which the cache has until the answer is there. */
  during<Answer>(sent: SentDocument | undefined, send: () => Promise<Answer>): Promise<Answer>;
}

const nothing: Cache<never> = { get: () => undefined, set: () => undefined };

export function createSentDocuments(): SentDocuments {
  const inUse = new Map<string, { readonly document: DocumentNode; requests: number }>();

  return {
    cache: { documentCache: { ...nothing, get: (text) => inUse.get(text)?.document }, errorCache: nothing },

    async during(sent, send) {
      if (sent === undefined) return send();
      const { text, document } = sent;
      const known = inUse.get(text) ?? { document, requests: 0 };
      inUse.set(text, known);
      known.requests++;
      try {
        return await send();
      } finally {
        known.requests--;
        if (known.requests === 0) inUse.delete(text);
      }
    },
  };
}
