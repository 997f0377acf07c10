/** Answers without a body over a real socket: @hono/node-server adds to what the application answers. */

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createDisk } from "../../../../src/api/media/storage/disk.ts";
import { storageKey } from "../../../../src/api/media/storage/media-disk.ts";
import { createTestDatabase } from "../../../support/database/database.ts";
import { requestOf, serveGuarded } from "../../../support/http/guarded.ts";
import { exchange, open, readAll } from "../../../support/http/raw-http.ts";
import { createTestApp } from "../../../support/processes/app.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-bodiless-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const disk = createDisk(folder);
const picture = `${createHash("sha256").update("a picture").digest("hex")}.png`;
await disk.put(storageKey(picture), "a picture");
const api = createTestApp(await createTestDatabase(), {
  images: { disk, onMissing: async () => undefined },
});
const key = await api.createKey();

const last = { Connection: "close" };

describe("an answer that a client has already", () => {
  it.each([
    ["of a keyed route", "/market/collections", { "X-API-KEY": key }],
    ["of an image", `/media/images/${picture}`, {}],
    ["of a style", "/assets/ui.css", {}],
    ["of a style, compressed", "/assets/ui.css", { "Accept-Encoding": "gzip" }],
    ["of a picture of the pages", "/assets/share.png", {}],
    ["of an icon", "/favicon.ico", {}],
    ["of the API's description", "/openapi.json", {}],
    ["of a script of the reference", "/reference/reference.js", {}],
    ["of the pages' style", "/collections/files/pages.css", {}],
  ])("%s says nothing of its type, on a connection that is kept", async (_title, path, headers) => {
    const port = await serveGuarded(api.app);
    const whole = await exchange(port, requestOf("GET", path, { ...headers, ...last }));
    expect(whole.headers.get("content-type")).not.toMatch(/^text\/plain/);

    for (const method of ["GET", "HEAD"]) {
      const named = { ...headers, "If-None-Match": whole.headers.get("etag") ?? "" };
      const socket = await open(port);
      socket.write(requestOf(method, path, named) + requestOf(method, path, { ...named, ...last }));
      const answers = (await readAll(socket)).toString("latin1").split(/(?=HTTP\/1\.1 )/);
      expect(answers.map((each) => each.slice(9, 12))).toEqual(["304", "304"]);
      expect(answers[0]).toMatch(/^Connection: keep-alive\r$/im);
      for (const each of answers) {
        // A cache would give it to what it has stored (RFC 9111, 4.3.4).
        expect(each).not.toMatch(/^content-(?:type|length):/im);
        expect(each).not.toMatch(/^transfer-encoding:/im);
      }
    }
  });
});

it("an answer to a preflight has no type", async () => {
  const port = await serveGuarded(api.app);
  const preflight = { Origin: "https://market.example", "Access-Control-Request-Method": "PUT", ...last };
  const { status, headers } = await exchange(port, requestOf("OPTIONS", "/market/collections", preflight));
  expect([status, headers.get("content-type")]).toEqual([204, undefined]);
});
