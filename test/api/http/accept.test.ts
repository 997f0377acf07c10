import { describe, expect, it } from "vitest";
import { allowsType } from "../../../src/api/http/accept.ts";

describe("a media type is allowed", () => {
  it.each([
    ["*/*", true],
    ["application/json", true],
    ["APPLICATION/JSON", true],
    ["application/*", true],
    ["text/html, application/json;q=0.1", true],
    ["text/html, image/gif, *; q=.2, */*; q=.2", true],
    ["application/json charset=utf-8", true],
    ["text/html application/json", true],
    ["application/*+json", true],
    ["application/json;q=0, */*", false],
    ["application/*;q=0, */*;q=1", false],
    ["*/*;q=0", false],
    ["application/json;q=0.5, */*;q=0", true],
    ["text/html", false],
    ["", false],
  ])("for JSON by %j: %s", (accept, isAllowed) => {
    expect(allowsType(accept, "application/json")).toBe(isAllowed);
  });

  it.each([
    ["text/csv", true],
    ["text/*", true],
    ["text/csv;q=0, text/*", false],
    ["text/csv charset=utf-8", false],
    ["application/json", false],
  ])("for CSV by %j: %s", (accept, isAllowed) => {
    expect(allowsType(accept, "text/csv")).toBe(isAllowed);
  });
});
