import { once } from "node:events";
import { type ClientRequest, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { GraphqlEndpoint } from "../../../src/api/graphql/gateway/endpoint.ts";
import { type Caller, graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { allowOrigins } from "../../../src/api/http/headers.ts";
import { answerError, createRouter } from "../../../src/api/http/router.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { eventually } from "../../support/eventually.ts";

const LIMIT = 100 * 1024;
/** Delays a request until its caller has disconnected. */
const PAUSE = "x-hold";

let server: Server;
let port: number;
const received: unknown[] = [];
const failures: Error[] = [];

beforeAll(async () => {
  const endpoint: Pick<GraphqlEndpoint<Caller>, "handle"> = {
    async handle({ body }) {
      received.push(body);
      return { status: 200, json: '{"data":{"name":"é"}}' };
    },
  };
  const app = createRouter();
  app.onError((error, c) => {
    failures.push(error);
    return answerError(error, c, silentLogger);
  });
  app.use(
    allowOrigins(() => false),
    async (c, next) => {
      const { incoming } = c.env as { incoming: IncomingMessage };
      if (c.req.header(PAUSE)) await once(incoming, "close").catch(() => {});
      await next();
    },
  );
  app.route(
    "/",
    graphqlRoutes(endpoint as GraphqlEndpoint<Caller>, {
      clientAddress: () => "127.0.0.1",
      permissionsPage: () => "",
    }),
  );
  server = createServer(getRequestListener(app.fetch)).listen(0);
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});

afterEach(() => {
  received.length = 0;
  failures.length = 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const post = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    ...({ duplex: "half" } as object),
  });

/** A request whose body is not written yet. */
function begin(headers: Record<string, number>): ClientRequest {
  const begun = request({
    port,
    path: "/graphql",
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
  });
  begun.on("error", () => {});
  return begun;
}

/** A body of unknown length, in these parts. */
const inParts = (...parts: readonly string[]): ReadableStream =>
  new ReadableStream({
    async start(controller) {
      for (const part of parts) {
        controller.enqueue(new TextEncoder().encode(part));
        await new Promise((resolve) => setImmediate(resolve));
      }
      controller.close();
    },
  });

it("answers with the headers that were set before, and a length in bytes", async () => {
  const answer = await post('{"query":"{ a }"}');

  expect(await answer.text()).toBe('{"data":{"name":"é"}}');
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "content-type": "application/json",
    "content-length": "22",
  });
});

it("reads a body that comes in parts, with characters cut in two, and past a byte order mark", async () => {
  const bytes = Buffer.from('\ufeff{"query":"é"}');
  const cut = bytes.indexOf(Buffer.from("é")) + 1;
  const parts = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, cut));
      controller.enqueue(bytes.subarray(cut));
      controller.close();
    },
  });

  expect((await post(parts)).status).toBe(200);
  expect(received).toEqual([{ query: "é" }]);
});

it("refuses a body over the limit by the length it announces, and goes on serving", async () => {
  const answer = await post("x".repeat(LIMIT + 1));

  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({
    code: "BODY_TOO_LARGE",
    details: [{ message: `the limit is ${LIMIT} bytes` }],
  });
  expect(answer.headers.get("connection")).toBe("close");
  expect((await post('{"query":"{ a }"}')).status).toBe(200);
});

it("refuses a body that goes over the limit while it comes, before it ends", async () => {
  const endless = begin({});
  endless.write("x".repeat(LIMIT + 1));
  const [answer] = (await once(endless, "response")) as [IncomingMessage];

  expect(answer.statusCode).toBe(413);
  expect(answer.headers.connection).toBe("close");
  endless.destroy();
});

it("takes a body of exactly the limit", async () => {
  const text = JSON.stringify({ query: "" });
  const body = text.replace('""', `"${"x".repeat(LIMIT - text.length)}"`);

  expect((await post(body)).status).toBe(200);
  expect((await post(inParts(body.slice(0, 50_000), body.slice(50_000)))).status).toBe(200);
});

it.each([
  ["while it is read", {}],
  ["before it is read", { [PAUSE]: 1 }],
])(
  "takes a caller that goes away in the middle of a body, %s, for no failure of ours",
  async (_title, headers) => {
    const half = begin({ "content-length": 50, ...headers });
    half.write('{"query":');
    await once(server, "request");
    half.destroy();

    await eventually(
      () => failures.length,
      (count) => count > 0,
    );
    expect(failures[0]).toMatchObject({ code: "INVALID_REQUEST" });
    expect(received).toEqual([]);
  },
);
