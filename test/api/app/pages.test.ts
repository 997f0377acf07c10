import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { BASE_URL, createTestApp } from "../../support/processes/app.ts";

const api = createTestApp(await createTestDatabase());
const html = (path: string) => api.call(path, { headers: { accept: "text/html" } });
const loaded = (text: string): string[] =>
  [...text.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "");

describe.each(["/reference", "/graphql"])("%s", (path) => {
  it("is a page that loads files of this service only, all of which are there", async () => {
    const { status, text, headers } = await html(path);

    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/html");
    const files = loaded(text);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file).toMatch(/^\/(?!\/)/);
      const answer = await api.call(file);
      expect(answer.status, file).toBe(200);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      const again = await api.call(file, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } });
      expect(again.status).toBe(304);
    }
  });

  it("lets only its own scripts run, those with the nonce, and is shown in no frame", async () => {
    const [one, two] = [await html(path), await html(path)];

    const policy = one.headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe-eval");
    expect(two.headers.get("content-security-policy")).not.toContain(nonce);
    const scripts = [...one.text.matchAll(/<script[^>]*>/g)].map(String);
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
  });
});

describe("links on pages", () => {
  it("keep the path of a BASE_URL that has one", async () => {
    const under = createTestApp(await createTestDatabase(), { baseUrl: "https://vitrine.example/nft" });

    const { text, headers } = await under.call("/reference", { headers: { accept: "text/html" } });

    for (const file of loaded(text)) expect(file).toMatch(/^\/nft\//);
    expect(headers.get("strict-transport-security")).not.toBeNull();
    expect((await html("/reference")).headers.get("strict-transport-security")).toBeNull();
    expect(BASE_URL).toMatch(/^http:/);
  });
});
