/** Statements that an operator should hear of: slow ones are logged, and a failed one can be named by its error. */

import type { Logger } from "../logging/logger.ts";
import { requestsSince } from "../tracing/requests-in-flight.ts";
import { inSpan, SpanKind } from "../tracing/spans.ts";

const SLOW_MS = 1_000;
// While the database stalls, every statement is slow.
const LINE_EVERY_MS = 1_000;
const LABEL_LENGTH_MAX = 200;
const TRACED_LENGTH_MAX = 2_000;

export interface Statement {
  readonly text: string;
  readonly name?: string | undefined;
}

export interface StatementWatch {
  /** Called after each statement with when it began (`performance.now()`), before the wait for a connection. */
  ended(statement: Statement, startedAt: number): void;
}

/** A name that says something; a `planName` is a hash. */
const wordsOf = ({ name }: Statement): string | undefined =>
  name !== undefined && /^[a-z][a-z ,]*$/.test(name) ? name : undefined;

/** The name, or the start of the text; never the parameters. */
const labelOf = (statement: Statement): string =>
  wordsOf(statement) ?? statement.text.replace(/\s+/g, " ").trim().slice(0, LABEL_LENGTH_MAX);

/** The name, or the verb and the first table. */
function spanLabel(statement: Statement): string {
  const { text } = statement;
  const verb = /[a-z]+/i.exec(text)?.[0] ?? "statement";
  const table = /\b(?:from|into|update)\s+([\w".]+)/i.exec(text)?.[1];
  return wordsOf(statement) ?? (table === undefined ? verb : `${verb} ${table}`);
}

/** Warns of slow statements, at most once a second, with the requests that waited meanwhile. */
export function createStatementWatch(logger: Logger): StatementWatch {
  let warnedAt = Number.NEGATIVE_INFINITY;
  let others = 0;
  return {
    ended(statement, startedAt) {
      const now = performance.now();
      if (now - startedAt < SLOW_MS) return;
      if (now - warnedAt < LINE_EVERY_MS) {
        others++;
        return;
      }
      const waiting = requestsSince(startedAt);
      logger.warn({
        msg: "Slow statement",
        statement: labelOf(statement),
        duration_ms: Math.round(now - startedAt),
        ...(waiting.length > 0 && { waiting_request_ids: waiting.join(",") }),
        ...(others > 0 && { others }),
      });
      warnedAt = now;
      others = 0;
    },
  };
}

const failed = new WeakMap<object, string>();

/** Remembers which statement an error came from. */
export function noteFailed(statement: Statement, error: unknown): void {
  if (error instanceof Error) failed.set(error, labelOf(statement));
}

/** The statement that this error, or what caused it, came from. */
export function failedStatement(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const statement = failed.get(cause);
    if (statement !== undefined) return statement;
  }
  return undefined;
}

/** Runs a statement in a span of its request. */
export const inStatementSpan = <Result>(statement: Statement, run: () => Promise<Result>): Promise<Result> =>
  inSpan(
    spanLabel(statement),
    () => ({
      kind: SpanKind.CLIENT,
      attributes: {
        "db.system.name": "postgresql",
        "db.query.summary": labelOf(statement),
        "db.query.text": statement.text.slice(0, TRACED_LENGTH_MAX),
      },
    }),
    run,
  );
