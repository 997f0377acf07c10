import { beforeAll, expect, it } from "vitest";
import { createPagesWorld, HEROES, seen } from "./world.ts";

const world = await createPagesWorld();

beforeAll(async () => {
  await world.mint("1");
  await world.describe("1", { attributes: [{ trait_type: "Class", value: "Mage" }] });
});

it("the home page says what this is, shows the collections, and starts the journey", async () => {
  const { status, text, headers } = await world.get("/");

  expect(status).toBe(200);
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(text).toContain(`href="${HEROES}"`);
  expect(text).toMatch(/<a class="button primary" href="\/console">\s*Create an app/);
  // What a shared link says.
  expect(text).toContain(
    '<meta property="og:title" content="Metadata, locks and access for an NFT marketplace"',
  );
  expect(seen(text)).toMatch(/1\. Create an app.*2\. Refresh a token.*3\. Follow what changes/);
});

it("percentages on a token's page name their base", async () => {
  expect(seen((await world.get(`${HEROES}/1`)).text)).toContain("shares of the collection’s 1 listed token.");
});
