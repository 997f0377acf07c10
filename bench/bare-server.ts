/** What a reader would write first: Hono, and one indexed select of an answer that is kept as JSON. */

import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import pg from "pg";

const [, , url = ""] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 10 });

const app = new Hono().get("/:id", async (c) => {
  const { rows } = await pool.query({
    name: "token",
    text: "select answer from bare_token where token_id = $1",
    values: [c.req.param("id")],
  });
  return rows[0] ? c.json(rows[0].answer) : c.notFound();
});

const server = createServer(getRequestListener(app.fetch));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`);
});
