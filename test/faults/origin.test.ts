import { afterAll, beforeAll, expect, it } from "vitest";
import type { Service } from "../../demo/service.ts";
import { eventually } from "../support/processes/world.ts";
import { startWatch } from "./support/figures.ts";
import { type Behaviour, documentNamed, type Origin, startOrigin } from "./support/origin.ts";
import { createPlant, type Partner, type Plant } from "./support/plant.ts";

const ENDS_WITHIN_MS = 300_000;
const TRIES_MAX = 5;
const RETRY_AFTER_SECONDS = 7;
const OLD_FOR_MS = 20_000;

interface Fault {
  readonly name: string;
  readonly behaviour: Behaviour;
  /** The beginning of the reason in the receipt. */
  readonly reason: string;
  readonly requests: number;
}

const body = documentNamed("New");
const faults: readonly Fault[] = [
  {
    name: "500",
    behaviour: () => ({ status: 500, body: "oops" }),
    reason: "http_status: the host answered 500",
    requests: TRIES_MAX,
  },
  {
    name: "429 without Retry-After",
    behaviour: () => ({ status: 429 }),
    reason: "http_status: the host answered 429",
    requests: TRIES_MAX,
  },
  {
    name: "404",
    behaviour: () => ({ status: 404, body: "no such page" }),
    reason: "http_status: the host answered 404",
    requests: 1,
  },
  {
    name: "garbage",
    behaviour: () => ({ body: "<html>\u0000 not {JSON" }),
    reason: "invalid_json: the document is not valid JSON",
    requests: 1,
  },
  {
    name: "an array",
    behaviour: () => ({ body: "[1,2,3]" }),
    reason: "not_an_object: the document is not a JSON object",
    requests: 1,
  },
  {
    name: "no answer at all",
    behaviour: () => ({ fault: "never" }),
    reason: "timeout: no complete headers within 10000 ms",
    requests: TRIES_MAX,
  },
  {
    name: "half a body",
    behaviour: () => ({ body, fault: "half" }),
    reason: "unreachable: the host can't be reached",
    requests: TRIES_MAX,
  },
  {
    name: "a document without image",
    behaviour: () => ({ body: JSON.stringify({ name: "New" }) }),
    reason: "incomplete_document: image missing; the last good version stays",
    requests: 1,
  },
];
const retryAfter = faults.length + 1;
const recovering = faults.length + 2;
const lagging = faults.length + 3;
const neighbour = faults.length + 4;
const TOKENS = neighbour;

let plant: Plant;
let service: Service;
let partner: Partner;
/** One origin, and so one host, per token: one's fault must not pause another. */
let origins: Origin[];
const originOf = (id: number): Origin => origins[id - 1] as Origin;
const pathOf = (id: number): string => `/t/${id}`;

beforeAll(async () => {
  const good: Behaviour = () => ({ body: documentNamed("Good") });
  origins = await Promise.all(Array.from({ length: TOKENS }, () => startOrigin(good)));
  const uris = new Map(
    origins.map((origin, index) => {
      const id = index + 1;
      return [id, `${(id === neighbour ? originOf(retryAfter) : origin).url}${pathOf(id)}`];
    }),
  );
  plant = await createPlant({ tokens: TOKENS, uris, moreOrigins: origins });
  await plant.chain.mineEvery(1);
  service = await plant.start("indexer");
  partner = await plant.partner(service);
  await plant.settled();
  for (const origin of origins) origin.forget();
});
afterAll(() => plant?.close());

const view = (id: number) => partner.token(plant.address, id);
const receiptOf = async (receipt: unknown) =>
  (await partner.call(`/market-partner/refreshes/${receipt}`)).body;
const refresh = async (...ids: number[]) =>
  (await partner.refresh(plant.address, ids.map(String))).body.refresh_id;
async function endOf(receipt: unknown) {
  const { tokens } = await eventually(
    () => receiptOf(receipt),
    ({ done }) => done === true,
    ENDS_WITHIN_MS,
  );
  return (tokens as { status: string; reason: string | null }[])[0];
}

it.concurrent.each(faults.map((fault, index) => [fault.name, index + 1, fault] as const))(
  "an origin that answers %s fails the refresh with its reason, keeps the last good version, and is asked again",
  async (name, id, { behaviour, reason, requests }) => {
    const watch = startWatch(`origin ${name}`);
    const origin = originOf(id);
    origin.behave(behaviour);

    const end = await endOf(await refresh(id));
    const asked = origin.requests.length;
    const served = await view(id);
    const failedAfter = watch.seconds();
    origin.behave(() => ({ body: documentNamed("Healed") }));
    const healed = await endOf(await refresh(id));

    watch.report({ requests: asked, reason: String(end?.reason), seconds_until_failed: failedAfter });
    expect(end).toMatchObject({ status: "failed", reason: expect.stringContaining(reason) });
    expect(asked).toBe(requests);
    expect(served).toMatchObject({ name: "Good", metadata: { status: "failed" } });
    expect(healed).toMatchObject({ token_id: String(id), status: "updated", reason: null });
    expect((await view(id)).name).toBe("Healed");
  },
);

it.concurrent("an origin that answers 500 twice and then well updates the token", async () => {
  const watch = startWatch("origin 500 twice");
  const origin = originOf(recovering);
  origin.behave((_, nth) => (nth <= 2 ? { status: 500 } : { body: documentNamed("Recovered") }));

  const end = await endOf(await refresh(recovering));

  watch.report({ requests: origin.requests.length });
  expect(end).toMatchObject({ status: "updated", reason: null });
  expect(origin.requests.length).toBe(3);
  expect((await view(recovering)).name).toBe("Recovered");
});

it.concurrent("429 with Retry-After holds its token for that long and no other of the host, and then updates", async () => {
  const watch = startWatch("origin 429 with Retry-After");
  const origin = originOf(retryAfter);
  const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
  origin.behave((path, nth) =>
    path === pathOf(retryAfter) && nth === 1 ? { status: 429, headers } : { body: documentNamed("Allowed") },
  );

  const receipt = await refresh(retryAfter);
  await eventually(
    async () => origin.requests.length > 0 && (await receiptOf(receipt)),
    (answer) => JSON.stringify(answer).includes("http_status: the host answered 429"),
  );
  const other = await refresh(neighbour);
  const ends = [await endOf(other), await endOf(receipt)];

  const [first, second] = origin.requests.filter(({ path }) => path === pathOf(retryAfter));
  const pauseMs = (second?.at ?? 0) - (first?.at ?? 0);
  const neighbourAt = origin.requests.find(({ path }) => path === pathOf(neighbour))?.at;
  watch.report({
    requests: origin.requests.length,
    retry_after_seconds: RETRY_AFTER_SECONDS,
    pause_ms: pauseMs,
  });
  expect(ends.map((end) => end?.status)).toEqual(["updated", "updated"]);
  expect(origin.requests.length).toBe(3);
  expect(pauseMs).toBeGreaterThanOrEqual(RETRY_AFTER_SECONDS * 1_000);
  // One URL is an isolated fault: two of them would pause the host.
  expect(neighbourAt).toBeLessThan(second?.at ?? 0);
});

it.concurrent("old content for 20 s after the event is replaced by the recheck", async () => {
  const watch = startWatch("origin lags its event");
  const origin = originOf(lagging);
  const newFrom = Date.now() + OLD_FOR_MS;
  origin.behave(() => ({ body: documentNamed(Date.now() < newFrom ? "Good" : "Late") }));

  await plant.chain.write(plant.heroes, "emitMetadataUpdate", [BigInt(lagging)]);
  await eventually(
    () => view(lagging),
    ({ name }) => name === "Late",
    ENDS_WITHIN_MS,
  );

  watch.report({ old_for_seconds: OLD_FOR_MS / 1_000, requests: origin.requests.length });
  expect(origin.requests.length).toBe(2);
});
