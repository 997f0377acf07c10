/** What an integrator relies on: parameters, methods, headers, revalidation and compression. */

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../../src/api/app/openapi.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createDeclaredCheck } from "../../support/http/declared.ts";
import { createTestApp, FAR_CHAIN_ID, FAR_COLLECTION } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const { body: document } = await api.call("/openapi.json");

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: unknown;
  readonly security: readonly object[];
  readonly responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>;
}
const samples: Record<string, string> = {
  collection_address: COLLECTION,
  address: COLLECTION,
  token_id: "1",
};
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      url: path.replace(
        /\{(\w+)\}/g,
        (_all, name) => samples[name] ?? "00000000-0000-4000-8000-000000000001",
      ),
      operation,
    })),
);
const bodyOf = ({ requestBody }: Operation) => (requestBody ? { body: {} } : {});

describe("every operation", () => {
  it.each(operations)("refuses a query parameter that it doesn't have: $title", async (each) => {
    const sent = { key, headers, method: each.method, ...bodyOf(each.operation) };
    const { status, body } = await api.call(`${each.url}?__proto__=1&nonsense=1`, sent);

    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: "INVALID_REQUEST",
      details: [{ path: "__proto__" }, { path: "nonsense", message: expect.stringContaining('"nonsense"') }],
    });
  });

  it.each([99, 100, 101])(
    "names the first hundred of %i query parameters that it doesn't have",
    async (count) => {
      const names = Array.from({ length: count }, (_, nth) => `x${nth}=1`).join("&");
      const { status, body } = await api.call(`/livez?${names}`);

      expect(status).toBe(400);
      expect(body.details).toHaveLength(Math.min(count, 100));
      expect(body.details.at(-1).path).toBe(`x${Math.min(count, 100) - 1}`);
    },
  );

  it.each(operations)("declares what its middleware answers, with one example per code: $title", (each) => {
    const { responses, security } = each.operation;
    for (const [status, { content }] of Object.entries(responses)) {
      if (Number(status) < 400 || (each.url === "/livez" && status === "503")) continue;
      const examples = Object.keys(content?.["application/json"]?.examples ?? {});
      expect(examples, status).not.toEqual([]);
      for (const code of examples) {
        expect(document.components.examples[code].value).toMatchObject({ code, message: expect.any(String) });
      }
    }
    if (each.url !== "/livez") expect(responses).toHaveProperty("429");
    if (/^\/market/.test(each.url)) expect(responses).toHaveProperty("406");
    expect(security).toEqual(expect.any(Array));
  });

  it.each(operations.filter(({ method }) => method === "GET"))(
    "declares an ETag and 304 if its answers have one: $title",
    async ({ url, operation: { responses } }) => {
      const needed: Record<string, string> = { "/market/search": "?q=a" };
      // Its answer has no end.
      if (url.endsWith("/events")) return expect(responses).not.toHaveProperty("304");
      const { status, headers: answered } = await api.call(`${url}${needed[url] ?? ""}`, { key, headers });

      if (status === 200) expect(answered.has("etag")).toBe("304" in responses);
    },
  );

  it.each(
    operations.filter(({ operation }) =>
      operation.parameters?.some(({ name }) => ["chain_id", "chainId"].includes(name)),
    ),
  )("understands chain_id and chainId alike: $title", async (each) => {
    const sent = { key, headers, method: each.method, ...bodyOf(each.operation) };
    // A stream of rows has no body of ours.
    const ask = async (query: string) => (await api.call(`${each.url}?${query}`, sent)).body ?? {};
    const chainProblems = async (query: string) =>
      ((await ask(query)).details ?? []).filter(({ path }: { path: string }) => /chain/.test(path)).length;

    if (!each.url.endsWith("/events")) {
      expect(await chainProblems(`chain_id=${CHAIN_ID}`)).toBe(0);
      expect(await chainProblems(`chainId=${CHAIN_ID}`)).toBe(0);
    }
    expect(await chainProblems("chain_id=x")).toBe(1);
    expect(await chainProblems("chainId=x")).toBe(1);
    expect(await chainProblems("chainId=1&chain_id=1")).toBe(1);
  });
});

describe("every status that an operation can be brought to give", () => {
  const check = createDeclaredCheck(document);

  it.each(operations)("is declared, and its body fits: $title", async ({ title, method, url, operation }) => {
    const [, path = ""] = title.split(" ");
    const other = await api.createKey(
      url.startsWith("/market-partner/") ? ["market"] : ["market-partner"],
      title,
    );
    const body = operation.requestBody ? { body: {} as unknown } : {};
    const big = " ".repeat(2 * 1024 * 1024);
    const query = url.includes("/check/")
      ? `?from=${COLLECTION}&to=${COLLECTION}&contract=${COLLECTION}`
      : "";
    const token = query && /(?:721|1155)$/.test(url) ? "&tokenId=1" : "";
    const seen = new Set<number>();
    for (const [at, sent] of [
      [url, body],
      [url, { headers: {}, ...body }],
      [url, { key: "wrong", headers: { authorization: "Bearer wrong" }, ...body }],
      [url, { key: other, headers, ...body }],
      [url, { key, headers: { ...headers, accept: "image/png" }, ...body }],
      [`${url}?nonsense=1`, { key, headers, ...body }],
      [url.replace(COLLECTION, "nonsense"), { key, headers, ...body }],
      [url.replace(COLLECTION, FAR_COLLECTION.replace("fa", "fb")), { key, headers, ...body }],
      ...(operation.requestBody
        ? [
            [url, { key, headers, body: "{" }],
            [url, { key, headers, body: big }],
            [url, { key, headers: { ...headers, "content-type": "text/plain" }, body: "x" }],
          ]
        : [[`${url}${query}${token}`, { key, headers: { ...headers, "if-none-match": "*" } }]]),
      [url, { key, headers, ...body }],
    ] as const as [string, Parameters<typeof api.call>[1]][]) {
      // An accepted stream would not end.
      if (path === "/market/events" && sent?.key === key && at === url && !sent.headers?.accept) continue;
      const answer = await api.call(at, { method, ...sent });
      const type = answer.headers.get("content-type") ?? "";
      seen.add(answer.status);
      expect(check(method, path, { status: answer.status, type, text: answer.text })).toBeUndefined();
    }
    expect(seen.size).toBeGreaterThan(1);
  });
});

describe("parameters", () => {
  it.each([
    ["collections?limit=2", '"limit" is not a parameter of this operation; it has chain_id, apiKey'],
    [`collections/${COLLECTION}/tokens?Limit=2`, 'did you mean "limit"?'],
    [`collections/${COLLECTION}/tokens?rangeCriteria=[]`, 'did you mean "range_criteria"?'],
    [`collections/${COLLECTION}/tokens?chan_id=1`, 'did you mean "chain_id"?'],
    [`collections/${COLLECTION}/tokens?whatever=1`, "it has chain_id, criteria,"],
  ])("%s: %s", async (path, message) => {
    const { body } = await api.call(`/market/${path}`, { key });
    expect(body.details[0].message).toContain(message);
  });

  it("reads the chain by either name", async () => {
    for (const name of ["chain_id", "chainId"]) {
      const path = `/market/collections/${COLLECTION}?${name}=${FAR_CHAIN_ID}`;
      expect((await api.call(path, { key })).body).toMatchObject({ chain_id: FAR_CHAIN_ID });
    }
    expect(
      (await api.call(`/market/collections/${FAR_COLLECTION}?chainId=${CHAIN_ID}`, { key })).status,
    ).toBe(404);
  });

  it("reads the chain by either name in a body", async () => {
    const ask = async (chain: object) => {
      const body = { document: {}, collection_address: FAR_COLLECTION, ...chain };
      return (await api.call("/market-partner/metadata/validate", { key, body })).status;
    };
    expect(await ask({ chain_id: FAR_CHAIN_ID })).toBe(200);
    expect(await ask({ chainId: FAR_CHAIN_ID })).toBe(200);
    expect(await ask({ chainId: CHAIN_ID })).toBe(404);
    expect(await ask({ chainId: FAR_CHAIN_ID, chain_id: FAR_CHAIN_ID })).toBe(400);
  });

  it("takes the key from the query on operations that need one, and refuses it elsewhere", async () => {
    expect((await api.call(`/market/collections?apiKey=${key}`)).status).toBe(200);
    expect((await api.call(`/freshness?apiKey=${key}`)).status).toBe(400);
  });
});

describe("another method", () => {
  it.each([
    ["DELETE", "/market/collections", "GET, HEAD"],
    ["POST", "/market/events", "GET, HEAD"],
    ["PUT", `/market/collections/${COLLECTION}/export`, "GET, HEAD"],
    ["GET", `/market-partner/collections/${COLLECTION}/refresh_metadata`, "POST"],
    ["POST", `/market-partner/collections/${COLLECTION}/information`, "GET, HEAD, PUT"],
    ["PATCH", "/admin/allowlist", "GET, HEAD, POST, DELETE"],
    ["POST", "/livez", "GET, HEAD"],
    ["PUT", "/openapi.json", "GET, HEAD"],
    ["DELETE", "/", "GET, HEAD"],
    ["PROPFIND", "/collections", "GET, HEAD"],
    ["PATCH", `/collections/${CHAIN_ID}/${COLLECTION}/7`, "GET, HEAD"],
    ["GET", `/collections/${CHAIN_ID}/${COLLECTION}/7/refresh`, "POST"],
    ["GET", `/market/collections/${COLLECTION}/tokens/batch`, "POST"],
    ["PUT", `/market/collections/${COLLECTION}/tokens/batch`, "POST"],
  ])("%s %s is refused; it allows %s", async (method, path, allow) => {
    const answer = await api.call(path, { key, headers, method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
    expect(answer.body).toMatchObject({ code: "METHOD_NOT_ALLOWED", details: [{ path: "method" }] });
  });

  it("is refused to HEAD as to GET", async () => {
    const batch = `/market/collections/${COLLECTION}/tokens/batch`;
    const { status, headers: sent } = await api.call(batch, { key, headers, method: "HEAD" });
    expect([status, sent.get("allow")]).toEqual([405, "POST"]);
  });

  it("does not hide that a path is unknown", async () => {
    expect((await api.call("/market/nothing", { key, method: "POST" })).status).toBe(404);
    expect((await api.call("/collections/nothing")).status).toBe(404);
  });
});

describe("the document", () => {
  it("declares what the liveness probe answers while the service drains", () => {
    const { responses } = document.paths["/livez"].get;
    expect(responses["404"].content["application/json"].examples).toHaveProperty("NOT_FOUND");
  });

  it("says which chains an event stream is of, and what a test of a webhook sends", () => {
    const { parameters } = document.paths["/market/events"].get;
    const chain = parameters.find(({ name }: { name: string }) => name === "chain_id");
    expect(chain.description ?? chain.schema.description).toContain(
      "The chain; without it, those of the named collections, or all.",
    );
    const { payload } = document.components.schemas.WebhookDelivery.properties;
    expect(payload.description).toContain("For `test`, it is `{webhook_id, at}`.");
  });
});

describe("headers", () => {
  it("let other origins read what a client needs", async () => {
    const exposed = (await api.call("/livez")).headers.get("access-control-expose-headers") ?? "";
    expect(exposed.split(", ").sort()).toEqual(
      ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"]
        .concat(["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"])
        .concat(["Content-Disposition", "X-As-Of-Block"])
        .sort(),
    );
  });

  it("are not exposed where no other origin may ask", async () => {
    for (const path of ["/admin/keys", "/console/login"])
      expect((await api.call(path, { headers })).headers.has("access-control-expose-headers")).toBe(false);
  });

  it("carry the limit in the fields of the IETF's draft too", async () => {
    const answer = await api.call("/market/collections", { key });
    const limit = answer.headers.get("ratelimit-limit");
    const [remaining, reset] = [
      answer.headers.get("ratelimit-remaining"),
      answer.headers.get("ratelimit-reset"),
    ];
    expect(answer.headers.get("ratelimit-policy")).toBe(`"tier-advanced";q=${limit};w=10`);
    expect(answer.headers.get("ratelimit")).toBe(`"tier-advanced";r=${remaining};t=${reset}`);
  });
});

describe("a keyed read", () => {
  it("is not sent again to a client that has it", async () => {
    const first = await api.call("/market/collections", { key });
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");

    for (const named of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
      const again = await api.call("/market/collections", { key, headers: { "if-none-match": named } });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag]);
    }
    const other = await api.call("/market/collections", { key, headers: { "if-none-match": 'W/"other"' } });
    expect([other.status, other.text]).toEqual([200, first.text]);
  });

  it("has no tag where it is an error, and a write none either", async () => {
    const missing = await api.call(`/market/collections/${FAR_COLLECTION}/tokens/1`, { key });
    expect([missing.status, missing.body.code, missing.headers.get("etag")]).toEqual([
      404,
      "TOKEN_NOT_FOUND",
      null,
    ]);
    const body = { action: "list", items: [{ collection_address: COLLECTION, token_id: "1" }] };
    const written = await api.call("/market/trade_checks", { key, body });
    expect([written.status, written.headers.get("etag")]).toEqual([200, null]);
  });
});

describe("compression", () => {
  const get = (path: string, encoding?: string) =>
    api.app.request(path, {
      headers: {
        "x-api-key": key,
        ...headers,
        ...(encoding !== undefined && { "accept-encoding": encoding }),
      },
    });
  const path = "/collections";

  it("is brotli or gzip, as the client weighs them", async () => {
    const plain = Buffer.from(await (await get(path)).arrayBuffer()).toString();
    const without = (html: string) => html.replaceAll(/nonce="[^"]*"/g, "").length;
    for (const [accepted, encoding, read] of [
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["br;q=0.5, gzip", "gzip", gunzipSync],
      ["*", "br", brotliDecompressSync],
    ] as const) {
      const answer = await get(path, accepted);
      expect([answer.headers.get("content-encoding"), answer.status]).toEqual([encoding, 200]);
      expect(answer.headers.get("vary")?.toLowerCase()).toContain("accept-encoding");
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(without(read(bytes).toString())).toBe(without(plain));
      expect(bytes.byteLength).toBeLessThan(plain.length);
    }
  });

  it.each([undefined, "identity", "gzip;q=0, br;q=0", "deflate"])(
    "is not applied for %s",
    async (accepted) => {
      expect((await get(path, accepted)).headers.get("content-encoding")).toBeNull();
    },
  );

  it("leaves short answers and those with secrets as they are", async () => {
    for (const each of ["/livez", "/admin/keys", "/console/login"])
      expect((await get(each, "br")).headers.get("content-encoding"), each).toBeNull();
  });
});

describe("the served document", () => {
  it("has the service's own chains and collections in its examples", () => {
    const { parameters } = document.paths["/market/collections/{collection_address}"].get;
    expect(parameters).toMatchObject([
      { name: "collection_address", schema: { example: COLLECTION } },
      { name: "chain_id", schema: { example: CHAIN_ID } },
    ]);
    expect(parameters[1].description).toContain(`Served: ${CHAIN_ID}, ${FAR_CHAIN_ID}.`);
    expect(parameters[1].schema).not.toHaveProperty("default");
  });

  it("has the chain as the default where there is one", () => {
    const served = openApiDocument(
      api.app,
      [{ url: "https://vitrine.example" }],
      [{ chainId: 4242, address: FAR_COLLECTION }],
    );
    const text = JSON.stringify(served);
    expect(text).not.toContain("2020");
    expect(text).toContain(`"example":"4242:${FAR_COLLECTION}"`);
    expect(JSON.stringify(served.paths?.["/registry/v2/{address}"])).toContain('"default":4242');
  });
});
