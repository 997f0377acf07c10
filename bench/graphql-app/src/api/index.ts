/** The whole application as served, and beside it, on a port of its own, Ponder's own middleware alone. */

// By name: the service waits for the next use of `http.createServer`, which is to be Ponder's.
import { createServer } from "node:http";
import { db } from "ponder:api";
import schema from "ponder:schema";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { graphql } from "ponder";

const bare = new Hono()
  .use("/graphql", graphql({ db, schema }))
  .get("/cpu", (c) => c.json(process.cpuUsage()));
createServer(getRequestListener(bare.fetch)).listen(Number(process.env.BENCH_BARE_PORT), "127.0.0.1");

export { default } from "../../../../src/api/index.ts";
