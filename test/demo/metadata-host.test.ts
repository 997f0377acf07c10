/** The demo's metadata host: it offers every trait and fault, and every document can be changed. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Document,
  FAULTS,
  type Kind,
  type MetadataHost,
  startMetadataHost,
} from "../../demo/metadata-host.ts";

let host: MetadataHost;

beforeAll(async () => {
  host = await startMetadataHost();
});
afterAll(() => host.close());
afterEach(() => {
  host.reset("heroes", 1);
  host.reset("items", 1);
});

const get = (path: string, init?: RequestInit) => fetch(`${host.url}${path}`, init);
const document = async (kind: Kind, id: number) =>
  (await get(host.path(kind, id))).json() as Promise<Document>;
const sound = (kind: Kind, ids: number) =>
  Array.from({ length: ids }, (_, index) => index + 1).filter(
    (id) => !FAULTS.some((fault) => fault.kind === kind && fault.id === id),
  );

describe("documents", () => {
  it("shows every display type, false and zero among the values", async () => {
    const documents = await Promise.all(sound("heroes", 32).map((id) => document("heroes", id)));
    const entries = documents.flatMap(({ attributes }) => (attributes ?? []) as Document[]);

    expect(new Set(entries.map((entry) => entry.display_type))).toEqual(
      new Set([undefined, "string", "number", "date", "bool"]),
    );
    const values = entries.map((entry) => entry.value);
    for (const value of [0, false, true, ""]) expect(values).toContain(value);
    const numbers = entries.filter((entry) => entry.display_type === "number");
    expect(new Set(numbers.map((entry) => "max_value" in entry))).toEqual(new Set([true, false]));
    expect(documents.some((one) => "properties" in one)).toBe(true);
  });

  it("gives each trait type one display type, so that no entry of a sound token is hidden", async () => {
    const documents = await Promise.all(sound("heroes", 48).map((id) => document("heroes", id)));
    const types = new Map<unknown, Set<unknown>>();
    for (const { trait_type, display_type } of documents.flatMap(
      (one) => (one.attributes ?? []) as Document[],
    )) {
      types.set(trait_type, (types.get(trait_type) ?? new Set()).add(display_type));
    }

    expect([...types.values()].map((seen) => seen.size)).toEqual([...types].map(() => 1));
  });

  it("answers items by 64 lower-case hex digits only", async () => {
    const id = "d".padStart(64, "0");

    const statuses = [`/items/${id}.json`, `/items/${id.toUpperCase()}.json`, "/items/d.json"].map(
      async (path) => (await get(path)).status,
    );

    expect(await Promise.all(statuses)).toEqual([200, 404, 404]);
  });

  it("fills in an address that differs from its own", async () => {
    const proxied = await startMetadataHost({ documentBaseUrl: "https://cdn.example" });
    try {
      const { image } = (await (await fetch(`${proxied.url}/heroes/1`)).json()) as Document;

      expect(image).toBe("https://cdn.example/art/heroes/1.png");
    } finally {
      await proxied.close();
    }
  });

  it("serves the same documents and pictures as an IPFS gateway", async () => {
    const { id, uri } = host.ipfsHero;
    const gateway = (address: string) => address.replace("ipfs://", host.ipfsGateway);

    const viaGateway = (await (await fetch(gateway(uri))).json()) as Document;
    const picture = await fetch(gateway(viaGateway.image as string));

    expect(viaGateway).toEqual(await document("heroes", Number(id)));
    expect(picture.headers.get("content-type")).toBe("image/png");
  });

  it("leads from every sound token to pictures, videos and pages of the right type", async () => {
    const types = { image: /^image\/(png|gif)$/, video: /^video\/webm$/, animation_url: /^text\/html/ };
    const documents = await Promise.all([
      ...sound("heroes", 32).map((id) => document("heroes", id)),
      ...sound("items", 16).map((id) => document("items", id)),
    ]);

    for (const [field, type] of Object.entries(types)) {
      const urls = documents.flatMap((one) => (one[field] === undefined ? [] : [String(one[field])]));
      expect(urls.length).toBeGreaterThan(0);
      const answers = await Promise.all(
        urls.map((url) => fetch(url.replace("ipfs://", host.ipfsGateway).replace("{id}", "13"))),
      );
      for (const answer of answers) expect(answer.headers.get("content-type")).toMatch(type);
    }
  });
});

describe("faults", () => {
  const entry = async (id: number, traitType: string) => {
    const { attributes } = await document("heroes", id);
    return (attributes as Document[]).find(({ trait_type }) => trait_type === traitType);
  };

  it("breaks the shape of a document in each announced way", async () => {
    expect(await entry(33, "Level")).toMatchObject({ display_type: "number", value: "12" });
    expect(Object.keys(await document("heroes", 34))).toEqual(
      expect.arrayContaining(["attributes", "properties"]),
    );
    expect(await document("heroes", 35)).not.toHaveProperty("image");
    expect(await entry(36, "Stamina")).toMatchObject({ display_type: "boost_number" });
    expect((await document("heroes", 37)).attributes).toEqual(expect.arrayContaining([expect.any(Array)]));
    expect(await document("heroes", 44)).not.toHaveProperty("name");
    expect(Math.abs((await entry(45, "Born"))?.value as number)).toBeGreaterThan(1e11);
    expect(await entry(46, "Level")).toMatchObject({ value: 90, max_value: 10 });
    expect(await document("heroes", 48)).toEqual([expect.objectContaining({ name: expect.any(String) })]);
  });

  it("fails to answer in each announced way", async () => {
    const challenge = await get("/heroes/47");

    expect((await get("/heroes/38")).status).toBe(404);
    await expect(document("heroes", 39)).rejects.toThrow(SyntaxError);
    expect([challenge.status, challenge.headers.get("cf-mitigated")]).toEqual([403, "challenge"]);
    expect((await fetch(String((await document("items", 16)).image))).status).toBe(404);
  });

  it("takes two seconds over the slow one", async () => {
    const startedAt = performance.now();

    const answer = await get("/heroes/41");

    expect(answer.status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  });

  it("lists every fault with its address on the front page", async () => {
    const { faults } = (await (await get("/")).json()) as { faults: { url: string }[] };

    expect(faults.map(({ url }) => url)).toEqual(
      FAULTS.map(({ kind, id }) => `${host.url}${host.path(kind, id)}`),
    );
  });
});

describe("changes from within", () => {
  it("serves what was set until it is reset", async () => {
    const original = await document("heroes", 1);
    host.set("heroes", 1, { name: "Replaced" });
    const replaced = await document("heroes", 1);

    host.reset("heroes", 1);

    expect(replaced).toEqual({ name: "Replaced" });
    expect(await document("heroes", 1)).toEqual(original);
  });

  it("stages any answer: status, headers, body and delay", async () => {
    host.set("heroes", 1, { status: 429, headers: { "retry-after": "7" }, body: "slow down", delayMs: 150 });
    const startedAt = performance.now();

    const answer = await get("/heroes/1");

    expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([
      429,
      "7",
      "slow down",
    ]);
    expect(performance.now() - startedAt).toBeGreaterThan(140);
  });

  it("takes a token id as number, bigint or text", async () => {
    host.patch("items", 1n, { name: "One" });

    expect((await document("items", 1)).name).toBe("One");
    expect(host.get("items", "1")).toEqual(host.get("items", 1));
  });

  it("counts requests by path, reads only", async () => {
    const path = host.path("heroes", 31);
    const before = host.requests.get(path) ?? 0;

    await get(path);
    await get(path, { method: "HEAD" });
    await get(path, { method: "DELETE" });

    expect(host.requests.get(path)).toBe(before + 2);
  });
});

describe("the control route", () => {
  const change = (method: string, body?: string, contentType = "application/json") =>
    get("/heroes/1", { method, body, headers: { "content-type": contentType } });

  it("replaces, changes and restores a document", async () => {
    const original = await document("heroes", 1);
    const put = await change("PUT", JSON.stringify({ name: "Put", description: "Old" }));
    const patch = await change("PATCH", JSON.stringify({ description: null, image: "http://host/1.png" }));
    const patched = await document("heroes", 1);
    const restored = await change("DELETE");

    expect([put.status, patch.status, restored.status]).toEqual([204, 200, 204]);
    expect(patched).toEqual({ name: "Put", image: "http://host/1.png" });
    expect(await patch.json()).toEqual(patched);
    expect(await document("heroes", 1)).toEqual(original);
  });

  it("keeps a body that is not JSON as it came, type included", async () => {
    await change("PUT", "<h1>down for maintenance</h1>", "text/html");

    const answer = await get("/heroes/1");

    expect([await answer.text(), answer.headers.get("content-type")]).toEqual([
      "<h1>down for maintenance</h1>",
      "text/html",
    ]);
  });

  it("calls JSON by its name, whatever type it came with", async () => {
    await change("PUT", '{"name":"From a form"}', "application/x-www-form-urlencoded");

    expect((await get("/heroes/1")).headers.get("content-type")).toBe("application/json");
  });

  it("refuses bodies over 1 MiB, patches that are no object, and patches of no document", async () => {
    const statuses = [
      await change("PUT", " ".repeat(1024 * 1024 + 1)),
      await change("PATCH", "[1]"),
      await get("/heroes/38", { method: "PATCH", body: "{}" }),
      await get("/play/heroes/1", { method: "PUT", body: "{}" }),
      await change("POST", "{}"),
    ].map(({ status }) => status);

    expect(statuses).toEqual([413, 400, 409, 405, 405]);
    expect((await document("heroes", 1)).name).not.toBe("Replaced");
  });
});
