/** MEDIA_BASE_URL: pictures come from a CDN, in answers and pages, and pages allow it and nothing else. */

import { expect, it } from "vitest";
import { createPagesWorld, HEROES } from "./world.ts";

const CDN = "https://cdn.example/v";
const world = await createPagesWorld({ config: { mediaBaseUrl: CDN } });
const FILE = `${"ab".repeat(32)}.png`;

it("moves a token's picture, its variants and the content policy of its pages", async () => {
  const { database } = world.test;
  await world.mint("1");
  await world.describe("1", { name: "Zoe" });
  await world.cacheImage("1", FILE);
  await database.query(
    "insert into vitrine.media_file (name, source_hash, format, width, height) values ($1, '', 'PNG', 500, 500)",
    [FILE],
  );
  await database.query(
    "insert into vitrine.media_variant (file, name, type, width, height, bytes) values ($1, '240.webp', 'image/webp', 240, 240, 1)",
    [FILE],
  );

  for (const path of [HEROES, `${HEROES}/1`]) {
    const { text, headers } = await world.get(path);
    expect(text).toContain(`${CDN}/media/images/${FILE}`);
    expect(text).not.toMatch(/"\/media\/images/);
    expect(headers.get("content-security-policy")).toContain("img-src 'self' data: https://cdn.example;");
  }
  const [token] = await world.api.media.readAll([
    { image: "https://img.example/1.png", video: null, animation_url: null },
  ]);
  expect(token?.image).toMatchObject({
    status: "cached",
    url: `${CDN}/media/images/${FILE}`,
    variants: [{ url: `${CDN}/media/images/240.webp` }],
  });
});
