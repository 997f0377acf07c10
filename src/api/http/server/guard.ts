/** The limits of the HTTP server for each connection, outside the application (docs/access.md "Connections"). */

import http, {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { ApiError, type ErrorCode } from "../errors.ts";
import { connectionsMax, endSurplus } from "./connection-limit.ts";
import { answerEarly, answerFault, OWN_ORIGIN } from "./early-answer.ts";
import { GuardedResponse } from "./guarded-response.ts";
import { dropRest, lingerOnClose } from "./linger.ts";
import { createPonderAnswer, isPonderRoute, type PonderRoutesGuard } from "./ponder-routes.ts";
import { forwardedFor, pathOf, readTarget } from "./request-target.ts";
import { type Connection, type EndReason, endUnread, type UnreadLimits, unreadLimits } from "./unread.ts";

export interface ServerLimits extends UnreadLimits {
  /** How many connections the process may have open. */
  readonly connections: number;
  /** How long the headers of a request, and the whole request, may take to arrive. */
  readonly headSeconds: number;
  readonly wholeSeconds: number;
  /** How long a connection may be idle: longer than load balancers keep one, so that it is they who close it. */
  readonly idleSeconds: number;
  /** How many bodies of one client address may still be arriving after `slowBodyMs`. */
  readonly slowBodies: number;
  readonly slowBodyMs: number;
  /** How many requests of one connection are answered at once; further pipelined requests wait. */
  readonly pipelined: number;
  /** How many of one connection, and of all together, may wait for that. */
  readonly queued: number;
  readonly queuedInAll: number;
}

export const serverLimits: ServerLimits = {
  ...unreadLimits,
  connections: connectionsMax(),
  headSeconds: 15,
  wholeSeconds: 30,
  idleSeconds: 65,
  slowBodies: 64,
  slowBodyMs: 2_000,
  pipelined: 8,
  // Each takes about 8 kB.
  queued: 64,
  queuedInAll: 10_000,
};

// Far below the unread bytes that a process may hold, so the check comes soon enough.
const CHECK_EVERY_MS = 250;
const CHECK_MS = 5_000;

export interface ServerGuard extends PonderRoutesGuard {
  readonly onEnd: (reason: EndReason) => void;
  /**
   * Answers all requests but those for Ponder's own routes. Through Ponder, which measures each three times, a short
   * answer takes a fifth longer.
   */
  readonly answer?: RequestListener | undefined;
  /**
   * True while the service is about to stop: load balancers get the answers of `DRAINING`, and each connection ends with
   * its next answer.
   */
  readonly isDraining?: () => boolean;
  /** True while the service stops, when its database may already be gone. */
  readonly isStopping?: () => boolean;
  readonly limits?: ServerLimits;
}

/**
 * How a service that is about to stop answers load balancers. By 404 HAProxy takes a server out of rotation without
 * cutting it off (`disable-on-404`); others know only ready and not ready.
 */
const DRAINING: ReadonlyMap<string, ErrorCode> = new Map([
  ["/livez", "NOT_FOUND"],
  ["/ready", "UNAVAILABLE"],
]);

/** Created instead of `http.createServer(listener)`. */
export function createGuardedServer(listener: RequestListener, guard: ServerGuard): Server {
  const limits = guard.limits ?? serverLimits;
  const connections = new Map<Socket, Connection>();
  let queuedInAll = 0;
  const answerPonderRoute = createPonderAnswer(listener, guard);
  const clientOf = (connection: Connection): string => {
    const { socket, request } = connection;
    connection.client ??= guard.clientOf(socket.remoteAddress, forwardedFor(request));
    return connection.client;
  };

  const server = http.createServer(
    {
      headersTimeout: limits.headSeconds * 1000,
      requestTimeout: limits.wholeSeconds * 1000,
      keepAliveTimeout: limits.idleSeconds * 1000,
      connectionsCheckingInterval: Math.min(CHECK_MS, limits.headSeconds * 1000),
      // Node's own answer has no body.
      requireHostHeader: false,
      ServerResponse: GuardedResponse,
    },
    (request, response) => {
      const connection = connections.get(request.socket);
      // Of a connection that was ended, requests still come: those that had arrived with the one that ended it.
      if (connection?.isClosing || request.socket.destroyed) return;
      if (connection) dropRest(connection, request, response);
      const answer = (): void => answerOne(request, response);
      if (connection) answerInOrder(connection, { request, response, answer });
      else answer();
    },
  );

  /** Records a request, and answers it once few enough earlier requests on the same connection are unanswered. */
  function answerInOrder(connection: Connection, { request, response, answer }: Arrival): void {
    const open = connection.responses.filter((each) => !each.writableFinished && !each.destroyed);
    connection.responses = [...open, response];
    if (forwardedFor(request) !== forwardedFor(connection.request)) connection.client = undefined;
    connection.request = request;
    connection.requestedAt = performance.now();
    const before = open.at(-limits.pipelined);
    if (!before) {
      answer();
      return;
    }
    if (connection.queued >= limits.queued || queuedInAll >= limits.queuedInAll) {
      end(connection, "pipelined");
      return;
    }
    changeQueued(connection, 1);
    // Answers on one connection finish in the order of its requests.
    before.once("close", () => {
      if (request.socket.destroyed) return;
      changeQueued(connection, -1);
      answer();
    });
  }

  function changeQueued(connection: Connection, more: number): void {
    connection.queued += more;
    queuedInAll += more;
  }

  function answerOne(request: IncomingMessage, response: ServerResponse): void {
    if (guard.isStopping?.()) {
      answerEarly(response, new ApiError("UNAVAILABLE", [{ path: "", message: "the service is stopping" }]));
      return;
    }
    const fault = readTarget(request);
    if (fault) {
      answerEarly(response, fault);
      return;
    }
    const path = pathOf(request.url ?? "");
    if (guard.isDraining?.()) {
      response.shouldKeepAlive = false;
      const refusal = DRAINING.get(path);
      if (refusal) {
        answerEarly(response, new ApiError(refusal, [{ path: "", message: "the service is about to stop" }]));
        return;
      }
    }
    // Here, with the reason, since nothing behind it answers them.
    if (request.method === "OPTIONS" && OWN_ORIGIN.test(path)) {
      const message = "pages of other origins may not call this path";
      answerEarly(response, new ApiError("NOT_ALLOWED", [{ path: "origin", message }]));
      return;
    }
    if (isPonderRoute(path)) answerPonderRoute(path, request, response);
    else (guard.answer ?? listener)(request, response);
  }

  // A server may ignore an expectation it does not support; Node's own 417 has no body.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connection", (socket) => {
    const connection: Connection = {
      socket,
      client: undefined,
      request: undefined,
      requestedAt: 0,
      responses: [],
      queued: 0,
      waiting: undefined,
      answered: undefined,
      isClosing: false,
    };
    connections.set(socket, connection);
    // Now, and not for all of them at once when there are too many.
    clientOf(connection);
    endSurplus(connections, limits.connections, { clientOf, end });
    lingerOnClose(socket, connection);
    socket.once("close", () => {
      connections.delete(socket);
      changeQueued(connection, -connection.queued);
    });
  });
  server.on("clientError", (fault, socket) => {
    const { responses = [], request, answered } = connections.get(socket as Socket) ?? {};
    const isAnswered = request !== undefined && request === answered && !request.complete;
    // A partial answer can't be followed by another, nor is one request answered twice.
    if (isAnswered || responses.some((each) => each.headersSent && !each.writableFinished)) socket.destroy();
    else {
      const seconds = { head: limits.headSeconds, whole: limits.wholeSeconds };
      answerFault(socket, fault, { request: request?.complete ? undefined : request, seconds });
    }
  });

  const end = ({ socket }: Connection, reason: EndReason): void => {
    socket.destroy();
    connections.delete(socket);
    guard.onEnd(reason);
  };
  const checkConnections = setInterval(() => {
    const now = performance.now();
    endUnread(connections.values(), limits, { clientOf, end, now });
    endSlowBodies(connections.values(), limits, { clientOf, end, now });
  }, CHECK_EVERY_MS).unref();
  server.on("close", () => clearInterval(checkConnections));
  return server;
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: () => void;
}

/** If a client address has too many bodies in progress, ends the oldest of their connections. */
function endSlowBodies(
  connections: Iterable<Connection>,
  { slowBodies, slowBodyMs }: ServerLimits,
  {
    clientOf,
    end,
    now,
  }: {
    readonly clientOf: (connection: Connection) => string;
    readonly end: (connection: Connection, reason: EndReason) => void;
    readonly now: number;
  },
): void {
  const slow: Connection[] = [];
  for (const connection of connections) {
    const { request, requestedAt } = connection;
    if (request && !request.complete && now - requestedAt >= slowBodyMs) slow.push(connection);
  }
  if (slow.length <= slowBodies) return;
  const perClient = new Map<string, Connection[]>();
  for (const connection of slow) {
    const client = clientOf(connection);
    const its = perClient.get(client);
    if (its) its.push(connection);
    else perClient.set(client, [connection]);
  }
  for (const its of perClient.values()) {
    its.sort((a, b) => a.requestedAt - b.requestedAt);
    for (const connection of its.slice(0, Math.max(0, its.length - slowBodies))) end(connection, "slow_body");
  }
}
