/** The whole application as served, and beside it, on a port of its own, Ponder's server with its own middleware. */

import http, { createServer } from "node:http";
import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";
import "../../../../src/api/index.ts";

// The service waits for Ponder's server to replace it with its own, which asks its application without Ponder.
const replaceServer = http.createServer;
Object.assign(http, {
  createServer: (...given: Parameters<typeof createServer>) => {
    const [, listener] = given;
    if (typeof listener === "function")
      createServer(listener).listen(Number(process.env.BENCH_BARE_PORT), "127.0.0.1");
    return replaceServer(...given);
  },
});

export default new Hono()
  .use("/graphql", graphql({ db, schema }))
  .get("/cpu", (c) => c.json(process.cpuUsage()));
