/** Documents name hosts of any length, and none is too long for an index of the database. */

import { expect, it } from "vitest";
import { chooseDisplay } from "../../../src/api/media/display/display.ts";
import { hostOf } from "../../support/long-host.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { createMediaHarness, document } from "./media-harness.ts";

const harness = await createMediaHarness();
const { answers, database, enqueue, media, rows, server, settled, startWorker } = harness;

const named = [hostOf(254), hostOf(6_000)].map((host) => `https://${host}/x.png`);
const urls = async () =>
  (await database.query<{ url: string }>("select url from vitrine.media")).map(({ url }) => url);

it.each([
  ["enqueued", (...fields: readonly { image: string }[]) => enqueue(...fields)],
  [
    "noted as seen",
    (...fields: readonly { image: string }[]) => media.noteSeen(database, fields.map(document)),
  ],
])("an image at such a host is rejected, and those of other documents are %s", async (_, note) => {
  await database.query("truncate vitrine.media");
  const fine = `https://${hostOf(253)}/1.png`;

  await note({ image: fine }, ...named.map((image) => ({ image })));

  expect(await urls()).toEqual([fine]);
  for (const image of named)
    expect(media.fateOf(image)).toEqual({
      status: "rejected",
      reason: `invalid_uri: the URI's host has ${new URL(image).host.length} characters; the limit is 253`,
    });
});

it("a video at such a host is not shown, whatever hosts are allowed", () => {
  for (const video of named) {
    const { token_page } = chooseDisplay({ image: null, animation_url: null, video }, null, () => true);

    expect(token_page).toEqual({
      kind: "none",
      url: null,
      skipped: [{ kind: "video", host: "", reason: "invalid_url" }],
    });
  }
});

it.each(["example", "localhost"])(
  "a redirect to such a host under %s rejects the image, and nothing fails",
  async (domain) => {
    await database.query("truncate vitrine.media");
    answers.set("/x.png", { status: 302, headers: { location: `http://${hostOf(6_000, domain)}/` } });
    const { logger, entries } = createMemoryLogger();
    startWorker({ logger });

    await enqueue({ image: `${server.url}/x.png` });
    await settled();

    expect(await rows()).toMatchObject([
      { status: "rejected", reason: "invalid_url: the URL's host has 6000 characters; the limit is 253" },
    ]);
    expect(entries).toEqual([]);
  },
);
