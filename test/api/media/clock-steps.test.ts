/** The database's clock steps back: no URL waits until it has caught up. */

import { expect, it, onTestFinished } from "vitest";
import { startLongWaits } from "../../../src/api/jobs/long-waits.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { endLongMediaLeases, endLongMediaWaits } from "../../../src/api/media/module.ts";
import { missFile } from "../../../src/api/media/storage/media-file-store.ts";
import { eventually } from "../../support/eventually.ts";
import { createMediaHarness } from "./media-harness.ts";
import { png } from "./pictures.ts";

const harness = await createMediaHarness();
const { answers, asked, database, enqueue, pass, rows, server, settled, startWorker } = harness;
const HOUR_S = 3_600;

/** What a service does each minute. */
const startWaits = () =>
  startLongWaits({
    database,
    ends: [endLongMediaWaits, endLongMediaLeases],
    isOn: true,
    logger: silentLogger,
  });
const passOnce = () => startWaits().stop();
/** Of another host each. */
const named = (...paths: readonly string[]) => paths.map((path) => ({ image: `https://${path}.example/1` }));
const setAll = (columns: string, where = "true") =>
  database.query(`update vitrine.media set ${columns} where ${where}`);

it("an image is probed again for a request after the step", async () => {
  answers.set("/1.png", { body: await png(480, 480) });
  startWorker();
  await enqueue({ image: `${server.url}/1.png` });
  await settled();

  await pass("-6 hours");
  await enqueue({ image: `${server.url}/1.png` });

  // The longest that it may have to wait.
  await pass("5 seconds");
  await settled();
  expect(asked("/1.png")).toBe(2);
});

it("an image is probed within a minute for a request before the step", async () => {
  await enqueue(...named("a", "b"));
  await pass("-6 hours");
  await setAll("seen_at = now()", "url like '%b.example%'");
  await setAll("not_before = now() + interval '29 days'", "url like '%b.example%'");

  await passOnce();

  expect((await rows()).map(({ dueIn }) => dueIn)).toEqual([0, 29 * 24 * HOUR_S]);
});

it("a URL that failed is probed again once, and then waits for its retry", async () => {
  await enqueue(...named("a"));
  await pass("-6 hours");
  await passOnce();
  await setAll("not_before = now() + interval '1 day'");

  await passOnce();

  expect((await rows()).map(({ dueIn }) => dueIn)).toEqual([24 * HOUR_S]);
});

it("each URL is due that waits longer than any retry, however many hosts there are", async () => {
  await database.query(
    `insert into vitrine.media (kind, url_hash, url, host, not_before)
     select 'image', sha256(n::text::bytea), n, 'host' || n, now() + case when n % 2 = 0 then interval '31 days' else interval '29 days' end
       from generate_series(1, 10100) n`,
  );

  // All of them in one pass: the next comes a minute later.
  const loop = startWaits();
  onTestFinished(() => loop.stop());

  const due = () =>
    database.query<{ url: string }>(
      "select url from vitrine.media where not_before <= now() order by url::int",
    );
  const urls = await eventually(due, ({ length }) => length >= 5_050);
  expect(urls.map(({ url }) => Number(url))).toEqual(Array.from({ length: 5_050 }, (_, nth) => 2 * nth + 2));
});

it("what a crashed process held is free again; what a process holds stays its own", async () => {
  await enqueue(...named("a", "b"));
  await setAll(
    "lease = gen_random_uuid(), started = 1, attempts = 1, leased_until = now() + interval '25 seconds'",
  );
  await setAll(
    "leased_until = leased_until + interval '6 hours', not_before = now() + interval '6 hours'",
    "url like '%a.example%'",
  );

  await passOnce();

  const [lost, held] = await rows();
  expect(lost).toMatchObject({ lease: null, dueIn: 0, attempts: 1, isOpen: true });
  expect(held?.lease).not.toBeNull();
});

it("a picture that is missing on disk is rendered again", async () => {
  answers.set("/missing.png", { body: await png(480, 480) });
  startWorker();
  await enqueue({ image: `${server.url}/missing.png` });
  await settled();
  await pass("-6 hours");
  const [row] = await rows();

  await missFile(database, row?.file ?? "");

  await settled();
  expect(asked("/missing.png")).toBe(2);
});
