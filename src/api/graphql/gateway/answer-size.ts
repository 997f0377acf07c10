/** Limits on the size of answers. */

import { GraphQLError } from "graphql";

// Ten of Ponder's lists with 1,000 rows each and every column. An answer stays in memory until the client has read it.
export const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

// To write an answer of hundreds of megabytes, only to measure and refuse it, would take seconds.
const MEASURED_CHARACTERS_MAX = 2 * ANSWER_BYTES_MAX;

/** What was counted of each request's results so far. */
const countedOf = new WeakMap<WeakKey, number>();

/** The error of a result that is far too large to be written, together with others of the same request. */
export function resultSizeError(result: unknown, request: WeakKey): GraphQLError | undefined {
  let characters = countedOf.get(request) ?? 0;
  const left: unknown[] = [result];
  while (left.length > 0) {
    const value = left.pop();
    characters += typeof value === "string" ? value.length : 1;
    if (characters > MEASURED_CHARACTERS_MAX) break;
    if (typeof value !== "object" || value === null) continue;
    for (const each of Array.isArray(value) ? value : Object.values(value)) left.push(each);
  }
  countedOf.set(request, characters);
  if (characters <= MEASURED_CHARACTERS_MAX) return undefined;
  return excessiveAnswer(["the answer has", "it"], `over ${MEASURED_CHARACTERS_MAX}`);
}

/** The error of an answer that exceeds the limit. */
export function sizeError(json: string): GraphQLError | undefined {
  // A character takes at most three bytes.
  const bytes = json.length * 3 <= ANSWER_BYTES_MAX ? 0 : Buffer.byteLength(json);
  return bytesError(bytes, ["the answer has", "it"]);
}

/** The error of answers that exceed the limit together. */
export function batchSizeError(answers: readonly string[]): GraphQLError | undefined {
  const bytes = answers.reduce((sum, json) => sum + Buffer.byteLength(json), 0);
  return bytesError(bytes, ["the answers together have", "they"]);
}

type Subject = readonly [what: string, it: string];

const bytesError = (bytes: number, subject: Subject): GraphQLError | undefined =>
  bytes <= ANSWER_BYTES_MAX ? undefined : excessiveAnswer(subject, String(bytes));

const excessiveAnswer = ([what, it]: Subject, bytes: string): GraphQLError =>
  new GraphQLError(
    `${what} ${bytes} bytes; ${it} may have at most ${ANSWER_BYTES_MAX}: ask for fewer or smaller lists at once`,
  );
