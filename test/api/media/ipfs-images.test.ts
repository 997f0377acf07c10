/** Images on IPFS are verified before they are decoded. */

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { createExamineMedia } from "../../../src/api/media/probes/examine-media.ts";
import { createFetchMedia } from "../../../src/api/media/probes/fetch-media.ts";
import {
  Blocks,
  carOf,
  entityBlocks,
  type GatewayConduct,
  type IpfsGateway,
  startIpfsGateway,
  tampered,
} from "../../support/servers/ipfs-gateway.ts";
import { createMediaHarness } from "./media-harness.ts";
import { noise, png } from "./pictures.ts";

const blocks = new Blocks();
const conduct: { -readonly [Name in keyof GatewayConduct]: GatewayConduct[Name] } = {};
let gateways: IpfsGateway[];
let picture: string;
let liar: Buffer;
beforeAll(async () => {
  const directory = await blocks.add(
    { "all/a hero.png": await noise().png().toBuffer() },
    { rawLeaves: false },
  );
  picture = `ipfs://${directory}/all/a%20hero.png`;
  liar = await png(500, 500);
  gateways = [await startIpfsGateway(blocks, conduct), await startIpfsGateway(blocks)];
});
beforeEach(() => {
  for (const name of Object.keys(conduct) as (keyof GatewayConduct)[]) delete conduct[name];
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

const harness = await createMediaHarness();

function startWorker(ipfsUnverified?: "refuse") {
  const fetch = createGuardedFetch(new Set(gateways.map(({ host }) => host)), "Vitrine tests");
  const urls = gateways.map(({ url }) => url);
  const fetchMedia = createFetchMedia({ fetch, fetchFromGateway: fetch, gateways: urls, ipfsUnverified });
  return harness.startWorker({ fetchMedia });
}

async function probe(image: string) {
  await harness.enqueue({ image });
  await harness.settled();
  return (await harness.rows()).at(-1);
}

it("come from the gateway that does not lie, in chunks and below a directory", async () => {
  conduct.blocks = tampered;
  conduct.body = (body, { isCar }) => (isCar ? body : liar);
  startWorker();

  expect(await probe(picture)).toMatchObject({ status: "accepted", reason: null });
  expect(gateways.map(({ requests }) => requests.length)).toEqual([1, 1]);
  expect((await harness.read({ image: picture })).image).toMatchObject({
    status: "cached",
    width: 480,
    format: "PNG",
  });
});

it("that were verified are not fetched again", async () => {
  startWorker();
  await probe(picture);
  const before = gateways.map(({ requests }) => requests.length);
  await harness.pass("1 minute");

  expect(await probe(picture)).toMatchObject({ status: "accepted" });
  expect(gateways.map(({ requests }) => requests.length)).toEqual(before);
});

it("are refused unverified, if the operator says so", async () => {
  conduct.car = "ignore";
  startWorker("refuse");
  expect(await probe(picture)).toMatchObject({ status: "accepted" });
  await harness.database.query("truncate vitrine.media, vitrine.media_file, vitrine.media_variant");
  await gateways[1]?.close();

  const refused = await probe(picture);
  expect(refused?.status).not.toBe("accepted");
});

it("that a verified directory doesn't have are rejected in reports, as those that a host answers 404", async () => {
  const directory = await blocks.add({ "1.png": "no picture", "pages/1.html": "<p>Hello</p>" });
  const car = await carOf(directory, await entityBlocks(blocks, `${directory}/pages`));
  const gateway = await startIpfsGateway(blocks, {
    own: (_request, response) =>
      Boolean(response.setHeader("content-type", "application/vnd.ipld.car").end(car)),
  });
  const fetch = createGuardedFetch(new Set([gateway.host]), "Vitrine tests");
  const fetchMedia = createFetchMedia({ fetch, fetchFromGateway: fetch, gateways: [gateway.url] });
  const examine = createExamineMedia({ fetchMedia, decoder: harness.decoder, gateways: [gateway.url] });
  const { checked } = await examine({
    image: `ipfs://${directory}/2.png`,
    video: `ipfs://${directory}`,
    animation_url: `ipfs://${directory}/pages`,
  });
  await gateway.close();

  const missing = "http_status: the content has no such path (404)";
  const rejected = { status: "rejected", reason: missing };
  expect(checked).toMatchObject({ image: rejected, video: rejected, animation_url: rejected });
});
