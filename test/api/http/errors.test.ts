import { z } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import { errorResponses } from "../../../src/api/http/error-responses.ts";
import { ApiError, detailsOf, type ErrorCode, errorBody, errorTable } from "../../../src/api/http/errors.ts";

describe("the error table", () => {
  it("words its answers as the gateways of this field do", () => {
    expect(errorTable).toMatchObject({
      TOKEN_NOT_FOUND: { status: 404, message: "Token not found" },
      TOO_MANY_TOKENS: { status: 400, message: "Too many token ids, max number of token ids allowed is 100" },
      KEY_MISSING: { status: 401, message: "No API key found in request" },
      KEY_INVALID: { status: 401, message: "Invalid authentication credentials" },
      NOT_ALLOWED: { status: 403, message: "You cannot consume this service" },
      COLLECTION_NOT_FOUND: { status: 404, message: "Collection not found" },
      RATE_LIMITED: { status: 429, message: "API rate limit exceeded" },
    });
  });

  it("gives every code an error status and a message", () => {
    for (const { status, message } of Object.values(errorTable)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(message).toMatch(/^[A-Z].*[^.]$/);
    }
  });
});

describe("an error body", () => {
  it("has details only where there are some, and nothing of the cause", () => {
    const cause = new Error("a secret");

    expect(errorBody(new ApiError("NOT_FOUND", [], { cause }), "id")).toEqual({
      message: "Not found",
      code: "NOT_FOUND",
      request_id: "id",
    });
    expect(errorBody(new ApiError("NOT_FOUND", [{ path: "x", message: "y" }]), "id").details).toEqual([
      { path: "x", message: "y" },
    ]);
  });
});

describe("details", () => {
  const issuesOf = (schema: z.ZodType, value: unknown) =>
    detailsOf(schema.safeParse(value).error ?? { issues: [] });

  it("name every problem by its path", () => {
    const schema = z.object({ list: z.array(z.object({ name: z.string() })), flag: z.boolean() });

    const paths = issuesOf(schema, { list: [{ name: "x" }, { name: 1 }, 2] }).map(({ path }) => path);

    expect(paths.sort()).toEqual(["flag", "list[1].name", "list[2]"]);
  });

  it("name the whole by an empty path", () => {
    expect(issuesOf(z.object({}), 1).map(({ path }) => path)).toEqual([""]);
  });

  it("are at most a hundred", () => {
    expect(issuesOf(z.array(z.string()), Array(5_000).fill(0))).toHaveLength(100);
  });
});

describe("documented answers", () => {
  it("put codes of one status together", () => {
    const codes: ErrorCode[] = ["KEY_MISSING", "KEY_INVALID", "NOT_FOUND"];

    const responses = errorResponses(...codes);

    expect(Object.keys(responses)).toEqual(["401", "404"]);
    expect(responses[401]?.description).toBe(
      "No API key found in request / Invalid authentication credentials",
    );
  });
});
