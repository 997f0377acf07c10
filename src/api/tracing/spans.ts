/**
 * Spans of what a request or a refresh does. While no exporter is configured nothing here has any effect, and neither
 * OpenTelemetry's SDK nor an AsyncLocalStorage is at work, which costs every promise of the process something.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";

export { SpanKind } from "@opentelemetry/api";

export interface Tracing {
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
}

/** Where work belongs: its request, and the span around it. */
export interface Scope {
  /** A request that is answered owns nothing more, though timers that it set go on. */
  readonly owner: { readonly requestId: string | undefined; hasEnded: boolean };
  readonly context: Context;
}

export interface SpanDetails {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
}

/** A span that others continue: W3C `traceparent`, and `tracestate` if there is one. */
export interface RemoteParent {
  readonly traceparent: string | undefined;
  readonly tracestate?: string | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
let tracing: Tracing | undefined;

/** Turns spans on, or off with undefined. */
export function traceWith(next: Tracing | undefined): void {
  tracing = next;
  if (!next) scopes.disable();
}

export const isTracing = (): boolean => tracing !== undefined;

/** Where the current work belongs; undefined while traces are off, and for what belongs to no request. */
export function currentScope(): Scope | undefined {
  const scope = tracing && scopes.getStore();
  return scope?.owner.hasEnded ? undefined : scope;
}

/** Runs work that several may have asked for as that of one of them, or of nobody. */
export function runInScope<Result>(scope: Scope | undefined, work: () => Result): Result {
  if (scope) return scopes.run(scope, work);
  return tracing ? scopes.exit(work) : work();
}

/** The `traceparent` of the current span; undefined if it is not exported. */
export function currentTraceparent(): string | undefined {
  const scope = currentScope();
  const span = scope && trace.getSpanContext(scope.context);
  if (!span || !isSpanContextValid(span) || !(span.traceFlags & TraceFlags.SAMPLED)) return undefined;
  return `00-${span.traceId}-${span.spanId}-01`;
}

/** Runs `work` in a span of the current request; without one, or if it is not sampled, as it is. `details` is called only for a span. */
export function inSpan<Result>(
  name: string,
  details: () => SpanDetails,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  const scope = currentScope();
  if (!tracing || !scope || !trace.getSpan(scope.context)?.isRecording()) return work();
  const span = tracing.tracer.startSpan(name, details(), scope.context);
  return runInSpan(span, { ...scope, context: trace.setSpan(scope.context, span) }, work);
}

/**
 * Runs `work` in a span that begins a request or continues one of another process; what it does in spans of its own belongs
 * to it.
 */
export async function inOwnSpan<Result>(
  name: string,
  { parent, requestId, ...details }: SpanDetails & { parent?: RemoteParent; requestId?: string | undefined },
  work: (span?: Span) => Promise<Result>,
): Promise<Result> {
  if (!tracing) return work();
  const from = parent ? contextOf(tracing, parent) : ROOT_CONTEXT;
  const span = tracing.tracer.startSpan(name, details, from);
  const owner = { requestId, hasEnded: false };
  try {
    return await runInSpan(span, { owner, context: trace.setSpan(from, span) }, work);
  } finally {
    owner.hasEnded = true;
  }
}

/** A link to another process's span; undefined if the text names none. */
export function linkTo(traceparent: string): Link | undefined {
  const context = tracing && trace.getSpanContext(contextOf(tracing, { traceparent }));
  return context && { context };
}

const contextOf = ({ propagator }: Tracing, parent: RemoteParent): Context =>
  propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);

async function runInSpan<Result>(
  span: Span,
  scope: Scope,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  try {
    return await scopes.run(scope, () => work(span));
  } catch (error) {
    markFailed(span, (error as Error)?.name ?? "Error");
    throw error;
  } finally {
    span.end();
  }
}

/** Never with a message, which may repeat what a caller sent. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
