import { describe, expect, it } from "vitest";
import { createTestApp } from "../../support/app.ts";
import { createTestDatabase } from "../../support/database.ts";
import { createVisitor } from "./visitor.ts";

const api = createTestApp(await createTestDatabase());
const operator = createVisitor(api);
await operator.signInAsOperator();
const path = await operator.createApp("Hostile");
const key = /\/keys\/([0-9a-f-]{36})\//.exec((await operator.get(path)).text)?.[1];

describe("a choice of the console", () => {
  it.each(["constructor", "__proto__", "toString", "", "1"])(
    "is refused that is none: grace=%s",
    async (grace) => {
      const answer = await operator.post(`${path}/keys/${key}/rotate`, { grace });

      expect(answer.status).toBe(400);
      expect(answer.text).toContain("must be one of the choices");
    },
  );
});
