/** The cases of test/fixtures: their sources, and the expected results. */

import { readdirSync, readFileSync } from "node:fs";

const root = new URL("../../fixtures/", import.meta.url);

interface Origin {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
}

/** Copied from a project, or written for a rule that one of a project's own cases exercises. */
export type Provenance = (Origin | { readonly rule: string; readonly like: Origin }) & {
  readonly file?: string;
};

/** `agreed`: other projects refuse it too. */
export interface Failure {
  readonly failure: string;
  readonly agreed?: boolean;
}

export interface Kept {
  readonly name: string | null;
  readonly image: string | null;
  /** Which optional fields are stored. */
  readonly others: readonly string[];
  readonly traits: readonly string[];
  /** `code at path`, in order. */
  readonly issues: readonly string[];
  readonly complete: boolean;
}

export type DocumentCase = Provenance & { readonly file: string; readonly expect: Kept | Failure };
export type UriCase = Provenance & {
  readonly uri?: string;
  readonly expect: { readonly first?: string; readonly content: string } | Failure;
};
export type BodyCase = Provenance & {
  readonly file: string;
  readonly contentType: string;
  readonly expect: Failure;
};
export interface EntryCase {
  readonly display_type: string;
  readonly value: unknown;
  /** `kept`, or the code of the issue. */
  readonly expect: string;
}

export const readFixture = (path: string): Buffer => readFileSync(new URL(path, root));
export const readJson = (path: string): unknown => JSON.parse(readFixture(path).toString());

export const documents = (readJson("documents/index.json") as { documents: DocumentCase[] }).documents;
export const uris = (readJson("uris/index.json") as { uris: UriCase[] }).uris;
export const bodies = (readJson("bodies/index.json") as { bodies: BodyCase[] }).bodies;
export const entries = (readJson("entries/index.json") as { entries: EntryCase[] }).entries;

export const textOf = (row: UriCase): string => row.uri ?? readFixture(`uris/${row.file}`).toString();

/** The files of a fixtures folder, except its index. */
export const filesOf = (folder: string): string[] =>
  readdirSync(new URL(`${folder}/`, root))
    .filter((file) => file !== "index.json")
    .sort();
