/** The whole application as served, and beside it Ponder's own middleware alone. */

import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";
import vitrine from "../../../../src/api/index.ts";

export default new Hono()
  .use("/bare/graphql", graphql({ db, schema }))
  .get("/bare/cpu", (c) => c.json(process.cpuUsage()))
  .route("/", vitrine);
