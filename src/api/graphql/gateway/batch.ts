/** Several operations in one request, which share the limits of one. */

import { GraphQLError } from "graphql";
import { batchSizeError } from "./answer-size.ts";
import { batchCostError } from "./cost.ts";
import type { EndpointAnswer } from "./endpoint.ts";
import { isPlan, type Plan, type Planner, refusal } from "./plan.ts";

export interface Batch<Context> {
  /** The elements of the body, of any shape. */
  readonly operations: readonly unknown[];
  readonly context: Context;
  readonly plan: Planner<Context>;
  readonly run: (plan: Plan<Context>) => Promise<EndpointAnswer>;
}

/**
 * Answers each operation as if it were sent alone, in an array. If they cost too much together, or several introspect,
 * none that could run is run; if they answer too much, none is answered.
 */
export async function answerBatch<Context>({
  operations,
  context,
  plan,
  run,
}: Batch<Context>): Promise<EndpointAnswer> {
  const planned: (Plan<Context> | EndpointAnswer)[] = [];
  // One after the other: each may count against the limit of new introspection queries.
  for (const [index, body] of operations.entries())
    planned.push(await plan({ body, text: JSON.stringify(body), context }, `operation ${index}`));
  const plans = planned.filter(isPlan);
  const error = introspectionError(planned) ?? batchCostError(plans.map(({ cost }) => cost));
  const answers = error
    ? planned.map((each) => (isPlan(each) || each.bytes ? refusal([error]) : each))
    : await Promise.all(planned.map((each) => (isPlan(each) ? run(each) : each)));
  const tooLarge = batchSizeError(answers.map(({ json }) => json));
  return arrayOf(tooLarge ? answers.map(() => refusal([tooLarge])) : answers);
}

// A cached answer costs nothing to make, but each copy of it is sent. Only introspections are cached.
function introspectionError<Context>(
  planned: readonly (Plan<Context> | EndpointAnswer)[],
): GraphQLError | undefined {
  const count = planned.filter((each) => (isPlan(each) ? each.operation.introspects : each.bytes)).length;
  if (count <= 1) return undefined;
  return new GraphQLError(
    `the number of operations with __schema or __type is ${count}; it must be at most 1 per request`,
  );
}

// Each entry has a result of its own, so the whole has no status to report; for the log, it has the first error of all.
const arrayOf = (answers: readonly EndpointAnswer[]): EndpointAnswer => ({
  status: 200,
  json: `[${answers.map(({ json }) => json).join(",")}]`,
  error: answers.find(({ error }) => error !== undefined)?.error,
});
