/** Videos and animations on IPFS are shown through the first gateway, wherever the operator allows it. */

import { expect, it } from "vitest";
import { pageUrl } from "../../../src/api/media/display/page-url.ts";
import { createTestApp, GATEWAY } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";
import { createMediaHarness } from "./media-harness.ts";

const { test, database, answers, server, read, enqueue, settled, startWorker } = await createMediaHarness();
const api = createTestApp(test);
const key = await api.createKey();
await test.setHead({ chainId: CHAIN_ID, block: 100 });

const CID = "QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco";
const host = new URL(GATEWAY).host;

async function tokenWith(fields: Record<string, unknown>) {
  await emptyTables(database);
  await database.transaction((tx) =>
    recordOne(api.metadata, tx, ref("1"), "rest", found({ name: "Hero", ...fields })),
  );
  return (await api.call(`/market/collections/${COLLECTION}/tokens/1`, { key })).body;
}
const operator = { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } };
const allow = (pattern: string) => api.call("/admin/allowlist", { ...operator, body: { pattern } });

it.each([
  [`ipfs://${CID}/index.html`, `${GATEWAY}/ipfs/${CID}/index.html`],
  [`ipfs://ipfs/${CID}`, `${GATEWAY}/ipfs/${CID}`],
  [`/ipfs/${CID}/a b.mp4`, `${GATEWAY}/ipfs/${CID}/a b.mp4`],
  [CID, `${GATEWAY}/ipfs/${CID}`],
  [` https://cdn.example/1.mp4\n`, "https://cdn.example/1.mp4"],
  ["HTTPS://cdn.example/1.mp4", "HTTPS://cdn.example/1.mp4"],
  [`https://ipfs.example/ipfs/${CID}`, `https://ipfs.example/ipfs/${CID}`],
  [`https://ipfs.example/ipfs/${CID}/a b.mp4`, `https://ipfs.example/ipfs/${CID}/a b.mp4`],
  [`https://ipfs.example/ipfs/${CID}/Cat #7.mp4`, `https://ipfs.example/ipfs/${CID}/Cat%20%237.mp4`],
  [`https://ipfs.example/ipfs/ipfs://${CID}/1.mp4`, `https://ipfs.example/ipfs/${CID}/1.mp4`],
  [`https:\\\\ipfs.example/ipfs/ipfs://${CID}`, `https:\\\\ipfs.example/ipfs/ipfs://${CID}`],
  [`https://a@ipfs.example/ipfs/ipfs://${CID}`, `https://a@ipfs.example/ipfs/ipfs://${CID}`],
  ["https:\\\\cdn.example/1.mp4", "https:\\\\cdn.example/1.mp4"],
  ["ipfs://content", "ipfs://content"],
  ["ar://x", "ar://x"],
  ["javascript:alert(1)", "javascript:alert(1)"],
])("a page loads %j as %j", (url, loaded) => {
  expect(pageUrl(url, [GATEWAY, "https://second.example"])).toBe(loaded);
});

it("stay as they are where no gateway is configured", () => {
  expect(pageUrl(`ipfs://${CID}`, [])).toBe(`ipfs://${CID}`);
});

it.each([
  ["animation", "animation_url", "index.html"],
  ["video", "video", "1.mp4"],
] as const)(
  "a token shows its %s once the gateway is allowed, and says until then whom to ask",
  async (kind, field, file) => {
    const document = { image: "https://img.example/1.png", [field]: `ipfs://${CID}/${file}` };
    await api.call("/admin/allowlist", { ...operator, method: "DELETE", body: { pattern: host } });
    const before = await tokenWith(document);
    await allow(host);
    const after = await tokenWith(document);

    expect(before.display.token_page).toMatchObject({
      kind: "image",
      skipped: [{ kind, host, reason: "host_not_allowed" }],
    });
    expect(before.metadata.issues).toMatchObject([
      { code: "host_not_allowed", level: "warning", path: field },
    ]);
    expect(after.display.token_page).toEqual({
      ...{ kind, url: `${GATEWAY}/ipfs/${CID}/${file}`, skipped: [] },
    });
    expect(after.metadata.issues).toEqual([]);
  },
);

it("one whose URL programs read differently is never shown, which is an issue", async () => {
  await allow("cdn.example");
  const token = await tokenWith({
    image: "https://img.example/1.png",
    video: "https://me@cdn.example/1.mp4",
  });

  expect(token.display.token_page.skipped).toEqual([{ kind: "video", host: "", reason: "invalid_url" }]);
  expect(token.metadata.issues).toMatchObject([{ code: "invalid_url", level: "warning", path: "video" }]);
});

it("are probed like those on the web", async () => {
  const page = { animation_url: `ipfs://${CID}` };
  const picture = { animation_url: `ipfs://${CID}/1.png` };
  const spaced = { animation_url: ` ${server.url}/spaced\n` };
  answers
    .set(`/gateway/ipfs/${CID}`, { body: "<!doctype html>", headers: { "content-type": "text/html" } })
    .set("/spaced", { body: "<!doctype html>", headers: { "content-type": "text/html" } })
    .set(`/gateway/ipfs/${CID}/1.png`, { body: "\x89PNG", headers: { "content-type": "image/png" } });
  startWorker();

  await enqueue(page, picture, spaced);
  await settled();

  expect((await read(page)).checked.animation_url).toMatchObject({ status: "accepted" });
  expect((await read(picture)).faults.animation).toMatchObject({ reason: "animation_is_image" });
  expect(await read(spaced)).toMatchObject({
    checked: { animation_url: { status: "accepted" } },
    loaded: { animation_url: `${server.url}/spaced` },
  });
});
