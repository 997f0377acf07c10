/** Who reads the API reference: it fills in the key of a signed-in person's app, and has operators' routes for operators. */

import { Hono } from "hono";
import { isLive } from "./app/information.tsx";
import type { ConsoleEnv, Site } from "./env.ts";

/** Answers anyone; `apps` are those with a live key, each with the path that reveals it. */
export function referenceViewer({ apps, access, to }: Site): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/reference", async (c) => {
    const session = c.get("session");
    const owned = session?.address ? await apps.list(session.address) : [];
    const withKeys = await Promise.all(
      owned.map(async ({ id, name }) => ({ id, name, key: (await access.keysOf(id)).findLast(isLive) })),
    );
    return c.json({
      is_operator: session?.isOperator === true,
      apps: withKeys.flatMap(({ id, name, key }) =>
        key ? [{ name, reveal: to(`/console/apps/${id}/keys/${key.id}/reveal`) }] : [],
      ),
    });
  });
}
