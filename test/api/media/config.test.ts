import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadServingConfig } from "../../../src/api/config.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-media-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (MEDIA_STORE: string) => loadServingConfig({ VITRINE_DATA: folder, MEDIA_STORE }).mediaFolder;

describe("MEDIA_STORE", () => {
  it.each([
    ["", join(folder, "media")],
    ["file:/srv/media", "/srv/media"],
    ["file:///srv/media", "/srv/media"],
    ["file:./media", resolve("media")],
  ])("%j is the folder %s", (text, expected) => {
    expect(load(text)).toBe(expected);
  });

  it.each(["/srv/media", "file:", "s3:bucket", "FILE:/srv"])("refuses %s by name", (text) => {
    expect(() => load(text)).toThrow(`MEDIA_STORE must be file:<folder>; it is "${text}"`);
  });
});
