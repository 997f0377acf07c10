/** A token's document and image on IPFS, whose first gateway lies: what is served is right, and the liar is named. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createPartner, eventually } from "../support/processes/world.ts";
import { Blocks, type IpfsGateway, startIpfsGateway, tampered } from "../support/servers/ipfs-gateway.ts";
import { createKey } from "../support/service-key.ts";

const SCHEMA = "ipfs";

let chain: Chain;
let site: Site;
let service: Service;
let liar: IpfsGateway;
let honest: IpfsGateway;
let heroes: string;
let partner: ReturnType<typeof createPartner>;
beforeAll(async () => {
  const blocks = new Blocks();
  const background = { r: 20, g: 90, b: 200 };
  const picture = await sharp({ create: { width: 600, height: 600, channels: 3, background } })
    .png()
    .toBuffer();
  const pictures = await blocks.add({ "a hero.png": picture });
  const directory = await blocks.add({
    "1": JSON.stringify({ name: "True hero", image: `ipfs://${pictures}/a%20hero.png` }),
    "2": JSON.stringify({ name: "Other hero", image: `ipfs://${pictures}/a%20hero.png` }),
  });
  [liar, honest] = await Promise.all([
    startIpfsGateway(blocks, {
      blocks: tampered,
      body: (body, { isCar }) =>
        isCar ? body : Buffer.from('{"name":"Liar","image":"https://liar.example/1.png"}'),
    }),
    startIpfsGateway(blocks),
  ]);
  chain = await startChain();
  const contract = await chain.deploy("VitrineHeroes", [`ipfs://${directory}/`]);
  heroes = lower(contract);
  await chain.write(contract, "mintRange", [chain.account(1).address, 1n, 2n]);
  await chain.mineEvery(1);
  site = await createSite([{ chain, collections: [heroes] }], {
    IPFS_GATEWAYS: `${liar.url},${honest.url}/ipfs`,
    REFRESH_CONCURRENCY: "16",
  });
  service = await site.start(SCHEMA);
  partner = createPartner(service.baseUrl, await createKey(service));
});
afterAll(async () => {
  await site?.close();
  await Promise.all([liar?.close(), honest?.close(), chain?.close()]);
});

it("is served right and verified, in REST and GraphQL", async () => {
  const token = await eventually(
    () => partner.token(heroes, 1),
    ({ metadata, image }) => metadata?.status === "current" && image.status === "cached",
  );

  expect(token).toMatchObject({
    name: "True hero",
    metadata: { verified: "cid" },
    image: { width: 600, height: 600 },
  });
  const { data } = await partner.graphql(
    `{ token(tokenAddress: "${heroes}", tokenId: "1") { name metadata { verified } } }`,
  );
  expect(data).toEqual({ token: { name: "True hero", metadata: { verified: "cid" } } });
  const picture = await fetch(token.image.url ?? "");
  const { channels } = await sharp(Buffer.from(await picture.arrayBuffer())).stats();
  expect(channels.slice(0, 3).map(({ mean }) => Math.round(mean))).toEqual([20, 90, 200]);
});

it("is never read from the liar, which metrics and the log name", async () => {
  const other = await eventually(
    () => partner.token(heroes, 2),
    ({ metadata }) => metadata?.status === "current",
  );
  expect(other).toMatchObject({ name: "Other hero", metadata: { verified: "cid" } });
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  const count = new RegExp(`^vitrine_gateway_mismatches_total\\{gateway="${liar.host}"\\} ([1-9]\\d*)$`, "m");

  expect(metrics).toMatch(count);
  expect(metrics).toContain(`vitrine_gateway_mismatches_total{gateway="${honest.host}"} 0\n`);
  const log = readFileSync(join(site.folder, `${SCHEMA}.log`), "utf8");
  expect(log).toMatch(/Paused an IPFS gateway/);
  expect(log).toContain(liar.url);
});
