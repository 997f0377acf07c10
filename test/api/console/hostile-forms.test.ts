import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp } from "../../support/processes/app.ts";
import { createVisitor } from "./visitor.ts";

const api = createTestApp(await createTestDatabase());
const operator = createVisitor(api);
await operator.signInAsOperator();
const path = await operator.createApp("Hostile");
const key = /\/keys\/([0-9a-f-]{36})\//.exec((await operator.get(path)).text)?.[1];

describe("a form", () => {
  it.each([
    ["multipart that is none", "multipart/form-data; boundary=x", "name=Fuzz"],
    ["multipart without a boundary", "multipart/form-data", "name=Fuzz"],
  ])("is refused that is %s", async (_what, type, body) => {
    const answer = await api.call("/console/apps", {
      method: "POST",
      body,
      headers: { accept: "text/html", origin: BASE_URL, cookie: operator.cookie, "content-type": type },
    });

    expect(answer.status).toBe(400);
    expect(answer.text).toContain("the body is not a form");
  });
});

describe("a permission that an app does not hold", () => {
  it.each(["api", "collection"])("is not withdrawn: %s", async (kind) => {
    for (const subject of ["\0", "market\0", "__proto__", "x".repeat(5_000)]) {
      const answer = await operator.post(`${path}/permissions/withdraw/${kind}`, { subject });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain("is not a permission of this app");
    }
  });
});

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
