import { stripVTControlCharacters } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import type { Logger } from "../../../src/api/logging/logger.ts";
import { loggerForAnyError } from "../../../src/api/logging/ponder-logger.ts";

// The package exports only its entry, which comes with the whole indexer.
const PONDER_LOGGER = new URL("../../../node_modules/ponder/dist/esm/internal/logger.js", import.meta.url);
const { createLogger } = (await import(PONDER_LOGGER.href)) as {
  createLogger: (options: { level: string; mode: "pretty" }) => Logger;
};

afterEach(() => vi.restoreAllMocks());

it.each([
  ["text", "http_status: the receiver answered 500", "detail=http_status: the receiver answered 500"],
  ["null", null, "detail=null"],
  ["a number", 7, "detail=7"],
  ["a frozen object", Object.freeze({ reason: "broken" }), "detail={ reason: 'broken' }"],
  ["an error", new TypeError("broken"), "TypeError: broken"],
  ["nothing", undefined, "Webhook paused"],
])("Ponder's logger has a line for %s that was thrown", (_title, error, line) => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((text: string) => void lines.push(text));

  loggerForAnyError(createLogger({ level: "info", mode: "pretty" })).warn({ msg: "Webhook paused", error });

  expect(stripVTControlCharacters(lines.join("\n"))).toContain(line);
});
