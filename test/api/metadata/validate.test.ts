import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createExamineMedia } from "../../../src/api/media/probes/examine-media.ts";
import { createFetchMedia } from "../../../src/api/media/probes/fetch-media.ts";
import { readPaced } from "../../../src/api/metadata/module.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createTestApp, FAR_CHAIN_ID } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const PATH = "/market-partner/metadata/validate";
const HERO = { name: "Hero", image: "https://img.example/1.png" };
const DOCUMENT_BYTES_MAX = 2_097_152;
const unchecked = { status: "skipped", reason: null, width: null, height: null, bytes: null, format: null };
const square = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "#123456" } });

const test = await createTestDatabase();
const { database } = test;
let answer: (response: ServerResponse, path: string) => void;
const host = await startLocalServer(({ url }, response) => answer(response, url ?? ""));
afterAll(() => host.close());
const api = createTestApp(test, {}, new Set([host.host]));
let key: string;

beforeEach(async () => {
  await emptyTables(database);
  await database.query("truncate vitrine.allowed_host");
  // An app of its own for each test, so that none meets another's limit.
  key = await api.createKey(undefined, randomUUID());
  answer = (response) => void response.end(JSON.stringify(HERO));
});

const validate = (body: unknown, as = key, on = api) => on.call(PATH, { method: "POST", key: as, body });
const codes = (body: { issues: { code: string }[] }): string[] => body.issues.map((each) => each.code);
/** How many rows each of our tables holds, but for what counts requests, which is written now and then. */
async function rowsByTable(): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'vitrine' and table_name not in ('rate_limit', 'app_usage', 'app_status', 'request_log')`,
  );
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await database.query<{ count: number }>(`select count(*)::int from vitrine.${name}`);
      return [name, row?.count ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts);
}

it("a report on a large document waits for the large document before, and others don't", async () => {
  const done: string[] = [];
  const large = { ...HERO, description: "x".repeat(256 * 1024) };
  // Its rest takes as long.
  const other = readPaced(DOCUMENT_BYTES_MAX, () => {
    for (const until = performance.now() + 1_000; performance.now() < until; );
  });
  const rest = wait(900).then(() => void done.push("nearly rested"));
  const waiting = validate({ document: large }).then(({ status }) => void done.push(`large ${status}`));
  await validate({ document: HERO }).then(({ status }) => void done.push(`small ${status}`));
  await Promise.all([other, waiting, rest]);
  expect(done.toSorted()).toEqual(["large 200", "nearly rested", "small 200"]);
  expect(done.at(-1)).toBe("large 200");
});

it("a large document is not read for a caller that goes away before its turn, which is no fault", async () => {
  const large = { ...HERO, description: "x".repeat(256 * 1024) };
  await readPaced(DOCUMENT_BYTES_MAX, () => {
    for (const until = performance.now() + 1_500; performance.now() < until; );
  });
  const leaving = new AbortController();
  const left = api.app.request(PATH, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ document: large }),
    signal: leaving.signal,
  });
  let isRested = false;
  const next = readPaced(DOCUMENT_BYTES_MAX, () => {
    isRested = true;
  });
  await wait(50);

  leaving.abort();

  expect((await left).status).toBe(503);
  expect(isRested).toBe(false);
  await next;
});

describe("the media of a document", () => {
  const files: Record<string, { readonly type: string; readonly body: Buffer | string }> = {};
  beforeEach(async () => {
    files["/good.png"] = { type: "image/png", body: await square(600).png().toBuffer() };
    files["/small.png"] = { type: "image/png", body: await square(300).png().toBuffer() };
    files["/new.webp"] = { type: "image/webp", body: await square(600).webp().toBuffer() };
    files["/page"] = { type: "text/html", body: "<!doctype html><p>play" };
    answer = (response, path) => {
      const file = files[path];
      response.writeHead(file ? 200 : 404, { "content-type": file?.type ?? "text/plain" }).end(file?.body);
    };
  });
  const url = (path: string): string => `${host.url}${path}`;

  it("are fetched and reported with size and format, and stored nowhere", async () => {
    const document = { name: "Hero", image: url("/good.png"), animation_url: url("/page") };
    const before = await rowsByTable();

    const { body } = await validate({ document });

    expect(body).toMatchObject({
      valid: true,
      media: {
        image: { status: "accepted", reason: null, width: 600, height: 600, format: "PNG" },
        video: unchecked,
        animation_url: { status: "accepted", format: "HTML", width: null },
      },
    });
    expect(body.media.image.bytes).toBe(files["/good.png"]?.body.length);
    expect(await rowsByTable()).toEqual(before);
  });

  it.each([
    ["/small.png", "image_too_small", "300x300, at least 480x480"],
    ["/new.webp", "image_wrong_format", "WebP; it must be PNG, JPEG or GIF"],
  ])("make it invalid if the image is refused: %s", async (path, code, message) => {
    const { body } = await validate({ document: { name: "Hero", image: url(path) } });

    expect(body).toMatchObject({
      valid: false,
      issues: [{ code, level: "error", path: "image", message }],
      media: { image: { status: "rejected", reason: `${code}: ${message}` } },
      display: { collection_page: { kind: "none", url: null } },
    });
  });

  it("are refused where their URL leads nowhere", async () => {
    const { body } = await validate({ document: { name: "Hero", image: url("/gone.png") } });

    expect(body).toMatchObject({
      valid: false,
      issues: [{ code: "http_status", level: "error", path: "image" }],
      media: { image: { status: "rejected" } },
    });
  });

  it("are no issue if they can't be reached just now, and are reported as unreachable", async () => {
    answer = (response) => void response.writeHead(503).end();
    const { body } = await validate({ document: { name: "Hero", image: url("/busy.png") } });

    expect(body).toMatchObject({
      valid: true,
      issues: [],
      media: { image: { status: "unreachable", reason: expect.stringMatching(/^http_status: .*503/) } },
    });
  });

  it("warn if the animation or the video is none", async () => {
    const document = { ...HERO, animation_url: url("/good.png"), video: url("/page") };

    const { body } = await validate({ document });

    expect(body.issues.filter(({ code }: { code: string }) => code !== "host_not_allowed")).toMatchObject([
      { code: "animation_is_image", level: "warning", path: "animation_url" },
      { code: "video_wrong_format", level: "warning", path: "video" },
    ]);
  });
});

describe("an animation", () => {
  const evil = "evil.example";
  const allow = (pattern: string) =>
    database.query("insert into vitrine.allowed_host (pattern, added_by) values ($1, 'tests')", [pattern]);

  it("that redirects is judged by the host that it leads to, as on the token's page", async () => {
    const elsewhere = await startLocalServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
    });
    const ofBoth = createTestApp(test, {}, new Set([host.host, elsewhere.host]));
    answer = (response) => void response.writeHead(302, { location: elsewhere.url }).end();
    await allow(host.host);

    const document = { ...HERO, image: null, animation_url: `${host.url}/page` };
    const { body } = await validate({ document }, await ofBoth.createKey(), ofBoth);
    await elsewhere.close();

    expect(body.display.token_page.skipped).toEqual([
      {
        ...{ kind: "animation", host: elsewhere.host, reason: "host_not_allowed" },
        message: `${host.host} leads there`,
      },
    ]);
    expect(body.issues).toContainEqual(
      expect.objectContaining({
        ...{ code: "host_not_allowed", path: "animation_url" },
        message: expect.stringContaining(elsewhere.host),
      }),
    );
  });

  it("whose URL programs read differently is rejected, and the issue says so", async () => {
    await allow(evil);

    for (const animation_url of [`https://user:password@${evil}/`, `https:\\\\${evil}/`]) {
      const { body } = await validate({ document: { ...HERO, animation_url } });

      expect(body.media.animation_url).toMatchObject({ status: "rejected" });
      expect(body.issues).toContainEqual(
        expect.objectContaining({ code: "invalid_url", level: "warning", path: "animation_url" }),
      );
      expect(body.display.token_page.kind).not.toBe("animation");
    }
  });
});

describe("the media of several documents at once", () => {
  const skippedNow = { ...unchecked, reason: "not checked, through no fault of the file; try again" };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

  /** Reports whose decoder takes as long as the test says. Each image's content is its path. */
  function createReports(budgetMs?: number) {
    answer = (response, path) => void response.end(path);
    const fetch = createGuardedFetch(new Set([host.host]), "Vitrine tests");
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const faults: unknown[] = [];
    const examine = createExamineMedia({
      fetchMedia: createFetchMedia({ fetch, fetchFromGateway: fetch, gateways: [] }),
      decoder: {
        decode(_kind, body) {
          const path = body.toString();
          begun.push(path);
          return new Promise((resolve) =>
            ends.set(path, () => resolve({ kind: "video", format: "WebM", width: 500, height: 500 })),
          );
        },
      },
      gateways: [],
      onFault: (fault) => faults.push(fault),
      ...(budgetMs !== undefined && { budgetMs }),
    });
    const report = async (path: string, signal?: AbortSignal) =>
      (await examine({ image: `${host.url}${path}`, video: null, animation_url: null }, signal)).checked
        .image;
    return { begun, ends, faults, report };
  }

  it("are not decoded for callers that went away, and other reports don't wait for those", async () => {
    const { begun, ends, faults, report } = createReports();
    const first = report("/first");
    await eventually(
      () => begun,
      ({ length }) => length === 1,
    );
    const leaving = new AbortController();
    const left = ["/a", "/b", "/c"].map((path) => report(path, leaving.signal));
    await eventually(
      () => host.requests.filter(({ url }) => ["/a", "/b", "/c"].includes(url ?? "")),
      ({ length }) => length === 3,
    );
    await settle();
    const other = report("/other");
    await settle();
    leaving.abort();
    expect(await Promise.all(left)).toEqual([skippedNow, skippedNow, skippedNow]);

    ends.get("/first")?.();
    expect((await first).status).toBe("accepted");
    await eventually(
      () => begun,
      ({ length }) => length === 2,
    );
    ends.get("/other")?.();
    expect((await other).status).toBe("accepted");
    expect([begun, faults]).toEqual([["/first", "/other"], []]);
  });

  it("are reported as not checked once their time is over before their turn; later reports get theirs", async () => {
    const { begun, ends, faults, report } = createReports(1_500);
    const first = report("/first");
    await eventually(
      () => begun,
      ({ length }) => length === 1,
    );

    expect(await report("/second")).toEqual(skippedNow);
    ends.get("/first")?.();
    expect((await first).status).toBe("accepted");
    const third = report("/third");
    await eventually(
      () => begun,
      ({ length }) => length === 2,
    );
    ends.get("/third")?.();
    expect((await third).status).toBe("accepted");
    expect([begun, faults]).toEqual([["/first", "/third"], []]);
  });
});

describe("a document", () => {
  it("is answered with what was read, what each page would show, and every issue with its path", async () => {
    const document = {
      ...HERO,
      description: 7,
      video: "https://cdn.example/1.mp4",
      external_url: "https://owner.example",
      attributes: [
        { trait_type: "Level", display_type: "number", value: 0, max_value: 10 },
        { trait_type: "Level", value: "seven" },
        { value: "nameless" },
      ],
    };

    const { status, body, text } = await validate({ document });

    const image = { kind: "image", url: HERO.image };
    expect(status).toBe(200);
    expect(body).toEqual({
      valid: true,
      fetched: null,
      failure: null,
      issues: [
        { code: "wrong_type", level: "warning", path: "description", message: expect.any(String) },
        {
          code: "missing_trait_type",
          level: "warning",
          path: "attributes[2].trait_type",
          message: expect.any(String),
        },
        {
          code: "display_type_conflict",
          level: "warning",
          path: "attributes",
          message: expect.stringMatching(
            /^"Level" with value "seven" has display_type string; .* known as number/,
          ),
        },
        {
          code: "host_not_allowed",
          level: "warning",
          path: "video",
          message: expect.stringMatching(
            /content of cdn\.example; ask help@operator\.example to allow this host/,
          ),
        },
      ],
      media: {
        image: { ...unchecked, status: "unreachable", reason: expect.stringMatching(/^unreachable: /) },
        video: { ...unchecked, status: "unreachable", reason: expect.stringMatching(/^unreachable: /) },
        animation_url: unchecked,
      },
      name: "Hero",
      description: null,
      image: HERO.image,
      video: "https://cdn.example/1.mp4",
      animation_url: null,
      traits: [{ trait_type: "Level", display_type: "number", value: 0, max_value: 10 }],
      display: {
        collection_page: image,
        token_page: {
          ...image,
          skipped: [{ kind: "video", host: "cdn.example", reason: "host_not_allowed" }],
        },
      },
    });
    expect(text).not.toContain("owner.example");
  });

  it("that lacks a required field is not valid, and the fields it has are reported all the same", async () => {
    const { status, body } = await validate({ document: { name: "Hero", image: "" } });

    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, failure: null, name: "Hero", image: null });
    expect(body.issues).toMatchObject([{ code: "missing_image", level: "error", path: "image" }]);
  });

  it.each(["undefined", "foo.png", "javascript:alert(1)", "ipfs://QmShort", "https://", "//x.example/a.png"])(
    "whose image can never be loaded is not valid: %s",
    async (image) => {
      const { status, body } = await validate({ document: { name: "Hero", image } });

      expect(status).toBe(200);
      expect(body).toMatchObject({ valid: false, failure: null, name: "Hero", image });
      expect(body.issues).toMatchObject([{ code: "unusable_image", level: "error", path: "image" }]);
    },
  );

  it("whose image is a data: URI is valid, with a warning that no page can show it", async () => {
    const { body } = await validate({ document: { name: "Hero", image: "data:image/png;base64,AAAA" } });

    expect(body).toMatchObject({ valid: true, issues: [{ code: "unusable_url", level: "warning" }] });
  });

  it.each([
    ["null", null],
    ["a list", [HERO]],
    ["text", "{}"],
    ["a number", 0],
    ["false", false],
  ])("may be any JSON: %s is reported as no object", async (_what, document) => {
    const { status, body } = await validate({ document });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      valid: false,
      failure: { reason: "not_an_object" },
      issues: [{ code: "not_an_object", level: "error", path: "" }],
      traits: [],
      display: { collection_page: { kind: "none" }, token_page: { kind: "none" } },
    });
  });

  it("is reported with its numbers as they are written", async () => {
    const numbers = '"Supply": 12345678901234567890, "Price": 1.10, "Twice": -0, "Twice": 1e3';
    const properties = await validate(
      `{"document": {"name": "n", "image": "https://i.example", "properties": {${numbers}}}}`,
    );

    expect(properties.body.traits.map(({ value }: { value: string }) => value)).toEqual([
      "12345678901234567890",
      "1.10",
      "1e3",
    ]);
    expect(properties.body.issues).toEqual([]);

    const entry = '{"trait_type": "N", "display_type": "number", "value": 9007199254740993}';
    const { body } = await validate(
      `{"document": {"name": "n", "image": "https://i.example", "attributes": [${entry}]}}`,
    );

    expect(body).toMatchObject({
      valid: true,
      issues: [
        {
          code: "number_precision",
          level: "warning",
          path: "attributes[0].value",
          message:
            "the number is written as 9007199254740993 and kept as 9007199254740992, the nearest IEEE 754 double",
        },
      ],
      traits: [{ value: 9007199254740992 }],
    });
  });

  it("counts with the hosts and the display types of the collection that is named", async () => {
    const level = (display_type: string, value: unknown) => [{ trait_type: "Level", display_type, value }];
    await database.transaction((tx) =>
      recordOne(api.metadata, tx, ref("1"), "rest", found({ ...HERO, attributes: level("number", 1) })),
    );
    const allow = { pattern: "play.example", collection: `${CHAIN_ID}:${COLLECTION}` };
    await api.call("/admin/allowlist", {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      body: allow,
    });
    const document = { ...HERO, animation_url: "https://play.example/1", attributes: level("string", "one") };
    const collection = { collection_address: COLLECTION, chain_id: CHAIN_ID };

    const there = await validate({ document, ...collection });
    const elsewhere = await validate({ document, ...collection, chain_id: FAR_CHAIN_ID });
    const nowhere = await validate({ document });

    expect(there.body).toMatchObject({
      valid: true,
      traits: [],
      display: { token_page: { kind: "animation" } },
    });
    expect(there.body.issues).toMatchObject([
      {
        code: "display_type_conflict",
        message: expect.stringContaining("ask help@operator.example to approve"),
      },
    ]);
    for (const { body } of [elsewhere, nowhere]) {
      expect(codes(body)).toEqual(["host_not_allowed"]);
      expect(body.traits).toHaveLength(1);
      expect(body.display.token_page).toMatchObject({ kind: "image", skipped: [{ host: "play.example" }] });
    }
  });

  it("may hold 2 MiB and not a byte more", async () => {
    const sized = (bytes: number): string => {
      const frame = JSON.stringify({ ...HERO, description: "" });
      return frame.replace('"description":""', `"description":"${"x".repeat(bytes - frame.length)}"`);
    };

    const most = await validate(`{"document":${sized(DOCUMENT_BYTES_MAX)}}`);
    const more = await validate(`{"document":${sized(DOCUMENT_BYTES_MAX + 1)}}`);
    const named = `,"collection_address":"${COLLECTION}","chain_id":${CHAIN_ID}}`;
    const mostNamed = await validate(`{"document":${sized(DOCUMENT_BYTES_MAX)}${named}`);

    expect(most.body).toMatchObject({ valid: true, failure: null });
    expect(mostNamed.body).toMatchObject({ valid: true, failure: null });
    expect(more.body).toMatchObject({
      valid: false,
      failure: { reason: "too_large", message: "the document has 2097153 bytes; the limit is 2097152" },
      name: null,
    });
  });

  it("of a million nested lists, or with keys that name an object's prototype, is read as it is", async () => {
    const nested = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    const deep = await validate(
      `{"document":{"name":"Deep","image":"https://img.example/1.png","x":${nested}}}`,
    );
    const proto = await validate(
      '{"document":{"__proto__":{"name":"Inherited"},"image":"https://img.example/1"}}',
    );

    expect(deep.body).toMatchObject({ valid: true, name: "Deep" });
    expect(proto.body).toMatchObject({ valid: false, name: null, issues: [{ code: "missing_name" }] });
  });
});

describe("a URI", () => {
  it("is fetched as a refresh fetches it, and reported with its hash, size and time", async () => {
    const text = JSON.stringify({ ...HERO, name: "Fetched" });
    answer = (response, path) => void response.end(path === "/7" ? text : "");

    const { status, body } = await validate({ uri: `${host.url}/7` });

    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: true, failure: null, name: "Fetched" });
    expect(body.fetched).toEqual({
      uri: `${host.url}/7`,
      content_hash: createHash("sha256").update(text).digest("hex"),
      bytes: text.length,
      duration_ms: expect.any(Number),
    });
  });

  it("with {id} is filled in with the token id, in the URI and in the document", async () => {
    const id = "4cce0".padStart(64, "0");
    answer = (response, path) =>
      void response.end(JSON.stringify({ name: path, image: "https://img.example/{id}.png" }));

    const filled = await validate({ uri: `${host.url}/{id}.json`, token_id: "314592" });
    const bare = await validate({ uri: `${host.url}/{id}.json` });

    expect(filled.body).toMatchObject({ name: `/${id}.json`, image: `https://img.example/${id}.png` });
    expect(filled.body.fetched.uri).toBe(`${host.url}/${id}.json`);
    expect(bare.body).toMatchObject({ image: "https://img.example/{id}.png" });
  });

  it.each([
    ["a cloud's metadata service", "http://169.254.169.254/latest/meta-data/", "host_refused"],
    ["this machine by name", `http://localhost:${host.port}/`, "host_refused"],
    ["this machine by another address", `http://127.0.0.2:${host.port}/`, "host_refused"],
    ["this machine by its IPv6 address", `http://[::1]:${host.port}/`, "host_refused"],
    ["the database's port", "http://127.0.0.1:5432/", "host_refused"],
    ["a scheme that is not fetched", "file:///etc/passwd", "unsupported_scheme"],
    ["a data URI", "data:application/json,{}", "unsupported_scheme"],
    ["a URL with credentials", `http://me:secret@${host.host}/`, "invalid_url"],
    ["no URI at all", "not a uri", "invalid_uri"],
    ["nothing", "", "empty_uri"],
    ["a URI of 9,000 characters", `${host.url}/${"x".repeat(9_000)}`, "invalid_uri"],
  ])("that leads to %s is reported as that failure, without a request", async (_what, uri, reason) => {
    const before = host.requests.length;

    const { status, body } = await validate({ uri });

    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, failure: { reason }, name: null, traits: [], issues: [] });
    expect(host.requests.length).toBe(before);
  });

  it("that redirects to a private address is refused there", async () => {
    answer = (response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end();

    expect((await validate({ uri: host.url })).body.failure.reason).toBe("host_refused");
  });

  it.each([
    ["404", (response: ServerResponse) => response.writeHead(404).end(), "http_status"],
    ["a page", (response: ServerResponse) => response.end("<html>"), "invalid_json"],
    ["a list", (response: ServerResponse) => response.end("[]"), "not_an_object"],
    [
      "more than 2 MiB",
      (response: ServerResponse) => response.end("x".repeat(DOCUMENT_BYTES_MAX + 1)),
      "too_large",
    ],
  ])("that answers %s is not valid", async (_what, respond, reason) => {
    answer = (response) => void respond(response);

    const { status, body } = await validate({ uri: host.url });

    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: false, failure: { reason } });
    expect(body.fetched).toMatchObject({ content_hash: null, bytes: null });
  });

  it("is let go of when its caller goes away", async () => {
    const leaving = new AbortController();
    answer = () => leaving.abort();

    const response = await api.app.request(PATH, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ uri: host.url }),
      signal: leaving.signal,
    });

    // Left to itself, the fetch would end by a timeout.
    expect(await response.json()).toMatchObject({
      failure: { message: expect.stringContaining("AbortError") },
    });
  });
});

describe("neither of them", () => {
  it("leaves anything behind", async () => {
    const before = await rowsByTable();

    const attributes = [{ trait_type: "Class", value: "Mage" }];
    answer = (response) => void response.end(JSON.stringify({ ...HERO, attributes }));
    const collection = { collection_address: COLLECTION };
    const answers = [
      await validate({ document: { ...HERO, attributes }, ...collection }),
      await validate({ uri: host.url, ...collection }),
      await validate({ uri: `${host.url}/{id}`, token_id: "1", ...collection }),
    ];

    for (const { body } of answers) expect(body.traits).toHaveLength(1);
    expect(Object.keys(before)).toContain("trait_type");
    expect(await rowsByTable()).toEqual(before);
  });
});

describe("a request is refused", () => {
  it.each([
    ["with both", { document: HERO, uri: "https://meta.example/1" }, "", "it has both"],
    ["with null and a URI", { document: null, uri: "https://meta.example/1" }, "", "it has both"],
    ["with neither", {}, "", "it has neither"],
    ["with a misspelt member", { documents: HERO }, "", "documents"],
    ["with a number for a URI", { uri: 7 }, "uri", "must be a string"],
    ["with null for a URI", { uri: null }, "uri", "must be a string"],
    ["with a number for a token id", { uri: "https://meta.example", token_id: 7 }, "token_id", "string"],
    ["with a leading zero", { uri: "https://meta.example", token_id: "07" }, "token_id", "07"],
    ["with a token id for a document", { document: HERO, token_id: "7" }, "token_id", "goes with uri"],
    ["with no address", { document: HERO, collection_address: "0x1" }, "collection_address", "0x1"],
    [
      "with text for a chain",
      { document: HERO, collection_address: COLLECTION, chain_id: "1" },
      "chain_id",
      "number",
    ],
    [
      "with a chain alone",
      { document: HERO, chain_id: CHAIN_ID },
      "chain_id",
      "goes with collection_address",
    ],
    [
      "with an unknown chain",
      { document: HERO, collection_address: COLLECTION, chain_id: 5 },
      "chain_id",
      "5",
    ],
    ["with a list for a body", [HERO], "", "object"],
  ])("%s, by the field's name", async (_why, body, path, message) => {
    const refused = await validate(body);

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ message: "Invalid request", code: "INVALID_REQUEST" });
    expect(refused.body.details).toContainEqual({ path, message: expect.stringContaining(message) });
  });

  it("for a collection that is not served here", async () => {
    const collection_address = "0x00000000000000000000000000000000000000aa";
    expect((await validate({ document: HERO, collection_address })).body.code).toBe("COLLECTION_NOT_FOUND");
  });

  it("from an app without market-partner", async () => {
    expect((await validate({ document: HERO }, await api.createKey(["market"], "Reader"))).status).toBe(403);
  });

  it("with a body past the limit, which is read no further", async () => {
    const { status, body, headers } = await validate(
      `{"document":"${"x".repeat(DOCUMENT_BYTES_MAX + 65_536)}"}`,
    );

    expect(status).toBe(413);
    expect(body.code).toBe("BODY_TOO_LARGE");
    expect(headers.get("connection")).toBe("close");
  });
});

describe("the limit", () => {
  it("lets an app through 60 times, refuses the rest with when to come back, on every process, and no other app", async () => {
    const replica = createTestApp(test);

    const burst = await Promise.all(
      Array.from({ length: 61 }, (_, index) => validate({ document: HERO }, key, index % 2 ? api : replica)),
    );

    // Four at once is another limit, which leaves the window's count as it is.
    const { headers } = burst[0] ?? {};
    expect(headers?.get("ratelimit-limit")).toBe("60");
    const over = burst.filter(({ body }) =>
      body.details?.[0].message.startsWith("Limit: 60 requests per 60 seconds"),
    );
    expect(over).toHaveLength(1);
    for (const refused of [
      ...over,
      await validate({ document: HERO }),
      await validate({ document: HERO }, key, replica),
    ]) {
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ message: "API rate limit exceeded", code: "RATE_LIMITED" });
      const wait = Number(refused.headers.get("retry-after"));
      expect(wait).toBeGreaterThanOrEqual(1);
      expect(wait).toBeLessThanOrEqual(60);
      expect(refused.headers.get("ratelimit-remaining")).toBe("0");
      expect(refused.headers.get("ratelimit-reset")).toBe(String(wait));
    }
    expect((await validate({ document: HERO }, await api.createKey(undefined, randomUUID()))).status).toBe(
      200,
    );
  });

  it("counts down in the headers, refused requests included", async () => {
    const left = async (body: unknown) => (await validate(body)).headers.get("ratelimit-remaining");

    expect(await left({ document: HERO })).toBe("59");
    expect(await left({})).toBe("58");
    expect(await left({ document: HERO })).toBe("57");
  });

  it("lets an app have four at once, and the next one as soon as one ends", async () => {
    const open: ServerResponse[] = [];
    answer = (response) => void open.push(response);
    const waiting = Array.from({ length: 4 }, (_, index) => validate({ uri: `${host.url}/${index}` }));
    await eventually(
      () => open.length,
      (count) => count === 4,
    );

    const fifth = await validate({ document: HERO });
    const other = await validate({ document: HERO }, await api.createKey(undefined, randomUUID()));
    for (const response of open) response.end(JSON.stringify(HERO));
    const first = await Promise.all(waiting);

    expect(fifth.status).toBe(429);
    expect(fifth.body.details[0].message).toContain("4 requests at once");
    expect(fifth.headers.get("retry-after")).toBe("1");
    expect(other.status).toBe(200);
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await validate({ document: HERO })).status).toBe(200);
  });
});
